import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started twenty times beside four busy processes', () => {
  it('answers each time', async () => {
    await busyStarts(20, 4);
  });
});
