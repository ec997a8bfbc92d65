import { SECOND } from '../../core/clock.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { CLIENT_CHECK, namedApplication } from './checks/client.ts';
import { idTokenClaims } from './claims.ts';
import { traceOf } from './flowTrace.ts';
import type { Issued } from './grants/grant.ts';
import type { OAuthRequest } from './route.ts';
import { signingKey } from './signingKey.ts';
import { applicationOf, tokenByAccessToken } from './store.ts';

/** Lifetime of an ID token, in seconds. Short, because it is only used right after a sign-in. */
const ID_TOKEN_LIFETIME = 120;

/** Loads the signing key before a grant, so that no code or refresh token is used up for a response that cannot be signed. */
export async function prepareIdToken(core: Core, { context, params }: OAuthRequest): Promise<void> {
  const trace = traceOf(context);
  trace.check(CLIENT_CHECK);
  const application = namedApplication(core, context, params);
  trace.skipCheck();
  const scopes = `${application?.scopes ?? ''} ${params.get('scope') ?? ''}`.split(' ');
  if (scopes.includes('openid')) await signingKey(core);
}

/** Returns the ID token for new tokens (OpenID Connect Core §2), or undefined without the scope `openid` or without a user. */
export async function idTokenFor(
  core: Core,
  { response, nonce }: Issued,
  baseUrl: string,
  now: number,
): Promise<string | undefined> {
  const scopes = response.scope?.split(' ') ?? [];
  if (!scopes.includes('openid')) return undefined;
  const token = tokenByAccessToken(core.store, response.access_token);
  const user = token === undefined || token.user_id === null ? undefined : findUser(core, token.user_id);
  const application = applicationOf(core.store, token);
  if (token === undefined || user === undefined || application === undefined) return undefined;
  const issuedAt = Math.floor(now / SECOND);
  const { SignJWT } = await import('jose');
  const { privateKey, kid } = await signingKey(core);
  return new SignJWT({
    iss: baseUrl,
    aud: application.uid,
    exp: issuedAt + ID_TOKEN_LIFETIME,
    iat: issuedAt,
    ...(nonce === undefined ? {} : { nonce }),
    ...(token.authenticated_at === null ? {} : { auth_time: Math.floor(token.authenticated_at / SECOND) }),
    ...idTokenClaims(core, user, scopes, baseUrl),
  })
    .setProtectedHeader({ typ: 'JWT', kid, alg: 'RS256' })
    .sign(privateKey);
}
