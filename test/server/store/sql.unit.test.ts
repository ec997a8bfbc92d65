import assert from 'node:assert/strict';
import { openStore, type Store } from '../../../server/store/open.ts';
import { beginCondition, likePattern, likeSql } from '../../../server/store/sql.ts';

describe('SQL conditions', () => {
  let store: Store;
  before(() => {
    store = openStore(':memory:');
    for (const name of ['100%', '100x', 'a_b', 'axb', 'Oh!', 'x!b'])
      store.run('INSERT INTO topics (name) VALUES ($name)', { name });
  });
  after(() => store.close());

  function found(pattern: string): string[] {
    const sql = `SELECT name FROM topics WHERE ${likeSql(['name'], '$pattern')} ORDER BY id`;
    return store.all<{ name: string }>(sql, { pattern }).map(({ name }) => name);
  }

  for (const [text, names] of [
    ['0%', ['100%']],
    ['_', ['a_b']],
    ['!', ['Oh!', 'x!b']],
    ['oH', ['Oh!']],
    ['', ['100%', '100x', 'a_b', 'axb', 'Oh!', 'x!b']],
  ] as const)
    it(`the search for "${text}" takes it literally and ignores its case`, () =>
      assert.deepEqual(found(likePattern(text)), names));

  it('a search can be tied to the start or the end of a value', () => {
    assert.deepEqual(found(likePattern('x', { atStart: true })), ['x!b']);
    assert.deepEqual(found(likePattern('x', { atEnd: true })), ['100x']);
    assert.deepEqual(found(likePattern('axb', { atStart: true, atEnd: true })), ['axb']);
  });

  it('a search looks in each of its columns', () => {
    const { addSearch, whole } = beginCondition({});
    addSearch('text', ['id', 'name'], '1');
    const { where, params } = whole();
    assert.deepEqual(store.all(`SELECT id FROM topics WHERE ${where} ORDER BY id`, params), [{ id: 1 }, { id: 2 }]);
  });

  it('a search without text restricts nothing', () => {
    for (const text of [undefined, '']) {
      const { addSearch, whole } = beginCondition({});
      addSearch('text', ['name'], text);
      assert.deepEqual(whole(), { where: 'true', params: {} });
    }
  });
});
