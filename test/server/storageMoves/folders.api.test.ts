import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endPlatform } from '../../../server/createPlatform.ts';
import type { Platform } from '../../../server/platform.ts';
import { claimStorages, prepareStorages as prepare } from '../../../server/process/storages.ts';
import { createTestPlatform } from '../../support/server.ts';

describe('folders of storages', () => {
  let folder: string;
  let warnings: string[];
  const platforms: Platform[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  const prepareStorages = (storages: ReadonlyMap<string, string>, dataFolder: string | undefined) =>
    prepare(storages, dataFolder, log);
  const inside = (name: string): string => path.join(folder, name);
  const platformOf = (dataFolder: string): Platform => {
    mkdirSync(inside(dataFolder), { recursive: true });
    const platform = createTestPlatform({ dataFolder: inside(dataFolder) });
    platforms.push(platform);
    return platform;
  };
  beforeEach(() => {
    warnings = [];
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-folders-'));
  });
  afterEach(() => {
    for (const platform of platforms.splice(0)) endPlatform(platform);
    rmSync(folder, { recursive: true, force: true });
  });

  it('a storage is created for its owner only', () => {
    const storages = prepareStorages(new Map([['fast', inside('a/fast')]]), undefined);
    assert.equal(modeOf(storages.get('fast') ?? ''), 0o700);
    assert.deepEqual(warnings, []);
  });

  it('an empty folder or one of a server becomes private', () => {
    mkdirSync(inside('fast/@hashed'), { recursive: true });
    chmodSync(inside('fast'), 0o755);
    prepareStorages(new Map([['fast', inside('fast')]]), undefined);
    assert.equal(modeOf(inside('fast')), 0o700);
    assert.deepEqual(warnings, []);
  });

  it('a folder that contains other files keeps its mode, also if it is refused, and only its repositories become private', () => {
    for (const name of ['fast/@hashed', 'data']) mkdirSync(inside(name), { recursive: true });
    writeFileSync(inside('fast/mine.txt'), 'mine');
    chmodSync(inside('fast'), 0o755);
    chmodSync(inside('fast/@hashed'), 0o755);
    chmodSync(folder, 0o755);
    prepareStorages(new Map([['fast', inside('fast')]]), undefined);
    assert.deepEqual(
      ['fast', 'fast/@hashed'].map((name) => modeOf(inside(name))),
      [0o755, 0o700],
    );
    assert.match(warnings.join('\n'), /contains other files, such as mine\.txt/);
    assert.throws(() => prepareStorages(new Map([['fast', folder]]), inside('data')), { code: 'storage_unusable' });
    assert.equal(modeOf(folder), 0o755);
  });

  for (const [title, storages] of [
    ['in the data folder', { fast: 'data/fast' }],
    ['around the data folder', { fast: '.' }],
    ['used for two storages', { fast: 'one', slow: 'one' }],
    ['in another storage', { fast: 'one', slow: 'one/two' }],
  ] as const) {
    it(`a folder is refused that is ${title}`, () => {
      mkdirSync(inside('data'));
      const given = new Map(Object.entries(storages).map(([name, place]) => [name, inside(place)]));
      assert.throws(() => prepareStorages(given, inside('data')), { code: 'storage_unusable' });
    });
  }

  it('a storage belongs to one server, also after its database was replaced', () => {
    const storages = prepareStorages(new Map([['fast', inside('fast')]]), undefined);
    claimStorages(platformOf('one'), storages);
    claimStorages(platformOf('one'), storages);
    assert.throws(() => claimStorages(platformOf('two'), storages), { code: 'storage_unusable' });
  });

  it('a storage that is in use must be on the command line', () => {
    const platform = platformOf('one');
    platform.store.run("INSERT INTO single_repositories (storage, folder) VALUES ('fast', 'a')");
    assert.throws(() => claimStorages(platform, new Map()), {
      code: 'storage_missing',
      message: 'Repositories are on the storage fast, which is not on the command line.',
    });
  });
});
