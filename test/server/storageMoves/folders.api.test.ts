import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endPlatform } from '../../../server/createPlatform.ts';
import type { Platform } from '../../../server/platform.ts';
import { claimStorages, prepareStorages } from '../../../server/process/storages.ts';
import { createTestPlatform } from '../../support/server.ts';

describe('folders of storages', () => {
  let folder: string;
  const platforms: Platform[] = [];
  const inside = (name: string): string => path.join(folder, name);
  const platformOf = (dataFolder: string): Platform => {
    mkdirSync(inside(dataFolder), { recursive: true });
    const platform = createTestPlatform({ dataFolder: inside(dataFolder) });
    platforms.push(platform);
    return platform;
  };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-folders-'));
  });
  afterEach(() => {
    for (const platform of platforms.splice(0)) endPlatform(platform);
    rmSync(folder, { recursive: true, force: true });
  });

  it('a storage is created for its owner only', () => {
    const storages = prepareStorages(new Map([['fast', inside('a/fast')]]), undefined);
    assert.equal(statSync(storages.get('fast') ?? '').mode & 0o077, 0);
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
