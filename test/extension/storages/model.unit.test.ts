import assert from 'node:assert/strict';
import { type OwnerKind, readStorageWeights, storageMoveReader } from '../../../src/contract/storageMoves.ts';
import { createStorageList, movesOf, type StorageListState, type StorageSource } from '../../../src/storages/model.ts';
import { formatCounts, formatRemaining, storageRows } from '../../../src/storages/rows.ts';
import type { StorageCheck } from '../../../src/storages/watch.ts';
import { move, ownerOf } from './moves.ts';

const OLD = { name: 'old', weight: 100, projects: 3, local: { snippets: 1, groups: 0, bytes: 1_400_000 } };
const NEW = { name: 'new', weight: 0, projects: undefined, local: undefined };

describe('the moves of a storage', () => {
  it('are those away from it, without owners that have a newer move', () => {
    const moves = [
      move(5, 1, 'scheduled'),
      move(4, 2, 'finished'),
      move(3, 3, 'failed'),
      move(2, 1, 'failed'),
      move(1, 4, 'started', { source_storage_name: 'other' }),
      move(1, 1, 'failed', { owner: ownerOf('snippet', 1) }),
    ];
    const { running, failed, done } = movesOf('old', moves);
    assert.deepEqual(
      [running, failed, done].map((list) => list.map(({ id }) => id)),
      [[5], [3, 1], [4]],
    );
  });

  it('count a move whose old copy remains as done', () => {
    assert.equal(movesOf('old', [move(1, 1, 'cleanup failed')]).done.length, 1);
  });
});

describe('the rows of storages', () => {
  const ready = (moves: (StorageListState & { kind: 'ready' })['moves']): StorageListState => ({
    kind: 'ready',
    storages: [NEW, OLD],
    moves,
  });

  it('show projects, size, and running and failed moves', () => {
    const rows = storageRows(
      ready([
        move(2, 1, 'started'),
        move(1, 2, 'failed', { error_message: 'disk full' }),
        move(1, 1, 'finished', { owner: ownerOf('snippet', 1) }),
        move(1, 1, 'finished', { owner: ownerOf('group', 1) }),
      ]),
      'account',
      'en',
    );
    assert.deepEqual(
      rows.map(({ label, description }) => [label, description]),
      [
        ['new', 'more than 10,000 projects'],
        ['old', '3 projects · 1 snippet · 1.4 MB · 1 moving · 1 failed'],
      ],
    );
    const [, old] = rows;
    assert.ok(old?.kind === 'storage');
    assert.equal(old.spoken, 'Storage old, 3 projects, 1 snippet, 1.4 MB, 1 moving, 1 failed, Weight: 100');
    assert.deepEqual(
      old.rows.map(({ label, description }) => [label, description]),
      [
        ['group/p1', 'copying · to new'],
        ['group/p2', 'failed · to new · disk full'],
        ['snippet 1', 'snippet · moved · to new'],
        ['group 1', 'group · moved · to new'],
      ],
    );
    assert.equal(new Set(old.rows.map(({ id }) => id)).size, 4);
  });

  it('say that there are no moves', () => {
    const [first] = storageRows(ready([]), 'account', 'en');
    assert.ok(first?.kind === 'storage');
    assert.deepEqual(
      first.rows.map(({ kind, label }) => [kind, label]),
      [['message', 'No moves away from this storage']],
    );
  });
});

