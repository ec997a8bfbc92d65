import assert from 'node:assert/strict';
import { endPlatform } from '../../server/createPlatform.ts';
import type { Exchange } from '../../server/http/exchange.ts';
import { offersSetUp } from '../../server/web/signIn.ts';
import { createTestPlatform } from '../support/server.ts';

describe("setting root's password without knowing one", () => {
  it('is offered to browsers on this machine only', () => {
    const platform = createTestPlatform();
    const from = (address: string): boolean => offersSetUp(platform, { address } as Exchange);
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) assert.equal(from(address), true, address);
    for (const address of ['192.168.1.7', '::ffff:192.168.1.7', 'fe80::1', '', '1270.0.0.1'])
      assert.equal(from(address), false, address);
    platform.store.run("UPDATE users SET password_hash = 'scrypt$' WHERE id = 1");
    assert.equal(from('127.0.0.1'), false, 'somebody has a password');
    endPlatform(platform);
  });
});
