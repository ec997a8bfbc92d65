import assert from 'node:assert/strict';
import { createRequestQueue } from '../../../src/workspaceProjects/requestQueue.ts';

describe('a request queue', () => {
  it('runs a limited number of requests at a time, in the order of the calls, also after failures', async () => {
    const queue = createRequestQueue(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const work = (at: number) =>
      queue(async () => {
        begun.push(at);
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        if (at % 2 === 0) throw new Error('failed');
        return at;
      });
    const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work));
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5]);
    assert.equal(most, 2);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      ['failed', 1, 'failed', 3, 'failed', 5],
    );
  });
});
