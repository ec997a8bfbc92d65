import { createHash } from 'node:crypto';
import { equalSecrets } from '../../secrets.ts';
import { invalidGrant } from '../failures.ts';

/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** `code_verifier` of a refresh: checked when it is sent and the grant had a challenge (S256, RFC 7636 §4.6). */
export function checkCodeVerifier(sent: string | undefined, challenge: string | null): void {
  if (sent === undefined || challenge === null) return;
  if (!VERIFIER.test(sent))
    throw invalidGrant('code_verifier', 'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~');
  if (!equalSecrets(createHash('sha256').update(sent).digest('base64url'), challenge)) {
    throw invalidGrant('code_verifier', 'code_verifier does not fit the code_challenge of the authorization request');
  }
}
