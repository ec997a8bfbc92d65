import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { preparedStatements } from '../../../server/store/statements.ts';

describe('prepared statements', () => {
  it('prepared statements are cached while they are in use, and dropped after many others', () => {
    const connection = new Database(':memory:');
    const prepared = preparedStatements(connection);
    const used = prepared('SELECT 1');
    const left = prepared('SELECT 2');
    for (let number = 0; number < 2000; number += 1) {
      assert.equal(prepared(`SELECT ${number} AS n`).all()[0] instanceof Object, true);
      if (number % 100 === 0) assert.equal(prepared('SELECT 1'), used);
    }
    assert.notEqual(prepared('SELECT 2'), left);
    connection.close();
  });
});
