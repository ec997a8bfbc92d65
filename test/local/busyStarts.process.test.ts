import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started beside two busy processes', () => {
  it('answers', async () => {
    // Whether the time limit is kept is seen in progress.process.test.ts, whatever the machine is like.
    await busyStarts(1, 2, { startTimer: () => ({ restart: () => undefined, stop: () => undefined }) });
  });
});
