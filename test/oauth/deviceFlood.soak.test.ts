import { floodDeviceGrants } from './deviceFlood.ts';

describe('2,000 device grants from this machine', () => {
  it('keep nobody from finishing a grant of another client, nor from beginning one of the same', () => floodDeviceGrants(2000));
});
