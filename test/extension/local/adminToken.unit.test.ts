import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createAdminToken } from '../../../src/local/adminToken.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeLog, fakeSecrets } from '../../support/extension/fakes.ts';

describe('admin token of the local server', () => {
  it('the admin token is random, the same in every window, and masked in the log', async () => {
    const secrets = fakeSecrets();
    const mask = createMask();
    const token = await createAdminToken(secrets, '/data/one', mask, fakeLog())();
    assert.match(token, /^[0-9a-f]{64}$/);
    assert.equal(mask.apply(`it is ${token}.`), 'it is •••.');
    const other = createMask();
    assert.equal(await createAdminToken(secrets, '/data/one', other, fakeLog())(), token);
    assert.equal(other.apply(`>${token}<`), '>•••<');
  });

  it('the admin token differs between data folders', async () => {
    const secrets = fakeSecrets();
    const one = await createAdminToken(secrets, '/data/one', createMask(), fakeLog())();
    const two = await createAdminToken(secrets, '/data/two', createMask(), fakeLog())();
    assert.notEqual(one, two);
  });

  it('the admin token is limited to this window if the secret storage fails, and does not appear in the log', async () => {
    const refusal = (): Promise<never> => Promise.reject(new Error('the keyring is locked'));
    const log = fakeLog();
    const token = createAdminToken({ ...fakeSecrets(), get: refusal, store: refusal }, '/data/one', createMask(), log);
    const value = await token();
    assert.equal(await token(), value);
    assert.match(log.lines.join('\n'), /keyring is locked/);
    assert.ok(!log.lines.join('\n').includes(value));
  });

  it('the admin token is created again if the stored value is invalid', async () => {
    const secrets = fakeSecrets();
    secrets.values.set('local/adminToken//data/one', 'short');
    assert.match(await createAdminToken(secrets, '/data/one', createMask(), fakeLog())(), /^[0-9a-f]{64}$/);
  });
});
