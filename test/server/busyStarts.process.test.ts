import { describe, it } from 'mocha';
import { busyStarts } from './busyStarts.ts';

describe('a server with demo data that is started beside two busy processes', () => {
  it('answers', async () => {
    await busyStarts(1, 2);
  });
});
