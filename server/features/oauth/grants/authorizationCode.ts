import { AUTHORIZATION_CODE_GRANT, type TokenResponse } from '../../../../src/contract/oauth.ts';
import { WireFailure } from '../../../http/wireFailure.ts';
import { findUser } from '../../users/users.ts';
import type { Core } from '../../../core/core.ts';
import { hashSecret } from '../../../core/secrets.ts';
import type { Store } from '../../../store/open.ts';
import { authenticateClient } from '../checks/client.ts';
import { checkCodeVerifier, checkExchangedVerifier } from '../checks/codeVerifier.ts';
import { checkExchangedRedirect } from '../checks/redirectUri.ts';
import { invalidGrant, isOAuthError, missingParameter } from '../failures.ts';
import { type FlowTrace, traceOf } from '../flowTrace.ts';
import { codeByHash, type CodeRow, recordFamilyOfCode, revokeFamily, spendCode, tokenByAccessToken } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

/** Values of a token request that are compared with the authorization request. */
interface SentCode {
  readonly codeHash: string;
  readonly applicationId: number;
  readonly redirectUri: string;
  readonly codeVerifier: string | undefined;
  readonly now: number;
}

/** Grant that exchanges an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export function authorizationCodeGrant(core: Core): Grant {
  return {
    types: [AUTHORIZATION_CODE_GRANT],
    response: async ({ context, params, now }) => {
      const trace = traceOf(context);
      trace.check('code and redirect_uri were sent');
      const code = params.get('code');
      if (code === undefined) throw missingParameter('code');
      const redirectUri = params.get('redirect_uri');
      if (redirectUri === undefined) throw missingParameter('redirect_uri');
      const { id: applicationId } = authenticateClient(core, context, params);
      const sent = { codeHash: hashSecret(code), applicationId, redirectUri, codeVerifier: params.get('code_verifier'), now };
      // A refused exchange must be committed too, so the refusal is thrown after the transaction.
      const outcome = await core.store.groupCommit(() => exchangeCode(core, trace, sent));
      if (outcome instanceof WireFailure) throw outcome;
      return outcome;
    },
  };
}

function exchangeCode(core: Core, trace: FlowTrace, sent: SentCode): Issued | WireFailure {
  const { store } = core;
  const { applicationId, redirectUri, codeVerifier, now } = sent;
  trace.check('the code was issued by this server');
  const code = codeByHash(store, sent.codeHash);
  if (code === undefined) return invalidGrant('code', 'no authorization code has this value');
  trace.check('the code was issued to this application');
  if (code.application_id !== applicationId) return invalidGrant('code.client', 'the code was issued to another application');
  trace.check('the code was not used before');
  if (code.spent_at !== null) {
    return code.family === null ? usedUp(core, trace, code, codeVerifier) : replayed(store, code.family, now);
  }
  trace.check('the code is not older than ten minutes');
  if (code.expires_at <= now)
    return invalidGrant('code.expiry', 'the code is older than ten minutes; start again at /oauth/authorize');
  checkExchangedRedirect(trace, redirectUri, code.redirect_uri);
  const refusal = refusalOf(() => checkExchangedVerifier(trace, core.dialect, codeVerifier, code.code_challenge));
  if (refusal !== undefined) {
    // A client with the code but without the verifier gets one guess (RFC 9700 §4.5).
    if (codeVerifier !== undefined) spendCode(store, code.id, now);
    return refusal;
  }
  trace.check('the account is active');
  const user = findUser(core, code.user_id);
  if (user?.state !== 'active') return invalidGrant('user', 'the account is blocked, deactivated or deleted');
  spendCode(store, code.id, now);
  const response: TokenResponse = issueTokens(
    core,
    {
      applicationId,
      userId: user.id,
      scopes: code.scopes.split(' '),
      grantType: AUTHORIZATION_CODE_GRANT,
      redirectUri: code.redirect_uri,
      codeChallenge: code.code_challenge,
      authenticatedAt: code.authenticated_at,
    },
    core.dialect.tokenType,
    now,
  );
  const family = tokenByAccessToken(store, response.access_token)?.family;
  if (family !== undefined) recordFamilyOfCode(store, code.id, family);
  return { response, nonce: code.nonce ?? undefined };
}

/** Handles the reuse of a code after an exchange that was refused because of its verifier. Says what is wrong with the new one, too. */
function usedUp({ dialect }: Core, trace: FlowTrace, code: CodeRow, codeVerifier: string | undefined): WireFailure {
  const spent = 'the code was used up by a refused exchange, because its code_verifier was wrong';
  const refusal = refusalOf(() => checkCodeVerifier(trace, dialect, codeVerifier, code.code_challenge));
  if (refusal === undefined) return invalidGrant('code.single', spent);
  const withReason = (reason: string): string => `${spent}; that of this exchange is wrong, too: ${reason}`;
  if (trace.reason !== undefined) trace.reason = withReason(trace.reason);
  return invalidGrant('code.single', withReason(refusal.reason));
}

/** Handles the reuse of a code: two parties have it, and one of them is not the application (RFC 6749 §4.1.2, §10.5). */
function replayed(store: Store, family: number, now: number): WireFailure {
  revokeFamily(store, family, now);
  return invalidGrant(
    'code.replay',
    'the code was already exchanged and may be stolen: the tokens issued for it are now revoked, and the user must authorize again',
  );
}

function refusalOf(check: () => void): WireFailure | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof WireFailure && isOAuthError(error.body)) return error;
    throw error;
  }
}
