import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { randomFrom } from '../support/random.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { refreshKillCycles } from './refreshKills.ts';

const CYCLES = 100;

describe('a server that is killed while it renews tokens, a hundred times', () => {
  it('has one pair of every sign-in, and refuses a client exactly when its pair did not arrive', async () => {
    using container = temporaryFolder();
    const seed = Number(process.env['SIGNALBOX_TEST_SEED'] ?? Date.now() % 2 ** 32);
    const { wentOn, signedInAgain } = await refreshKillCycles(`${container.path}/data`, CYCLES, randomFrom(seed));
    assert.equal(wentOn + signedInAgain, 8 * CYCLES);
    assert.ok(wentOn > 0 && signedInAgain > 0, `${wentOn} went on, ${signedInAgain} signed in again`);
    console.log(`      ${wentOn} clients went on, ${signedInAgain} signed in again`);
  });
});
