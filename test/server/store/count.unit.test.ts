import assert from 'node:assert/strict';
import path from 'node:path';
import { countRows, countRowsInReader } from '../../../server/store/count.ts';
import { openStore } from '../../../server/store/open.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('counting rows', () => {
  it('counts the rows that meet the conditions, up to a limit, in both threads', async () => {
    using folder = temporaryFolder();
    const store = openStore(path.join(folder.path, 'a.sqlite'));
    try {
      for (const name of ['a', 'b', 'c', 'd']) store.run('INSERT INTO topics (name) VALUES ($name)', { name });
      for (const [cap, count] of [
        [2, 2],
        [3, 3],
        [4, 3],
      ] as const) {
        assert.equal(countRows(store, 'FROM topics WHERE name > $name', { name: 'a' }, cap), count);
        assert.equal(await countRowsInReader(store, 'FROM topics WHERE name > $name', { name: 'a' }, cap), count);
      }
    } finally {
      store.close();
    }
  });
});
