import assert from 'node:assert/strict';
import { temporaryFolder } from '../support/serverProcess.ts';
import { killCycles } from './killCycles.ts';

describe('a server that is killed while it writes', () => {
  it('has every acknowledged issue and its event after the restart', async function () {
    using folder = temporaryFolder();
    assert.ok((await killCycles(folder.path, 3)) >= 60);
  });
});
