import assert from 'node:assert/strict';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { killCycles } from './killCycles.ts';

describe('a server killed a hundred times while it writes', () => {
  it('keeps every acknowledged issue and its event', async () => {
    using folder = temporaryFolder();
    const acknowledged = await killCycles(folder.path, 100);
    assert.ok(acknowledged >= 2000);
    console.log(`      ${acknowledged} acknowledged, none missing`);
  });
});
