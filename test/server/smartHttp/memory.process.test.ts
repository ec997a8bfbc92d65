import assert from 'node:assert/strict';
import { canReadMemory } from '../../support/anonymousMemory.ts';
import { measureTransfers } from './transferMemory.ts';

describe('memory of transfers', () => {
  it('a push and a clone of 128 MB take at most 64 MB in the server and 256 MB in its git processes', async function () {
    // Only Linux shows the anonymous memory of other processes.
    if (!canReadMemory) return this.skip();
    for (const { operation, server, git } of await measureTransfers(128)) {
      assert.ok(git > 0, 'no git process was measured');
      const text = `${operation}: ${Math.round(server)} MiB in the server, ${Math.round(git)} MiB in git`;
      assert.ok(server <= 64 && git <= 256, text);
    }
  });
});
