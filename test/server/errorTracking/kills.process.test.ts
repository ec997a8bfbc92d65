import assert from 'node:assert/strict';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { eventKillCycles } from './eventKillCycles.ts';

describe('a server that is killed while 64 programs send it errors', () => {
  it('a killed server has every acknowledged event after the restart, with correct counts', async function () {
    using folder = temporaryFolder();
    assert.ok((await eventKillCycles(folder.path, 5)) >= 500);
  });
});
