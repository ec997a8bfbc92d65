import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { DAY, MINUTE } from '../../../server/core/clock.ts';
import { restoreSnapshot, setAside } from '../../../server/snapshots/snapshots.ts';
import { openStore } from '../../../server/store/open.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const START = Date.UTC(2026, 10, 20, 12);

describe('automatic snapshots', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let database: string;
  let snapshots: string;
  let template: Buffer | undefined;
  beforeEach(() => {
    folder = temporaryFolder();
    database = path.join(folder.path, 'signalbox.sqlite');
    snapshots = path.join(folder.path, 'snapshots');
    mkdirSync(snapshots);
  });
  afterEach(() => folder[Symbol.dispose]());

  /** Writes an empty database, which is created once for all tests. */
  const write = (): void => {
    if (template === undefined) {
      openStore(database).close();
      template = readFileSync(database);
    } else writeFileSync(database, template);
  };
  const names = (): readonly string[] =>
    readdirSync(snapshots)
      .map((file) => file.replace(/\.sqlite.*$/, ''))
      .toSorted();
  function resetAt(time: number): string {
    write();
    return setAside(folder.path, database, undefined, time) ?? assert.fail('there was a database');
  }

  it('automatic snapshots are limited to the ten newest with their logs, and requested snapshots all stay', () => {
    const asked = ['monday', '2026-11-20T12-00-00Z', 'before-reset-of-ours', 'before-reset-2026-11-20T12-00-00Z-copy'];
    for (const name of asked) writeFileSync(path.join(snapshots, `${name}.sqlite`), '');
    const made = Array.from({ length: 12 }, (_, number) => resetAt(START + number * MINUTE));
    writeFileSync(path.join(snapshots, `${made[2]}.sqlite-wal`), '');
    assert.deepEqual(
      names().filter((name) => !asked.includes(name)),
      [made[2], ...made.slice(2)],
    );
    made.push(resetAt(START + DAY));
    assert.deepEqual(names(), [...asked, ...made.slice(3)].toSorted());
  });

  it('automatic snapshots of the same second are removed in the order of their creation', () => {
    const made = Array.from({ length: 11 }, () => resetAt(START));
    assert.equal(made[10], 'before-reset-2026-11-20T12-00-00Z-11');
    assert.deepEqual(names(), made.slice(1).toSorted());
  });

  it('automatic snapshots stay when they are new, even if the clock was set back', () => {
    for (let number = 0; number < 10; number += 1) resetAt(START + number * MINUTE);
    const last = resetAt(START - DAY);
    assert.ok(names().includes(last));
  });

  it('automatic snapshots do not remove the snapshot that is being restored', async () => {
    const made = Array.from({ length: 10 }, (_, number) => resetAt(START + number * MINUTE));
    const [oldest = ''] = made;
    write();
    const stored = await restoreSnapshot(folder.path, database, oldest, undefined, START + DAY);
    assert.equal(stored, 'before-restore-2026-11-21T12-00-00Z');
    assert.ok(existsSync(path.join(snapshots, `${oldest}.sqlite`)) && existsSync(database));
    assert.equal(names().length, 11);
    resetAt(START + 2 * DAY);
    assert.ok(!existsSync(path.join(snapshots, `${oldest}.sqlite`)));
    assert.equal(names().length, 10);
  });
});
