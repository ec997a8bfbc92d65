import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { preparedStatements, withFixedPlan } from '../../../server/store/statements.ts';

describe('prepared statements', () => {
  it('the plan of a statement does not depend on its parameters', () => {
    assert.equal(
      withFixedPlan('SELECT a FROM t WHERE b = $b AND c LIKE ? LIMIT $limit'),
      'SELECT a FROM t WHERE b = +$b AND c LIKE +? LIMIT +$limit',
    );
  });

  it('texts, quoted names and comments stay as they are', () => {
    for (const sql of [
      `SELECT '$a', "$b?" FROM t`,
      `SELECT 'it''s $a?' FROM t`,
      'SELECT a -- of $b, or not?\nFROM t',
      'SELECT a /* $b?\n */ FROM t',
    ])
      assert.equal(withFixedPlan(sql), sql);
  });

  it('all kinds of values are stored and found as they are', () => {
    using connection = Object.assign(new Database(':memory:'), { [Symbol.dispose]: () => connection.close() });
    connection.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, value ANY) STRICT');
    const prepared = preparedStatements(connection);
    for (const value of ['7', 7, 7.5, null, Buffer.from('7'), '-x', '']) {
      const { lastInsertRowid: id } = prepared('INSERT INTO t (value) VALUES ($value)').run({ value });
      const row = prepared('SELECT value, typeof(value) AS type FROM t WHERE id = $id AND value IS $value').get({ id, value });
      const type = connection.prepare('SELECT typeof(?) AS type').pluck().get(value);
      assert.deepEqual(row, { value, type: typeof value === 'number' && Number.isInteger(value) ? 'real' : type });
    }
  });
});
