import assert from 'node:assert/strict';
import { readStorageWeights } from '../../src/contract/storageMoves.ts';
import { createStorageList, movesOf, type StorageListState, type StorageSource } from '../../src/storages/model.ts';
import { storageRows } from '../../src/storages/rows.ts';
import { move } from './moves.ts';

const OLD = { name: 'old', weight: 100, projects: 3, bytes: 1_400_000 };
const NEW = { name: 'new', weight: 0, projects: undefined, bytes: undefined };

describe('the moves of a storage', () => {
  it('are those away from it, without projects that have a newer move', () => {
    const moves = [
      move(5, 1, 'scheduled'),
      move(4, 2, 'finished'),
      move(3, 3, 'failed'),
      move(2, 1, 'failed'),
      move(1, 4, 'started', 'other'),
    ];
    const { running, failed, done } = movesOf('old', moves);
    assert.deepEqual(
      [running, failed, done].map((list) => list.map(({ id }) => id)),
      [[5], [3], [4]],
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
    const rows = storageRows(ready([move(2, 1, 'started'), move(1, 2, 'failed')]), 'en');
    assert.deepEqual(
      rows.map(({ label, description }) => [label, description]),
      [
        ['new', 'more than 10,000 projects'],
        ['old', '3 projects · 1.4 MB · 1 moving · 1 failed'],
      ],
    );
    const [, old] = rows;
    assert.ok(old?.kind === 'storage');
    assert.equal(old.spoken, 'Storage old, 3 projects, 1.4 MB, 1 moving, 1 failed, Weight: 100');
    assert.deepEqual(
      old.rows.map(({ label, description }) => [label, description]),
      [
        ['group/p1', 'copying · to new'],
        ['group/p2', 'failed · to new'],
      ],
    );
  });

  it('say that there are no moves', () => {
    const [first] = storageRows(ready([]), 'en');
    assert.ok(first?.kind === 'storage');
    assert.deepEqual(
      first.rows.map(({ kind, label }) => [kind, label]),
      [['message', 'No moves away from this storage']],
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
