import assert from 'node:assert/strict';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { eventKillCycles } from './eventKillCycles.ts';

describe('a server that is killed while 64 programs send it errors, again and again', () => {
  it('a server that is killed two hundred times has every acknowledged event', async function () {
    this.timeout(3_600_000);
    using folder = temporaryFolder();
    assert.ok((await eventKillCycles(folder.path, 200)) >= 20_000);
  });
});
