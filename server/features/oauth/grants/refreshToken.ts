import { REFRESH_TOKEN_GRANT } from '../../../../src/contract/oauth.ts';
import { SECOND } from '../../../core/clock.ts';
import { WireFailure } from '../../../http/failures.ts';
import { findUser } from '../../identity/identity.ts';
import type { Platform } from '../../../platform.ts';
import { authenticateClient, sentClient } from '../checks/client.ts';
import { checkCodeVerifier } from '../checks/codeVerifier.ts';
import { checkRedirectUri } from '../checks/redirectUri.ts';
import { narrowScope } from '../checks/scope.ts';
import { invalidGrant, missingParameter } from '../failures.ts';
import { revokeFamily, rotateToken, tokenById, tokenByRefreshToken, type TokenRow } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

/** Time in which the reuse of a refresh token is not treated as theft, because two windows of a client may refresh at the same time. */
const GRACE = 10 * SECOND;

/** Grant that renews tokens with rotation (RFC 6749 §6, RFC 9700 §4.14.2). */
export function refreshTokenGrant(platform: Platform): Grant {
  const { store } = platform;

  return {
    types: [REFRESH_TOKEN_GRANT],
    response: async ({ context, params, now }) => {
      const refreshToken = params.get('refresh_token');
      if (refreshToken === undefined) throw missingParameter('refresh_token');
      const known = tokenByRefreshToken(store, refreshToken);
      if (known === undefined) throw invalidGrant('refresh_token', 'no refresh token has this value');
      const isAnonymous = sentClient(context, params) === undefined;
      if (isAnonymous && known.application_id !== null) {
        throw invalidGrant('refresh_token.client', 'the refresh token belongs to an application: send client_id, or HTTP Basic');
      }
      const applicationId = isAnonymous ? null : authenticateClient(platform, context, params).id;
      const input = {
        scope: params.get('scope'),
        redirectUri: params.get('redirect_uri'),
        codeVerifier: params.get('code_verifier'),
      };
      // The revocation of a family must be committed, so the refusal is thrown after the transaction.
      const outcome = await store.groupCommit(() => renew(known.id, applicationId, input, now));
      if (outcome instanceof WireFailure) throw outcome;
      return outcome;
    },
  };

  function renew(
    id: number,
    applicationId: number | null,
    input: Readonly<Record<'scope' | 'redirectUri' | 'codeVerifier', string | undefined>>,
    now: number,
  ): Issued | WireFailure {
    const token = tokenById(store, id);
    if (token === undefined) return invalidGrant('refresh_token', 'no refresh token has this value');
    if (token.application_id !== applicationId) {
      return invalidGrant('refresh_token.client', 'the refresh token was issued to another application');
    }
    if (token.rotated_at !== null) return replayed(token, token.rotated_at, now);
    if (token.revoked_at !== null) return invalidGrant('refresh_token.alive', 'the refresh token was revoked');
    const user = token.user_id === null ? undefined : findUser(platform, token.user_id);
    if (user?.state !== 'active') return invalidGrant('user', 'the account is blocked, deactivated or deleted');
    checkRedirectUri(input.redirectUri, token.redirect_uri);
    checkCodeVerifier(platform.dialect, input.codeVerifier, token.code_challenge);
    // The granted scopes are those of the first token of the family. A narrower refresh only limits its own access token (RFC 6749 §6).
    const granted = (tokenById(store, token.family) ?? token).scopes.split(' ');
    const scopes = narrowScope(input.scope, granted);
    if (!rotateToken(store, token.id, now)) return invalidGrant('refresh_token.single', 'the refresh token was already used');
    const response = issueTokens(
      platform,
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
      platform.dialect.tokenType,
      now,
    );
    return { response };
  }

  function replayed(token: TokenRow, rotatedAt: number, now: number): WireFailure {
    if (now - rotatedAt <= GRACE) {
      return invalidGrant('refresh_token.single', 'the refresh token was used a moment ago; use the token from that response');
    }
    revokeFamily(store, token.family, now);
    return invalidGrant(
      'refresh_token.replay',
      'the refresh token was already used and may be stolen: all tokens of this sign-in are now revoked, and the user must sign in again',
    );
  }
}
