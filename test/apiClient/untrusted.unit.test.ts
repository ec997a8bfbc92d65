import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { failureOfError } from '../../src/api/failures.ts';
import { TransportFailure } from '../../src/api/transport.ts';

describe('a platform that cannot be reached', () => {
  function messageFor(code: string): string {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('TLS'), { code }) });
    return failureOfError(new TransportFailure('unreachable', 'host cannot be reached: why', cause))?.message ?? '';
  }

  it('because nobody knows the issuer of its certificate: the words say where to name it', () => {
    assert.equal(
      messageFor('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      'host cannot be reached: why. If the instance uses its own certificate authority, set ca of this instance in the setting ' +
        "signalbox.instances to the path of the authority's certificates.",
    );
  });

  it('for another reason: the words are the reason alone', () => {
    for (const code of ['ECONNREFUSED', 'CERT_HAS_EXPIRED']) assert.equal(messageFor(code), 'host cannot be reached: why');
  });
});
