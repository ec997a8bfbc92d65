import type { TokenResponse } from '../../../src/contract/oauth.ts';
import { isAvailable } from '../../core/profile.ts';
import type { Core } from '../../core/core.ts';
import { missingParameter, unsupportedGrantType } from './failures.ts';
import { traceOf } from './flowTrace.ts';
import { authorizationCodeGrant } from './grants/authorizationCode.ts';
import { clientCredentialsGrant } from './grants/clientCredentials.ts';
import { deviceCodeGrant } from './grants/deviceCode.ts';
import type { Grant } from './grants/grant.ts';
import { PASSWORD_GRANT, passwordGrant } from './grants/password.ts';
import { refreshTokenGrant } from './grants/refreshToken.ts';
import { idTokenFor, prepareIdToken } from './idToken.ts';
import type { OAuthRequest } from './route.ts';
import { tokenByAccessToken } from './store.ts';

/** Returns all grants of the token endpoint. Those that the profile does not have are refused. */
export function createGrants(core: Core): readonly Grant[] {
  return [authorizationCodeGrant, passwordGrant, clientCredentialsGrant, deviceCodeGrant, refreshTokenGrant].map((grant) =>
    grant(core),
  );
}

/** Returns the values of `grant_type` that the profile has. */
export function availableGrantTypes({ profile }: Core, grants: readonly Grant[]): readonly string[] {
  return grants.filter((grant) => isAvailable(grant, profile)).flatMap(({ types }) => types);
}

/** Issues tokens for a grant (RFC 6749 §3.2). */
export async function issueToken(core: Core, grants: readonly Grant[], request: OAuthRequest): Promise<TokenResponse> {
  const grant = requestedGrant(core, grants, request);
  await prepareIdToken(core, request);
  const issued = await grant.response(request);
  const idToken = await idTokenFor(core, issued, request.context.baseUrl, request.now);
  const response = idToken === undefined ? issued.response : { ...issued.response, id_token: idToken };
  const trace = traceOf(request.context);
  const names = Object.keys(response).filter((name) => name.endsWith('_token'));
  const { scope } = response;
  trace.issued = { token: tokenByAccessToken(core.store, response.access_token) };
  trace.record(`Issued: ${names.join(', ')}${scope === undefined ? '' : `, with the scopes "${scope}"`}.`);
  return response;
}

function requestedGrant(core: Core, grants: readonly Grant[], { context, params }: OAuthRequest): Grant {
  const trace = traceOf(context);
  const type = params.get('grant_type');
  const grant = type === undefined ? undefined : grants.find(({ types }) => types.includes(type));
  if (grant !== undefined && isAvailable(grant, core.profile)) return grant;
  if (grant === undefined) trace.check('the grant type is known');
  else trace.endChecks();
  if (type === undefined) throw missingParameter('grant_type');
  if (type === PASSWORD_GRANT) context.noteDeprecated('password-grant');
  throw unsupportedGrantType(`this server supports the grant types ${availableGrantTypes(core, grants).join(', ')}`);
}
