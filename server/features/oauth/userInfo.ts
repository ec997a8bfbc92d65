import { bearerOf } from '../../http/credentials.ts';
import type { Core } from '../../core/core.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { userInfoClaims } from './claims.ts';
import { bearerRefused, invalidRequest } from './failures.ts';
import { type FlowTrace, traceOf } from './flowTrace.ts';
import type { OAuthRequest } from './route.ts';
import { tokenByAccessToken } from './store.ts';

/** Returns the claims about the user of an access token (OpenID Connect Core §5.3). */
export function userInfo(core: Core, { context, params, now }: OAuthRequest): ReturnType<typeof userInfoClaims> {
  const trace = traceOf(context);
  trace.check('one token was sent');
  const parameter = params.get('access_token') ?? params.get('bearer_token');
  const header = bearerOf(context.headers.authorization);
  if (parameter !== undefined && header !== undefined) {
    throw invalidRequest('Both Authorization header and payload includes access token.', 'credentials.single');
  }
  const { user, scopes } = personOf(core, trace, parameter ?? header, now);
  context.noteUser(user.username);
  trace.record(`The claims of @${user.username} were returned.`);
  return userInfoClaims(core, user, scopes, context.baseUrl);
}

/**
 * Returns the user of a token with the scope `openid`.
 * @throws {WireFailure} As defined by RFC 6750 §3, without a body as on GitLab.
 */
function personOf(
  core: Core,
  trace: FlowTrace,
  sent: string | undefined,
  now: number,
): { readonly user: User; readonly scopes: readonly string[] } {
  if (sent === undefined) {
    throw bearerRefused('The access token is invalid', 'credentials.present', 'send the token as Authorization: Bearer');
  }
  trace.check('the token was issued by this server');
  const token = tokenByAccessToken(core.store, sent);
  if (token === undefined) {
    throw bearerRefused('The access token is invalid', 'credentials.known', 'no OAuth access token has this value');
  }
  trace.check('the token is not revoked and has not expired');
  if (token.revoked_at !== null) {
    throw bearerRefused('The access token was revoked', 'credentials.alive', 'the token was revoked');
  }
  if (token.expires_at !== null && token.expires_at <= now) {
    throw bearerRefused('The access token expired', 'credentials.alive', 'the token has expired');
  }
  trace.check('the token belongs to an active account');
  const user = token.user_id === null ? undefined : findUser(core, token.user_id);
  if (user?.state !== 'active') {
    throw bearerRefused(
      'The access token is invalid',
      'credentials.person',
      'the token belongs to no user, or to a user who is blocked or deactivated',
    );
  }
  trace.check('the token has the scope openid');
  const scopes = token.scopes.split(' ');
  if (!scopes.includes('openid')) {
    throw bearerRefused(
      'The access token lacks the scope openid',
      'scope',
      `the token has the scopes "${token.scopes}", but openid is required`,
      'insufficient_scope',
    );
  }
  return { user, scopes };
}
