import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started while two processes keep the processors busy', () => {
  it('a server that is started on a busy machine responds to requests', async () => {
    // progress.process.test.ts tests the time limit, independently of the speed of the machine.
    await busyStarts(1, 2, { startTimer: () => ({ restart: () => undefined, stop: () => undefined }) });
  });
});
