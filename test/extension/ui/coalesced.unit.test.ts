import assert from 'node:assert/strict';
import { coalesced } from '../../../src/ui/coalesced.ts';

describe('coalesced work', () => {
  it('runs once after all calls of a turn, and again for calls of a later turn', async () => {
    const runs: number[] = [];
    let calls = 0;
    const run = coalesced(() => runs.push(calls));
    for (calls = 1; calls < 3; calls += 1) run();
    assert.deepEqual(runs, []);
    await Promise.resolve();
    assert.deepEqual(runs, [3]);
    run();
    await Promise.resolve();
    assert.deepEqual(runs, [3, 3]);
  });

  it('runs again when it calls itself', async () => {
    let runs = 0;
    const run = coalesced(() => {
      runs += 1;
      if (runs < 3) run();
    });
    run();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    assert.equal(runs, 3);
  });
});
