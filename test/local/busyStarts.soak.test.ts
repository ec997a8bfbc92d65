import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started twenty times while four processes keep the processors busy', () => {
  it('responds to requests each time', async () => {
    await busyStarts(20, 4);
  });
});
