import type { Core } from '../../core/core.ts';
import { authenticateClient, authenticateNamedClient } from './checks/client.ts';
import { foreignToken } from './failures.ts';
import { traceOf } from './flowTrace.ts';
import type { OAuthRequest } from './route.ts';
import { revokeFamily, tokenByAccessToken, tokenByRefreshToken } from './store.ts';

/** Revokes all tokens of a sign-in (RFC 7009). The response to an unknown token is the same. */
export function revokeToken(core: Core, { context, params, now }: OAuthRequest): Readonly<Record<string, never>> {
  const { store } = core;
  const trace = traceOf(context);
  const sent = params.get('token');
  // The hint only suggests where to search first (RFC 7009 §2.1), so both kinds are always searched.
  const byRefresh = tokenByRefreshToken(store, sent ?? '');
  const token = byRefresh ?? tokenByAccessToken(store, sent ?? '');
  // A token without an application can be revoked without naming an application.
  const authenticate = token?.application_id === null ? authenticateNamedClient : authenticateClient;
  const application = authenticate(core, context, params);
  trace.check('the token is known');
  if (token === undefined) {
    context.noteRefusal(
      'revoke.token',
      sent === undefined ? 'no token was sent' : 'no token has this value; nothing was revoked',
    );
    trace.record('No token was revoked; the response is the same as for a revoked token.');
    return {};
  }
  trace.check('the token was issued to this client');
  if (token.application_id !== null && token.application_id !== application?.id) throw foreignToken();
  // The access token of a rotated pair is revoked already and ends nothing, while its refresh token still identifies the sign-in to end.
  if (byRefresh !== undefined || token.revoked_at === null) revokeFamily(store, token.family, now);
  trace.record('All tokens of this sign-in were revoked.');
  return {};
}
