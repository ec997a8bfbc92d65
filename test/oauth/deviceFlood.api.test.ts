import { floodDeviceGrants } from './deviceFlood.ts';

describe('many device grants from this machine', () => {
  it('keep nobody from finishing a grant of another client, nor from beginning one of the same', () => floodDeviceGrants(60));
});
