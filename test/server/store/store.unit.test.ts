import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { ForeignDatabase, NewerSchema } from '../../../server/store/migrate.ts';
import { migrations } from '../../../server/store/migrations.ts';
import { lockFolder, openStore, type Store } from '../../../server/store/open.ts';

describe('the store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('the store keeps data after closing and reopening, with full durability', () => {
    const file = path.join(folder, 'a.sqlite');
    const first = openStore(file);
    assert.equal(first.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous, 2);
    first.run("INSERT INTO instance (only, instance_id) VALUES (1, 'kept')");
    first.close();
    const second = openStore(file);
    assert.equal(second.get<{ instance_id: string }>('SELECT instance_id FROM instance')?.instance_id, 'kept');
    second.close();
  });

  describe('reads of one turn of the event loop', () => {
    const sql = 'SELECT instance_id FROM instance';
    const insert = "INSERT INTO instance (only, instance_id) VALUES (1, 'first')";
    const update = "UPDATE instance SET instance_id = 'second'";
    let store: Store;
    let other: InstanceType<typeof Database>;
    beforeEach(() => {
      store = openStore(path.join(folder, 'a.sqlite'));
      other = new Database(path.join(folder, 'a.sqlite'));
      store.run(insert);
    });
    afterEach(() => {
      other.close();
      store.close();
    });
    const idIn = (reader: Pick<Store, 'get'>): string | undefined => reader.get<{ instance_id: string }>(sql)?.instance_id;
    const idInOther = (): unknown => other.prepare(sql).pluck().get();

    it('reads share a transaction, so what another connection writes is seen in the next turn', async () => {
      assert.equal(idIn(store), 'first');
      other.exec(update);
      assert.equal(idIn(store), 'first');
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(idIn(store), 'second');
    });

    for (const [name, write] of [
      ['a statement that writes', () => store.run(update)],
      ['a statement that writes and returns rows', () => store.all(`${update} RETURNING only`)],
      ['a transaction that writes', () => store.transaction(() => store.run(update))],
    ] as const) {
      it(`${name} is committed at once after a read, and later reads see it`, () => {
        assert.equal(idIn(store), 'first');
        write();
        assert.deepEqual([idInOther(), idIn(store)], ['second', 'second']);
      });
    }

    it('a transaction sees its own changes, and no read ends it', () => {
      assert.equal(idIn(store), 'first');
      const failed = (): void =>
        store.transaction(() => {
          store.run(update);
          assert.equal(idIn(store), 'second');
          throw new Error('rolled back');
        });
      assert.throws(failed, /rolled back/);
      assert.equal(idIn(store), 'first');
    });
  });

  it('a copy in memory has everything that is committed, and changes nothing in the file', () => {
    const store = openStore(path.join(folder, 'a.sqlite'));
    store.run("INSERT INTO instance (only, instance_id) VALUES (1, 'kept')");
    assert.equal(store.copyInMemory(1000), undefined);
    const copy = store.copyInMemory(100_000_000);
    const idIn = (one: Store | undefined) => one?.get<{ instance_id: string }>('SELECT instance_id FROM instance')?.instance_id;
    assert.equal(idIn(copy), 'kept');
    copy?.run("UPDATE instance SET instance_id = 'changed'");
    assert.deepEqual([idIn(copy), idIn(store)], ['changed', 'kept']);
    copy?.close();
    store.close();
  });

  it('the store rolls a transaction back completely, including nested ones', () => {
    const store = openStore(':memory:');
    assert.throws(() =>
      store.transaction(() => {
        store.transaction(() => store.run("INSERT INTO instance (only, instance_id) VALUES (1, 'x')"));
        throw new Error('no');
      }),
    );
    assert.equal(store.get('SELECT * FROM instance'), undefined);
    store.close();
  });

  it('the store refuses a schema of a newer version and a file of another program', () => {
    const newer = path.join(folder, 'newer.sqlite');
    openStore(newer).close();
    const connection = new Database(newer);
    connection.pragma(`user_version = ${migrations.length + 1}`);
    connection.close();
    assert.throws(() => openStore(newer), NewerSchema);

    const foreign = path.join(folder, 'foreign.sqlite');
    const other = new Database(foreign);
    other.pragma('user_version = 1');
    other.close();
    assert.throws(() => openStore(foreign), ForeignDatabase);
  });

  for (const [operation, use] of [
    ['is read', (store: Store) => store.get('SELECT * FROM added')],
    ['is listed', (store: Store) => store.all('SELECT * FROM added')],
    ['is written', (store: Store) => store.run('INSERT INTO added VALUES (1)')],
  ] as const) {
    it(`the store remembers damage that shows when a statement is prepared by which something ${operation}`, () => {
      const file = path.join(folder, 'a.sqlite');
      openStore(file).close();
      const store = openStore(file);
      // Another connection changes the schema, so that this one reads it again and finds a table whose page does not exist.
      const other = new Database(file);
      other.unsafeMode();
      other.exec('CREATE TABLE added (one)');
      other.pragma('writable_schema = ON');
      other.exec("UPDATE sqlite_schema SET sql = 'CREATE TABLE' WHERE name = 'added'");
      other.close();
      assert.equal(store.damage(), undefined);
      assert.throws(() => use(store), { code: 'SQLITE_CORRUPT' });
      assert.match(store.damage() ?? '', /malformed/);
      store.close();
    });
  }

  it('the store gives a folder to one holder at a time', () => {
    const file = path.join(folder, 'lock.sqlite');
    const first = lockFolder(file);
    assert.ok(first);
    assert.equal(lockFolder(file), undefined);
    first.release();
    const again = lockFolder(file);
    assert.ok(again);
    again.release();
  });

  it('the store reports each migration before it runs', () => {
    const reported: string[] = [];
    openStore(':memory:', undefined, (done, total) => reported.push(`${done} of ${total}`)).close();
    assert.deepEqual(
      reported,
      migrations.map((_, index) => `${index} of ${migrations.length}`),
    );
  });

  describe('a transaction of several turns of the event loop', () => {
    function* writes(store: ReturnType<typeof openStore>): Generator<number, void> {
      for (const step of [1, 2, 3]) {
        store.run("INSERT INTO topics (name) VALUES ('topic ' || $step)", { step });
        yield step;
      }
    }
    const count = 'SELECT count(*) AS n FROM topics';

    it('a transaction of several turns of the event loop lets other work run between the steps, and shows no changes before the end', async () => {
      const file = path.join(folder, 'steps.sqlite');
      const store = openStore(file);
      const reader = new Database(file);
      const rows = reader.prepare(count);
      const turns: number[] = [];
      await store.transactionInSteps(
        () => writes(store),
        async (step) => {
          await new Promise((resolve) => setImmediate(resolve));
          assert.deepEqual(rows.get(), { n: 0 });
          turns.push(step);
        },
      );
      assert.deepEqual(turns, [1, 2, 3]);
      assert.deepEqual(rows.get(), { n: 3 });
      reader.close();
      store.close();
    });

    it('a transaction of several turns of the event loop rolls everything back when a step fails', async () => {
      const store = openStore(':memory:');
      await assert.rejects(
        store.transactionInSteps(
          () => writes(store),
          async (step) => {
            if (step === 2) throw new Error('no more');
          },
        ),
        /no more/,
      );
      assert.deepEqual(store.get(count), { n: 0 });
      store.transaction(() => store.run("INSERT INTO topics (name) VALUES ('after')"));
      assert.deepEqual(store.get(count), { n: 1 });
      store.close();
    });
  });
});
