import { bearerOf } from '../../http/credentials.ts';
import { SECOND } from '../../core/clock.ts';
import type { Store } from '../../store/open.ts';
import type { Core } from '../../core/core.ts';
import { invalidRequest, malformedRequest } from './failures.ts';
import { traceOf } from './flowTrace.ts';
import type { OAuthRequest } from './route.ts';
import { applicationOf, tokenByAccessToken, type TokenRow } from './store.ts';

/** Describes an access token to its bearer. */
export function describeToken({ store }: Core, request: OAuthRequest) {
  const token = presentedToken(store, request);
  traceOf(request.context).record('The scopes and lifetime of the token were returned.');
  const expiresIn = token.expires_at === null ? null : Math.floor((token.expires_at - request.now) / SECOND);
  const scopes = token.scopes.split(' ');
  return {
    resource_owner_id: token.user_id,
    scope: scopes,
    expires_in: expiresIn,
    application: { uid: applicationOf(store, token)?.uid ?? null },
    created_at: Math.floor(token.created_at / SECOND),
    scopes,
    expires_in_seconds: expiresIn,
  };
}

/** Returns the active access token that was sent in the header or in the query. */
function presentedToken(store: Store, { context, params, now }: OAuthRequest): TokenRow {
  const trace = traceOf(context);
  trace.check('one token was sent');
  const parameter = params.get('access_token');
  const header = bearerOf(context.headers.authorization);
  if (parameter !== undefined && header !== undefined) {
    throw invalidRequest('Both Authorization header and query include an access token.', 'credentials.single');
  }
  const sent = parameter ?? header;
  if (sent === undefined) {
    throw malformedRequest('credentials.present', 'send the token as Authorization: Bearer or as access_token in the query');
  }
  trace.check('the token was issued by this server');
  const token = tokenByAccessToken(store, sent);
  if (token === undefined) {
    throw malformedRequest(
      'credentials.known',
      'no OAuth access token has this value; personal access tokens are not accepted here',
    );
  }
  trace.check('the token is not revoked and has not expired');
  if (token.revoked_at !== null) throw malformedRequest('credentials.alive', 'the token was revoked');
  if (token.expires_at !== null && token.expires_at <= now) throw malformedRequest('credentials.alive', 'the token has expired');
  return token;
}
