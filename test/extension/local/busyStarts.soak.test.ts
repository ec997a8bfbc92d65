import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started twenty times while four processes keep the processors busy', () => {
  it('a server that is started twenty times on a very busy machine responds to requests each time', async () => {
    await busyStarts(20, 4);
  });
});
