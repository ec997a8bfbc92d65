import assert from 'node:assert/strict';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openStore } from '../../../server/store/open.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('a database file whose views use virtual tables that can have side effects', () => {
  it('a database file whose views use virtual tables that can have side effects uses none of them, neither in the main thread nor in the reader thread', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'a.sqlite');
    openStore(file).close();
    const connection = new Database(file);
    connection.exec("CREATE VIEW harmful AS SELECT name AS n FROM pragma_table_info('users')");
    connection.close();

    const store = openStore(file);
    try {
      assert.throws(() => store.all('SELECT n FROM harmful'), /unsafe use of virtual table/);
      await assert.rejects(store.runInReader('SELECT n FROM harmful'), /unsafe use of virtual table/);
    } finally {
      store.close();
    }
  });
});
