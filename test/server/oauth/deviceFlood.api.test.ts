import { floodDeviceGrants } from './deviceFlood.ts';

describe('many device grants from loopback addresses', () => {
  it('many device grants from loopback addresses block neither other clients nor new grants of the same client', () =>
    floodDeviceGrants(60));
});
