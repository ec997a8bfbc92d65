import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createDataProfiles, makeFolder, profileNameProblem } from '../../../src/local/profiles.ts';
import { listSnapshots } from '../../../src/local/snapshots.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeLog, fakeMemento, fakeSecrets } from '../../support/extension/fakes.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function world(first: unknown = 'default') {
  let setting = first;
  const profiles = createDataProfiles({
    root: path.join(folder.path, 'local'),
    chosen: () => setting,
    memory: fakeMemento(),
    secrets: fakeSecrets(),
    mask: createMask(),
    log: fakeLog(),
  });
  const changes: string[] = [];
  profiles.onDidChangeCurrent(({ name }) => changes.push(name));
  const choose = (next: unknown): void => {
    setting = next;
    profiles.reread();
  };
  return { profiles, changes, choose };
}

describe('data profiles', () => {
  it('data profiles are the folders in the root folder, and the default profile even without a folder', () => {
    const { profiles } = world();
    assert.deepEqual(profiles.names(), ['default']);
    assert.equal(profiles.current().folder, path.join(folder.path, 'local', 'default'));
    for (const name of ['work', 'Not a profile', '.hidden'])
      mkdirSync(path.join(folder.path, 'local', name), { recursive: true });
    writeFileSync(path.join(folder.path, 'local', 'default.stopped'), '');
    assert.deepEqual(profiles.names(), ['default', 'work']);
  });

  it('data profiles each have their own token, port and stop mark', async () => {
    const { profiles, choose } = world();
    const one = profiles.current();
    await one.lastPort.set(4001);
    one.stopMark.set();
    choose('work');
    const two = profiles.current();
    assert.notEqual(await two.adminToken(), await one.adminToken());
    assert.deepEqual([one.lastPort.get(), two.lastPort.get()], [4001, 0]);
    assert.deepEqual([one.stopMark.isSet(), two.stopMark.isSet()], [true, false]);
    choose('default');
    assert.equal(profiles.current().lastPort.get(), 4001);
  });

  it('data profiles remember the instance IDs of their latest data and forget older ones', async () => {
    const { profiles, choose } = world();
    const forgotten: string[] = [];
    profiles.onDidForget((id) => forgotten.push(id));
    const { data } = profiles.current();
    assert.equal(data.get(), undefined);
    for (let number = 1; number <= 11; number += 1) await data.set(`data-${number}`);
    // Data that is restored becomes the newest.
    await data.set('data-1');
    await data.set('data-1');
    assert.deepEqual([data.get(), forgotten], ['data-1', []]);
    await data.set('data-12');
    assert.deepEqual([data.get(), forgotten], ['data-12', ['data-2']]);
    choose('work');
    assert.equal(profiles.current().data.get(), undefined);
    choose('default');
    assert.equal(profiles.current().data.get(), 'data-12');
  });

  it('data profiles notify once when the setting changes, and include the selected one', () => {
    const { profiles, changes, choose } = world();
    choose('default');
    choose('work');
    choose('work');
    assert.deepEqual(changes, ['work']);
    assert.deepEqual(profiles.names(), ['default', 'work']);
  });

  for (const setting of [undefined, null, 7, '', '../elsewhere', '/tmp', 'a/b', 'A', '-a', 'con', 'a'.repeat(33)]) {
    it(`data profiles use the default profile if the setting is ${JSON.stringify(setting)}`, () => {
      assert.equal(world(setting).profiles.current().name, 'default');
    });
  }

  it('an invalid name of a data profile has a message', () => {
    for (const name of ['default', 'work', '2026', 'a-b']) assert.equal(profileNameProblem(name), undefined, name);
    assert.match(profileNameProblem('A B') ?? '', /lowercase letters/);
  });

  it('data profiles have a folder that can be opened before their server was ever started', () => {
    const profile = world('work').profiles.current();
    makeFolder(profile);
    makeFolder(profile);
    writeFileSync(path.join(profile.folder, 'anything'), '');
  });
});

describe('snapshots of a data profile', () => {
  it('snapshots of a data profile are listed with size and time, newest first, without other files', () => {
    assert.deepEqual(listSnapshots(folder.path), []);
    const snapshots = path.join(folder.path, 'snapshots');
    mkdirSync(snapshots);
    for (const [name, time] of [
      ['monday', 1_000],
      ['tuesday', 2_000],
    ] as const) {
      writeFileSync(path.join(snapshots, `${name}.sqlite`), name);
      utimesSync(path.join(snapshots, `${name}.sqlite`), time, time);
    }
    for (const other of ['.wednesday.part', 'monday.sqlite-wal', 'notes.txt', '.sqlite'])
      writeFileSync(path.join(snapshots, other), '');
    assert.deepEqual(listSnapshots(folder.path), [
      { name: 'tuesday', size: 7, createdAt: 2_000_000 },
      { name: 'monday', size: 6, createdAt: 1_000_000 },
    ]);
  });
});
