import assert from 'node:assert/strict';
import path from 'node:path';
import Database from 'better-sqlite3';
import { checkDatabase, damageInFile, openStore } from '../../../server/store/open.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('damage of a full-text index', () => {
  it('damage of a full-text index is found by the check of the virtual table', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'a.sqlite');
    const store = openStore(file);
    for (let row = 1; row < 100; row += 1)
      store.run('INSERT INTO tracked_search (rowid, words) VALUES ($row, $words)', { row, words: `crane ${row * 7919}` });
    store.close();
    checkDatabase(file);
    assert.equal(await damageInFile(file), undefined);
    const connection = new Database(file);
    connection.unsafeMode();
    connection.exec('UPDATE tracked_search_data SET block = zeroblob(length(block)) WHERE id > 100');
    connection.close();
    assert.throws(() => checkDatabase(file), { code: /^SQLITE_CORRUPT/ });
    assert.match((await damageInFile(file)) ?? '', /tracked_search/);
  });
});
