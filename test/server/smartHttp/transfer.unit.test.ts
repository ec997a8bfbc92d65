import assert from 'node:assert/strict';
import { continued } from '../../../server/features/smartHttp/transfer.ts';

const SIGN_OF_LIFE = Buffer.from('0005\u0001');

describe('output of git', () => {
  it('ends if there are only signs of life', async () => {
    let hasEnded = false;
    const alive = async function* alive(): AsyncGenerator<Buffer> {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (hasEnded) return;
        yield SIGN_OF_LIFE;
      }
    };
    for await (const chunk of continued(alive(), 1, () => (hasEnded = true))) assert.equal(chunk, SIGN_OF_LIFE);
    assert.ok(hasEnded);
  });

  it('is passed on completely, and ends nothing', async () => {
    const parts = [SIGN_OF_LIFE, Buffer.alloc(5000, 1), Buffer.from('end')];
    const given = async function* given(): AsyncGenerator<Buffer> {
      yield* parts;
    };
    const passed: Buffer[] = [];
    for await (const chunk of continued(given(), 1_000_000, () => assert.fail('ended'))) passed.push(chunk);
    assert.deepEqual(passed, parts);
  });
});
