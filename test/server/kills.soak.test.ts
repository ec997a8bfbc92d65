import assert from 'node:assert/strict';
import { temporaryFolder } from '../support/serverProcess.ts';
import { killCycles } from './killCycles.ts';

describe('a server that is killed while it writes, a hundred times', () => {
  it('has every acknowledged issue and its event at the end', async () => {
    using folder = temporaryFolder();
    const acknowledged = await killCycles(folder.path, 100);
    assert.ok(acknowledged >= 2000);
    console.log(`      ${acknowledged} acknowledged, none missing`);
  });
});