describe('the texts about what is on a storage', () => {
  it('name each kind with its number, and say “all” where there is no number', () => {
    const formatted = (...counts: readonly (readonly [OwnerKind, number | undefined])[]) => formatCounts(new Map(counts), 'en');
    assert.equal(formatted(['project', 12], ['snippet', 3], ['group', 0]), '12 projects and 3 snippets');
    assert.equal(formatted(['project', 1], ['snippet', 1], ['group', 1]), '1 project, 1 snippet, and 1 group');
    assert.equal(formatted(['project', undefined], ['snippet', undefined]), 'more than 10,000 projects and all snippets');
    assert.equal(formatted(['project', 0], ['group', undefined]), 'all groups');
    assert.equal(formatted(['project', 0], ['group', 0]), '0 projects');
  });

  it('say that a storage is empty only if the instance has counted everything', () => {
    const found = { projects: [], running: 0, failed: 0 };
    const text = (remaining: readonly (readonly [OwnerKind, number | undefined])[], other: Partial<StorageCheck> = {}) =>
      formatRemaining('old', { ...found, remaining: new Map(remaining), ...other }, 'en');
    const none = [['project', 0] as const, ['snippet', 0] as const];
    assert.equal(text(none), 'Nothing is left on old, and all recent moves have finished.');
    assert.equal(text(none, { running: 1, failed: 2 }), 'Nothing is left on old. Running moves: 1. Failed moves: 2.');
    assert.equal(
      text([...none, ['group', undefined]]),
      'Nothing that the instance counts is left on old. The instance does not count the groups on a storage.',
    );
    assert.equal(
      text(
        [
          ['project', 2],
          ['snippet', undefined],
        ],
        { projects: ['a/b', 'a/c'] },
      ),
      'Still on old: 2 projects. Projects: a/b, a/c. The instance does not count the snippets on a storage.',
    );
    assert.equal(
      text(
        [
          ['project', undefined],
          ['snippet', 1],
        ],
        { projects: ['a/b'] },
      ),
      'Still on old: more than 10,000 projects and 1 snippet. Projects: a/b, ….',
    );
  });
});

describe('the list of storages', () => {
  const source = (key: string, storages: StorageSource['storages']): StorageSource => ({ key, storages, moves: async () => [] });

  it('keeps what it has when a request fails, and says why', async () => {
    const list = createStorageList();
    let isFailing = false;
    const failing = async () => {
      if (isFailing) throw new Error('offline');
      return [OLD];
    };
    list.setSource(source('a', failing));
    assert.equal(await list.refresh(), true);
    isFailing = true;
    assert.equal(await list.refresh(), false);
    const state = list.state();
    assert.ok(state.kind === 'ready' && state.problem instanceof Error);
    assert.deepEqual(state.storages, [OLD]);
  });

  it('ignores a response for another account', async () => {
    const list = createStorageList();
    const slow = Promise.withResolvers<readonly (typeof OLD)[]>();
    list.setSource(source('a', () => slow.promise));
    const refreshing = list.refresh();
    list.setSource(source('b', async () => []));
    slow.resolve([OLD]);
    await refreshing;
    assert.equal(list.state().kind, 'idle');
  });
});

describe('moves of repositories', () => {
  it('are read with their owner and the reason of a failure', () => {
    const wire = { id: 1, created_at: 'now', state: 'failed', source_storage_name: 'old', destination_storage_name: 'new' };
    const read = storageMoveReader('snippet');
    const { owner, error_message } = read({ ...wire, error_message: 'no', snippet: { id: 3, title: 'Lamps' } }) ?? {};
    assert.deepEqual([owner, error_message], [{ kind: 'snippet', id: 3, name: 'Lamps' }, 'no']);
    assert.equal(read({ ...wire, snippet: { id: 3, title: 'Lamps' } })?.error_message, null);
    for (const other of [null, wire, { ...wire, snippet: null }, { ...wire, snippet: {} }, { ...wire, project: { id: 1 } }])
      assert.equal(read(other), undefined);
  });
});

describe('the weights of storages', () => {
  it('are read from the application settings', () => {
    const weights = readStorageWeights({ repository_storages_weighted: { default: 100, other: 0 } });
    assert.deepEqual(
      [...(weights ?? [])],
      [
        ['default', 100],
        ['other', 0],
      ],
    );
    assert.equal(readStorageWeights({}), undefined);
  });
});
