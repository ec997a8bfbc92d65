import { REFRESH_TOKEN_GRANT } from '../../../../src/contract/oauth.ts';
import { SECOND } from '../../../core/clock.ts';
import { WireFailure } from '../../../http/wireFailure.ts';
import { findUser } from '../../users/users.ts';
import type { Core } from '../../../core/core.ts';
import type { Store } from '../../../store/open.ts';
import { authenticateNamedClient } from '../checks/client.ts';
import { checkCodeVerifier } from '../checks/codeVerifier.ts';
import { checkRedirectUri } from '../checks/redirectUri.ts';
import { narrowScope } from '../checks/scope.ts';
import { invalidGrant, missingParameter } from '../failures.ts';
import { type FlowTrace, traceOf } from '../flowTrace.ts';
import { revokeFamily, rotateToken, tokenById, tokenByRefreshToken, type TokenRow } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

/** Time in which the reuse of a refresh token is not treated as theft, because two windows of a client may refresh at the same time. */
const GRACE = 10 * SECOND;

/** Conditions that are checked in several places. */
const ISSUED_HERE = 'the refresh token was issued by this server';
const ISSUED_TO_CLIENT = 'the refresh token was issued to this client';
const UNUSED = 'the refresh token was not used before';

/** Values of a refresh. Those that were sent are compared with the authorization request. */
interface Renewal {
  /** Null for a client that named no application. */
  readonly applicationId: number | null;
  readonly scope: string | undefined;
  readonly redirectUri: string | undefined;
  readonly codeVerifier: string | undefined;
  readonly now: number;
}

/** Grant that renews tokens with rotation (RFC 6749 §6, RFC 9700 §4.14.2). */
export function refreshTokenGrant(core: Core): Grant {
  return {
    types: [REFRESH_TOKEN_GRANT],
    response: async ({ context, params, now }) => {
      const trace = traceOf(context);
      trace.check(ISSUED_HERE);
      const refreshToken = params.get('refresh_token');
      if (refreshToken === undefined) throw missingParameter('refresh_token');
      const known = tokenByRefreshToken(core.store, refreshToken);
      if (known === undefined) throw invalidGrant('refresh_token', 'no refresh token has this value');
      const application = authenticateNamedClient(core, context, params);
      if (application === undefined && known.application_id !== null) {
        trace.check(ISSUED_TO_CLIENT);
        throw invalidGrant('refresh_token.client', 'the refresh token belongs to an application: send client_id, or HTTP Basic');
      }
      const renewal = {
        applicationId: application?.id ?? null,
        scope: params.get('scope'),
        redirectUri: params.get('redirect_uri'),
        codeVerifier: params.get('code_verifier'),
        now,
      };
      // The revocation of a family must be committed, so the refusal is thrown after the transaction.
      const outcome = await core.store.groupCommit(() => renew(core, trace, known.id, renewal));
      if (outcome instanceof WireFailure) throw outcome;
      return outcome;
    },
  };
}

function renew(core: Core, trace: FlowTrace, id: number, renewal: Renewal): Issued | WireFailure {
  const { store } = core;
  const { applicationId, redirectUri, codeVerifier, scope, now } = renewal;
  const token = tokenById(store, id);
  if (token === undefined) {
    trace.check(ISSUED_HERE);
    return invalidGrant('refresh_token', 'no refresh token has this value');
  }
  trace.check(ISSUED_TO_CLIENT);
  if (token.application_id !== applicationId) {
    return invalidGrant('refresh_token.client', 'the refresh token was issued to another application');
  }
  trace.check(UNUSED);
  if (token.rotated_at !== null) return replayed(store, token, token.rotated_at, now);
  trace.check('the refresh token is not revoked');
  if (token.revoked_at !== null) return invalidGrant('refresh_token.alive', 'the refresh token was revoked');
  trace.check('the account is active');
  const user = token.user_id === null ? undefined : findUser(core, token.user_id);
  if (user?.state !== 'active') return invalidGrant('user', 'the account is blocked, deactivated or deleted');
  if (redirectUri !== undefined) trace.check('redirect_uri matches the authorization request');
  checkRedirectUri(trace, redirectUri, token.redirect_uri);
  if (codeVerifier !== undefined) trace.check('code_verifier matches the code_challenge, if there was one');
  checkCodeVerifier(trace, core.dialect, codeVerifier, token.code_challenge);
  // The granted scopes are those of the first token of the family. A narrower refresh only limits its own access token (RFC 6749 §6).
  const granted = (tokenById(store, token.family) ?? token).scopes.split(' ');
  if (scope !== undefined) trace.check('the scopes were granted');
  const scopes = narrowScope(scope, granted);
  if (!rotateToken(store, token.id, now)) {
    trace.check(UNUSED);
    return invalidGrant('refresh_token.single', 'the refresh token was already used');
  }
  const response = issueTokens(
    core,
    {
      applicationId,
      userId: user.id,
      scopes,
      grantType: token.grant_type,
      redirectUri: token.redirect_uri,
      codeChallenge: token.code_challenge,
      authenticatedAt: token.authenticated_at,
      family: token.family,
    },
    core.dialect.tokenType,
    now,
  );
  return { response };
}

function replayed(store: Store, token: TokenRow, rotatedAt: number, now: number): WireFailure {
  if (now - rotatedAt <= GRACE) {
    return invalidGrant('refresh_token.single', 'the refresh token was used a moment ago; use the token from that response');
  }
  revokeFamily(store, token.family, now);
  return invalidGrant(
    'refresh_token.replay',
    'the refresh token was already used and may be stolen: all tokens of this sign-in are now revoked, and the user must sign in again',
  );
}
