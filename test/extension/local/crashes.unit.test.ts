import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createCrashPolicy } from '../../../src/local/crashes.ts';
import { fakeClock } from '../../support/extension/fakes.ts';

const MINUTE = 60_000;

describe('restarts after unexpected exits', () => {
  it('restarts after unexpected exits happen after increasing pauses, and no longer after four exits in three minutes', () => {
    const clock = fakeClock();
    const policy = createCrashPolicy(clock.now);
    assert.deepEqual(policy.ended(0), { kind: 'restart', count: 1, pause: 1_000 });
    assert.deepEqual(policy.ended(0), { kind: 'restart', count: 2, pause: 2_000 });
    assert.deepEqual(policy.ended(0), { kind: 'restart', count: 3, pause: 5_000 });
    assert.deepEqual(policy.ended(0), { kind: 'giveUp', times: 4 });
  });

  it('restarts after unexpected exits continue with the longest pause if exits are rarer than that', () => {
    const clock = fakeClock();
    const policy = createCrashPolicy(clock.now);
    const pauses = Array.from({ length: 6 }, () => {
      clock.advance(MINUTE + 1_000);
      const decision = policy.ended(MINUTE);
      return decision.kind === 'restart' ? decision.pause : decision.kind;
    });
    assert.deepEqual(pauses, [1_000, 2_000, 5_000, 10_000, 10_000, 10_000]);
  });

  it('restarts after unexpected exits start again with the shortest pause after three minutes of running or after a manual start', () => {
    const clock = fakeClock();
    const policy = createCrashPolicy(clock.now);
    policy.ended(0);
    policy.ended(0);
    clock.advance(3 * MINUTE);
    assert.deepEqual(policy.ended(3 * MINUTE), { kind: 'restart', count: 1, pause: 1_000 });
    policy.ended(0);
    policy.forget();
    assert.deepEqual(policy.ended(0), { kind: 'restart', count: 1, pause: 1_000 });
  });
});
