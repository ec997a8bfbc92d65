import assert from 'node:assert/strict';
import { throttled } from '../../../src/support/throttled.ts';
import { manualClock } from '../../support/extension/manualClock.ts';

describe('work that runs at most once a second', () => {
  it('work that runs at most once a second runs at once, then at the end of each second with calls, and never without one', async () => {
    const { now, after, pass } = manualClock();
    const runs: number[] = [];
    let calls = 0;
    /** Number of calls that the latest run has seen. */
    let seen = 0;
    const call = throttled(
      () => {
        runs.push(now());
        seen = calls;
      },
      1_000,
      after,
    );
    const callNow = (): void => {
      calls += 1;
      call();
    };
    callNow();
    assert.deepEqual(runs, [0]);
    for (let count = 0; count < 999; count += 1) {
      callNow();
      await pass(3);
    }
    assert.deepEqual(runs, [0, 1_000, 2_000]);
    await pass(10_000);
    assert.deepEqual([runs, seen], [[0, 1_000, 2_000, 3_000], 1_000], 'the last call is not lost');
    callNow();
    assert.equal(runs.at(-1), now(), 'at once after a pause');
    callNow();
    call.dispose();
    await pass(10_000);
    assert.equal(seen, 1_001, 'nothing after the end');
  });
});
