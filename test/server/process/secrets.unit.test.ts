import assert from 'node:assert/strict';
import { numberedSecret, numberInSecret, randomSecret } from '../../../server/core/secrets.ts';

describe('numbered secrets', () => {
  it('numbered secrets look like all others and contain their number', () => {
    for (const number of [1, 2, 255, 4096, 2 ** 31, 2 ** 32 + 1, 2 ** 48 - 1]) {
      const secret = numberedSecret(number);
      assert.match(secret, /^[0-9a-f]{64}$/);
      assert.equal(numberInSecret(secret), number);
    }
    assert.equal(new Set(Array.from({ length: 1000 }, () => numberedSecret(1))).size, 1000);
  });

  it('numbered secrets have no number if they are invalid, and an arbitrary safe one if they were created without', () => {
    for (const text of ['', '1', 'glpat-abc', 'g'.repeat(64), 'A'.repeat(64), '0'.repeat(63), '0'.repeat(65), '0'.repeat(64)]) {
      assert.equal(numberInSecret(text), 0);
    }
    assert.ok(Number.isSafeInteger(numberInSecret(randomSecret())));
  });
});
