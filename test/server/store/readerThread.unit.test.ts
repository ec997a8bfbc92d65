import assert from 'node:assert/strict';
import path from 'node:path';
import { openStore, type Store } from '../../../server/store/open.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('rows that a separate thread reads', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let store: Store;
  beforeEach(() => {
    folder = temporaryFolder();
    store = openStore(path.join(folder.path, 'a.sqlite'));
    store.run('CREATE TABLE numbers (n INTEGER)');
    store.run('INSERT INTO numbers VALUES (1), (2)');
  });
  afterEach(() => {
    store.close();
    folder[Symbol.dispose]();
  });

  it('rows that a separate thread reads are the committed rows, in the order of each query', async () => {
    const sql = 'SELECT n FROM numbers WHERE n >= $from ORDER BY n DESC';
    const [all, some, none] = await Promise.all([0, 2, 3].map((from) => store.runInReader<{ n: number }>(sql, { from })));
    assert.deepEqual([all, some, none], [[{ n: 2 }, { n: 1 }], [{ n: 2 }], []]);
    store.run('INSERT INTO numbers VALUES (3)');
    assert.deepEqual(await store.runInReader(sql, { from: 3 }), [{ n: 3 }]);
  });

  it('rows that a separate thread reads do not block the event loop', async () => {
    const long = `WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 3000000) SELECT count(*) AS n FROM n`;
    const order: string[] = [];
    const read = store.runInReader(long).then(() => order.push('read'));
    await new Promise((resolve) => setImmediate(resolve));
    store.get('SELECT n FROM numbers');
    order.push('other');
    await read;
    assert.deepEqual(order, ['other', 'read']);
  });

  it('rows that a separate thread reads cannot be changed, and an invalid query does not affect others', async () => {
    await assert.rejects(store.runInReader('DELETE FROM numbers RETURNING n'), /readonly/);
    await assert.rejects(store.runInReader('SELECT nothing FROM numbers'), /nothing/);
    assert.deepEqual(await store.runInReader('SELECT count(*) AS n FROM numbers'), [{ n: 2 }]);
  });

  it('rows that a separate thread reads are refused when the database is closed meanwhile', async () => {
    const read = store.runInReader('SELECT n FROM numbers');
    store.close();
    await assert.rejects(read, /closed/);
    await assert.rejects(store.runInReader('SELECT n FROM numbers'), /closed/);
  });

  it('rows that a separate thread reads are read by a new thread after one ran out of memory', async () => {
    // 200 rows of 1 MB: long rows fill the memory of the thread faster than many rows.
    const tooMuch =
      'WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 200) SELECT hex(zeroblob(500000)) AS text FROM n';
    await assert.rejects(store.runInReader(tooMuch), /memory/);
    const both = [1, 2].map((from) => store.runInReader('SELECT n FROM numbers WHERE n >= $from', { from }));
    assert.deepEqual(await Promise.all(both), [[{ n: 1 }, { n: 2 }], [{ n: 2 }]]);
  });

  it('rows that a separate thread reads of a database in memory are read directly', async () => {
    const memory = openStore(':memory:');
    assert.deepEqual(await memory.runInReader('SELECT $n AS n', { n: 1 }), [{ n: 1 }]);
    memory.close();
  });
});
