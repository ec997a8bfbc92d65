import { floodDeviceGrants } from './deviceFlood.ts';

describe('2,000 device grants from loopback addresses', () => {
  it('2,000 device grants from loopback addresses block neither other clients nor new grants of the same client', () =>
    floodDeviceGrants(2000));
});
