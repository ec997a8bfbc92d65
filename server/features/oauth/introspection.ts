import { SECOND } from '../../core/clock.ts';
import { bearerOf } from '../../http/credentials.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { sentClient, verifiedClient } from './checks/client.ts';
import { invalidBearer, invalidClient, invalidRequest } from './failures.ts';
import { traceOf } from './flowTrace.ts';
import type { OAuthRequest } from './route.ts';
import { applicationOf, type ApplicationRow, tokenByAccessToken, tokenByRefreshToken, type TokenRow } from './store.ts';

type Introspection = { readonly active: false } | Readonly<Record<string, unknown>>;

/** Describes a token to the application that it was issued to (RFC 7662). Any other token is only reported as inactive. */
export function introspect(core: Core, request: OAuthRequest): Introspection {
  const { context, params, now } = request;
  const { store } = core;
  const trace = traceOf(context);
  trace.check('the application is authenticated');
  const caller = callerOf(core, request);
  trace.check('the token is valid and belongs to the application');
  const sent = params.get('token') ?? '';
  // The hint only suggests where to search first (RFC 7662 §2.1), so both kinds are always searched.
  const byAccess = tokenByAccessToken(store, sent);
  const token = byAccess ?? tokenByRefreshToken(store, sent);
  const reason = whyInactive(core, token, byAccess === undefined, caller, now);
  if (token === undefined || reason !== undefined) {
    context.noteRefusal('introspect.token', reason ?? 'no token has this value');
    trace.record('The token is not active for this application.');
    return { active: false };
  }
  trace.record('The token is active.');
  const application = applicationOf(store, token);
  return {
    active: true,
    scope: token.scopes,
    ...(application === undefined ? {} : { client_id: application.uid }),
    token_type: 'Bearer',
    // Refresh tokens do not expire.
    ...(byAccess === undefined || token.expires_at === null ? {} : { exp: Math.floor(token.expires_at / SECOND) }),
    iat: Math.floor(token.created_at / SECOND),
  };
}

function whyInactive(
  core: Core,
  token: TokenRow | undefined,
  isRefresh: boolean,
  caller: ApplicationRow,
  now: number,
): string | undefined {
  if (token === undefined) return 'no token has this value';
  if (token.application_id !== null && token.application_id !== caller.id) return 'the token was issued to another application';
  if (token.revoked_at !== null) return 'the token was revoked or renewed';
  if (!isRefresh && token.expires_at !== null && token.expires_at <= now) return 'the token has expired';
  if (token.user_id !== null && findUser(core, token.user_id)?.state !== 'active')
    return 'the account is blocked, deactivated or deleted';
  return undefined;
}

/** Returns the requesting application, authenticated by its secret or by another of its valid tokens (docs/interface.md#token-introspection). */
function callerOf(core: Core, { context, params, now }: OAuthRequest): ApplicationRow {
  const bearer = bearerOf(context.headers.authorization);
  if (bearer === undefined) {
    if (sentClient(context, params) === undefined) {
      throw invalidRequest(
        'Request need to be authorized. Required parameter for authorizing request is missing or invalid.',
        'introspect.client',
        'send the application’s client_id and client_secret, or another of its access tokens as Authorization: Bearer',
      );
    }
    const application = verifiedClient(core, context, params);
    if (application.confidential === 1) return application;
    throw invalidClient(
      'a public application cannot authenticate with a secret: send another of its access tokens as Authorization: Bearer',
    );
  }
  const token = tokenByAccessToken(core.store, bearer);
  const application = applicationOf(core.store, token);
  if (token === undefined || application === undefined) {
    throw invalidBearer('The access token is invalid', 'no application has this access token');
  }
  if (token.revoked_at !== null) throw invalidBearer('The access token was revoked', 'the token in the header was revoked');
  if (token.expires_at !== null && token.expires_at <= now) {
    throw invalidBearer('The access token expired', 'the token in the header has expired');
  }
  if (params.get('token') === bearer) throw invalidBearer('The access token is invalid', 'a token must not introspect itself');
  return application;
}
