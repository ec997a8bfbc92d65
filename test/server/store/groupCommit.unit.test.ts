import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openStore, type Store } from '../../../server/store/open.ts';

describe('transactions that share a commit', () => {
  let folder: string;
  let file: string;
  let store: Store;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-store-'));
    file = path.join(folder, 'a.sqlite');
    store = openStore(file);
    store.run('CREATE TABLE marks (name TEXT UNIQUE)');
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const mark = (name: string) => store.run('INSERT INTO marks VALUES ($name)', { name });
  const logSize = (): number => statSync(`${file}-wal`).size;

  /** Returns the rows as another connection sees them, which are only the committed ones. */
  function committed(): readonly unknown[] {
    const other = new Database(file, { readonly: true });
    try {
      return other.prepare('SELECT name FROM marks ORDER BY name').pluck().all();
    } finally {
      other.close();
    }
  }

  it('transactions that share a commit are committed when they resolve, in the order of the calls', async () => {
    const order: string[] = [];
    const work = (name: string) => () => {
      order.push(name);
      mark(name);
      return name;
    };
    const both = Promise.all([store.groupCommit(work('b')), store.groupCommit(work('a'))]);
    assert.deepEqual(committed(), []);
    assert.deepEqual(await both, ['b', 'a']);
    assert.deepEqual(order, ['b', 'a']);
    assert.deepEqual(committed(), ['a', 'b']);
  });

  it('transactions that share a commit flush to disk once', async () => {
    await store.groupCommit(() => mark('first'));
    const before = logSize();
    await store.groupCommit(() => mark('alone'));
    const one = logSize() - before;
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.groupCommit(() => mark(`together ${n}`))));
    assert.ok(one > 0);
    assert.equal(logSize() - before, 2 * one);
  });

  it('transactions that share a commit roll back only the work that throws', async () => {
    const outcomes = await Promise.allSettled([
      store.groupCommit(() => mark('a')),
      store.groupCommit(() => {
        store.transaction(() => mark('b'));
        throw new Error('not this one');
      }),
      store.groupCommit(() => mark('c')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(committed(), ['a', 'c']);
  });

  it('transactions that share a commit all run again when one throws, and each of the others is committed once', async () => {
    let runs = 0;
    await Promise.allSettled([
      store.groupCommit(() => mark(`a${(runs += 1)}`)),
      store.groupCommit(() => {
        throw new Error('not this one');
      }),
    ]);
    assert.equal(runs, 2);
    assert.deepEqual(committed(), ['a2']);
  });

  it('transactions that share a commit roll back a single work that throws, and later ones succeed', async () => {
    const lone = store.groupCommit(() => {
      mark('a');
      throw new Error('not this one');
    });
    await assert.rejects(lone, /not this one/);
    await store.groupCommit(() => mark('b'));
    assert.deepEqual(committed(), ['b']);
  });

  it('transactions that share a commit all fail when the transaction itself is lost, and later ones succeed', async () => {
    const outcomes = await Promise.allSettled([
      store.groupCommit(() => mark('a')),
      store.groupCommit(() => store.run("INSERT OR ROLLBACK INTO marks VALUES ('a')")),
      store.groupCommit(() => mark('c')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.deepEqual(committed(), []);
    await store.groupCommit(() => mark('d'));
    assert.deepEqual(committed(), ['d']);
  });
});
