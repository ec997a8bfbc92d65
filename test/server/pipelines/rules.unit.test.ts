import assert from 'node:assert/strict';
import { type Part, type Status, statuses, statusOf, timesAfter } from '../../../server/features/pipelines/rules.ts';

const parts = (...list: string[]): Part[] =>
  list.map((text) => {
    const status = statuses.find((known) => known === text.replace('?', ''));
    assert.ok(status !== undefined, text);
    return { status, allowFailure: text.endsWith('?') };
  });

describe('the state of a pipeline follows from its jobs', () => {
  const table: readonly (readonly [jobs: readonly string[], status: Status | undefined])[] = [
    [[], undefined],
    [['success', 'success'], 'success'],
    [['success', 'skipped'], 'success'],
    [['success', 'failed'], 'failed'],
    [['success', 'failed?'], 'success'],
    [['failed?'], 'success'],
    [['skipped', 'skipped'], 'skipped'],
    [['skipped', 'manual?'], 'skipped'],
    [['success', 'manual?'], 'success'],
    [['success', 'manual'], 'manual'],
    [['created', 'created'], 'created'],
    [['preparing', 'preparing'], 'preparing'],
    [['pending', 'created'], 'pending'],
    [['success', 'pending'], 'running'],
    [['success', 'created'], 'running'],
    [['failed', 'running'], 'running'],
    [['failed', 'running', 'canceling'], 'canceling'],
    [['success', 'canceled'], 'canceled'],
    [['failed', 'canceled'], 'failed'],
    [['canceled?', 'success'], 'success'],
    [['success', 'scheduled'], 'scheduled'],
    [['failed', 'waiting_for_resource'], 'waiting_for_resource'],
  ];
  for (const [jobs, status] of table) {
    it(`the state of a pipeline with the jobs ${jobs.join(', ') || 'none'} is ${String(status)}`, () =>
      assert.equal(statusOf(parts(...jobs)), status));
  }
});

it('a run has start and end times, which are reset when it is queued again', () => {
  const fresh = { started_at: null, finished_at: null };
  const running = timesAfter(fresh, 'running', 10);
  assert.deepEqual(running, { started_at: 10, finished_at: null });
  const failed = timesAfter(running, 'failed', 25);
  assert.deepEqual(failed, { started_at: 10, finished_at: 25 });
  assert.deepEqual(timesAfter(failed, 'success', 30), failed);
  assert.deepEqual(timesAfter(failed, 'pending', 40), fresh);
  assert.deepEqual(timesAfter(fresh, 'canceled', 7), { started_at: null, finished_at: 7 });
});
