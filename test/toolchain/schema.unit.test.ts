import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { formatTable, schemaOf } from '../../scripts/schema.ts';
import { openStore, type Store } from '../../server/store/open.ts';

const text = readFileSync(path.join(import.meta.dirname, '../../server/store/schema.sql'), 'utf8');

describe('schema.sql', () => {
  let migrated: Store;
  let created: Database.Database;
  before(() => {
    migrated = openStore(':memory:');
    created = new Database(':memory:');
  });
  after(() => {
    migrated.close();
    created.close();
  });

  it('makes the same schema as the migrations', () => {
    created.exec(text);
    assert.equal(schemaOf({ all: <Row>(sql: string) => created.prepare<[], Row>(sql).all() }), schemaOf(migrated));
    for (const [pragma, order] of [
      ['table_xinfo', 'cid'],
      ['foreign_key_list', 'id, c.seq'],
    ] as const) {
      const sql = `SELECT t.name AS owner, c.* FROM pragma_table_list t, pragma_${pragma}(t.name) c ORDER BY owner, c.${order}`;
      assert.deepEqual(created.prepare(sql).all(), migrated.all(sql));
    }
  });

  it('lists tables and views by name, each followed by its indexes and triggers', () => {
    const names: string[] = [];
    for (const [, table, owner] of text.matchAll(
      /^CREATE (?:(?:VIRTUAL TABLE|TABLE|VIEW) (\w+)|(?:UNIQUE INDEX|INDEX|TRIGGER) .*? ON (\w+))/gm,
    )) {
      if (table !== undefined) names.push(table);
      else assert.equal(owner, names.at(-1));
    }
    assert.ok(names.length > 100);
    assert.deepEqual(names, names.toSorted());
  });

  it('has each column of a table on a line of its own, also those that were added', () => {
    assert.equal(
      formatTable(`CREATE TABLE "a" (
  id INTEGER PRIMARY KEY,
  -- One, two.
  kind TEXT NOT NULL CHECK (kind IN ('x', 'y,z')), size INTEGER DEFAULT 0
  CHECK (size >= -1), at INTEGER
) STRICT`),
      `CREATE TABLE a (
  id INTEGER PRIMARY KEY,
  -- One, two.
  kind TEXT NOT NULL CHECK (kind IN ('x', 'y,z')),
  size INTEGER DEFAULT 0
    CHECK (size >= -1),
  at INTEGER
) STRICT`,
    );
  });
});
