import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { randomOf } from '../../support/seed.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { refreshKillCycles } from './refreshKills.ts';

const CYCLES = 100;

describe('a server killed a hundred times during refreshes', () => {
  it('one pair of every sign-in is left, and a client is refused exactly when its new pair did not arrive', async () => {
    using container = temporaryFolder();
    const { continued, signedInAgain } = await refreshKillCycles(
      `${container.path}/data`,
      CYCLES,
      randomOf('kills during refreshes'),
    );
    assert.equal(continued + signedInAgain, 8 * CYCLES);
    assert.ok(continued > 0 && signedInAgain > 0, `${continued} continued, ${signedInAgain} signed in again`);
    console.log(`      ${continued} clients continued, ${signedInAgain} signed in again`);
  });
});
