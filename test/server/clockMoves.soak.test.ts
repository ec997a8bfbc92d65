import path from 'node:path';
import { temporaryFolder } from '../support/serverProcess.ts';
import { moveAtRandom } from './clockMoves.ts';

describe('scheduled work', () => {
  it('is done after any of 200 sequences of 40 moves of the clock', async () => {
    for (let seed = 100; seed < 300; seed += 1) {
      using folder = temporaryFolder();
      await moveAtRandom(seed, path.join(folder.path, 'signalbox.sqlite'), 40, 5);
    }
  });
});
