import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { failureOfError } from '../../../src/api/failures.ts';
import { TransportFailure } from '../../../src/api/transport.ts';

describe('the message for an unreachable instance', () => {
  function messageFor(code: string): string {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('TLS'), { code }) });
    return failureOfError(new TransportFailure('unreachable', 'host cannot be reached: why', cause))?.message ?? '';
  }

  it('the message for an unreachable instance explains where to configure the certificate authority if the issuer is unknown', () => {
    assert.equal(
      messageFor('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      'host cannot be reached: why. If the instance uses its own certificate authority, set the property ca in the setting ' +
        'signalbox.instances to the path of its certificate file.',
    );
  });

  it('the message for an unreachable instance contains only the reason in other cases', () => {
    for (const code of ['ECONNREFUSED', 'CERT_HAS_EXPIRED']) assert.equal(messageFor(code), 'host cannot be reached: why');
  });
});
