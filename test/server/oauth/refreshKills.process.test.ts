import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { randomFrom } from '../../support/random.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { refreshKillCycles, samplePoints, testRefreshKills } from './refreshKills.ts';

describe('a server killed during a refresh', () => {
  testRefreshKills(samplePoints('steps of a refresh'));

  it('a client is refused exactly when its new pair did not arrive, wherever the server is killed', async () => {
    using container = temporaryFolder();
    const { continued, signedInAgain } = await refreshKillCycles(`${container.path}/data`, 3, randomFrom(20));
    assert.equal(continued + signedInAgain, 24);
  });
});
