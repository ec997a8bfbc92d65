import { createHash } from 'node:crypto';
import type { DialectRules } from '../../../core/dialect.ts';
import { equalSecrets } from '../../../core/secrets.ts';
import { invalidGrant, missingParameter } from '../failures.ts';
import type { FlowTrace } from '../flowTrace.ts';

/** Format of a code verifier (RFC 7636 §4.1). */
export const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const VERIFIER_OF_ANY_CHARACTERS = /^.{43,128}$/su;

/** Explains the most frequent wrong character of a verifier. */
function padding(sent: string): string {
  return /^[A-Za-z0-9._~-]+=+$/.test(sent) ? ', with the padding = at the end, which only the dialect observed accepts' : '';
}

/** Returns the S256 challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Checks the `code_verifier` of a refresh, if it was sent and the grant had a challenge (S256, RFC 7636 §4.6). */
export function checkCodeVerifier(
  trace: FlowTrace,
  dialect: DialectRules,
  sent: string | undefined,
  challenge: string | null,
): void {
  if (sent === undefined || challenge === null) return;
  const { verifierOfAnyCharacters: allowsAny } = dialect;
  if (!(allowsAny ? VERIFIER_OF_ANY_CHARACTERS : VERIFIER).test(sent)) {
    const characters = allowsAny ? 'characters' : 'characters of A-Z a-z 0-9 - . _ ~';
    throw invalidGrant(
      'code_verifier',
      `code_verifier must be 43 to 128 ${characters}, but ${sent.length} characters were sent${padding(sent)}`,
    );
  }
  if (!equalSecrets(challengeOf(sent), challenge)) {
    trace.reason =
      'code_verifier does not match: its SHA-256, as base64url without padding, is not the code_challenge of the authorization request';
    throw invalidGrant(
      'code_verifier',
      `code_verifier does not match: its S256 challenge is ${challengeOf(sent)}, but the authorization request had ${challenge}`,
    );
  }
}

/**
 * Checks the `code_verifier` of a code exchange. It is required exactly if the authorization request had a challenge. Without a challenge it
 * is refused, because an attacker may have removed the challenge (RFC 9700 §4.8.2).
 */
export function checkExchangedVerifier(
  trace: FlowTrace,
  dialect: DialectRules,
  sent: string | undefined,
  challenge: string | null,
): void {
  trace.check('code_verifier matches the code_challenge of the authorization request');
  if (challenge === null && sent !== undefined) {
    throw invalidGrant('code_verifier', 'code_verifier was sent, but the authorization request had no code_challenge');
  }
  if (challenge !== null && sent === undefined) throw missingParameter('code_verifier');
  checkCodeVerifier(trace, dialect, sent, challenge);
  if (sent === undefined) trace.passed('no code_verifier needed, because no code_challenge was sent');
}
