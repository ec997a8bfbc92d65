import assert from 'node:assert/strict';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { killCycles } from './killCycles.ts';

describe('a server killed while it writes', () => {
  it('a server killed while it writes keeps every acknowledged issue and its event', async function () {
    using folder = temporaryFolder();
    assert.ok((await killCycles(folder.path, 3)) >= 60);
  });
});
