import path from 'node:path';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { moveAtRandom } from './clockMoves.ts';

describe('scheduled work when the clock is moved', () => {
  it('leaves nothing overdue after 200 random sequences of 40 moves', async () => {
    for (let seed = 100; seed < 300; seed += 1) {
      using folder = temporaryFolder();
      await moveAtRandom(seed, path.join(folder.path, 'signalbox.sqlite'), 40, 5);
    }
  });
});
