import type { DeviceAuthorization } from '../../../src/contract/oauth.ts';
import { bearerOf } from '../../http/credentials.ts';
import { required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { isAvailable } from '../../core/profile.ts';
import { deviceAuthorization, introspection, revoked, tokenResponse, tokenInfo } from './responses.ts';
import { authorizePages } from './authorizePages.ts';
import { authenticateClient, sentClient } from './checks/client.ts';
import { checkScope } from './checks/scope.ts';
import { beginDeviceGrant, DEVICE_CODE_LIFETIME, POLL_INTERVAL } from './deviceGrants.ts';
import { foreignToken, invalidRequest, malformedRequest, missingParameter, unsupportedGrantType } from './failures.ts';
import { flowPages } from './flowPages.ts';
import { withFlowRecorder } from './flowRecorder.ts';
import { authorizationCodeGrant } from './grants/authorizationCode.ts';
import { clientCredentialsGrant } from './grants/clientCredentials.ts';
import { deviceCodeGrant } from './grants/deviceCode.ts';
import { PASSWORD_GRANT, passwordGrant } from './grants/password.ts';
import { refreshTokenGrant } from './grants/refreshToken.ts';
import { devicePages } from './pages.ts';
import { idTokenFor, prepareIdToken } from './idToken.ts';
import { introspect } from './introspection.ts';
import { openIdRoutes } from './openIdRoutes.ts';
import { oauthRoute } from './route.ts';
import { applicationOf, revokeFamily, tokenByAccessToken, tokenByRefreshToken } from './store.ts';
import { shownUserCode } from './userCode.ts';

/** Routes of the OAuth endpoints and of the pages of the device grant. */
export function oauthRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const grants = [authorizationCodeGrant, passwordGrant, clientCredentialsGrant, deviceCodeGrant, refreshTokenGrant]
    .map((grant) => grant(platform))
    .filter((grant) => isAvailable(grant, platform.profile));

  const routes = [
    oauthRoute(
      {
        method: 'POST',
        path: '/oauth/authorize_device',
        body: deviceAuthorization,
        specRef: 'Device authorization',
        status: 'stated',
        role: 'client',
        addedIn: '17.1',
        params: () => ({ client_id: required(string), client_secret: string(), scope: string() }),
      },
      ({ context, params, now }): DeviceAuthorization => {
        const application = authenticateClient(platform, context, params);
        const scopes = checkScope(params.get('scope'), application.scopes.split(' '));
        const codes = beginDeviceGrant(platform, { application, scopes, address: context.address, now });
        const page = `${context.baseUrl}/oauth/device`;
        const userCode = shownUserCode(codes.userCode);
        return {
          device_code: codes.deviceCode,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?user_code=${userCode}`,
          expires_in: DEVICE_CODE_LIFETIME,
          interval: POLL_INTERVAL,
        };
      },
    ),

    oauthRoute(
      {
        method: 'POST',
        path: '/oauth/token',
        body: tokenResponse,
        specRef: 'Token endpoint',
        status: 'stated',
        role: 'client',
        params: () => ({
          grant_type: required(string),
          client_id: string(),
          client_secret: string(),
          code: string(),
          device_code: string(),
          refresh_token: string(),
          username: string(),
          password: string(),
          redirect_uri: string(),
          code_verifier: string(),
          scope: string(),
        }),
      },
      async (request) => {
        const type = request.params.get('grant_type');
        if (type === undefined) throw missingParameter('grant_type');
        const grant = grants.find(({ types }) => types.includes(type));
        if (grant === undefined) {
          if (type === PASSWORD_GRANT) request.context.noteDeprecated('password-grant');
          throw unsupportedGrantType(`this server supports the grant types ${grants.flatMap(({ types }) => types).join(', ')}`);
        }
        await prepareIdToken(platform, request);
        const issued = await grant.response(request);
        const idToken = await idTokenFor(platform, issued, request.context.baseUrl, request.now);
        return idToken === undefined ? issued.response : { ...issued.response, id_token: idToken };
      },
    ),

    oauthRoute(
      {
        method: 'POST',
        path: '/oauth/revoke',
        body: revoked,
        specRef: 'Token revocation',
        status: 'stated',
        role: 'client',
        params: () => ({ client_id: string(), client_secret: string(), token: required(string), token_type_hint: string() }),
      },
      ({ context, params, now }) => {
        const sent = params.get('token');
        // The hint only suggests where to search first (RFC 7009 §2.1), so both kinds are always searched.
        const byRefresh = tokenByRefreshToken(store, sent ?? '');
        const token = byRefresh ?? tokenByAccessToken(store, sent ?? '');
        // A token without an application can be revoked without naming an application.
        const isOfNone = token?.application_id === null && sentClient(context, params) === undefined;
        const application = isOfNone ? undefined : authenticateClient(platform, context, params);
        if (token === undefined) {
          context.noteRefusal(
            'revoke.token',
            sent === undefined ? 'no token was sent' : 'no token has this value; nothing was revoked',
          );
          return {};
        }
        if (token.application_id !== null && token.application_id !== application?.id) throw foreignToken();
        // The access token of a rotated pair is revoked already and ends nothing, while its refresh token still identifies the sign-in to end.
        if (byRefresh !== undefined || token.revoked_at === null) revokeFamily(store, token.family, now);
        return {};
      },
    ),

    oauthRoute(
      {
        method: 'GET',
        path: '/oauth/token/info',
        body: tokenInfo,
        specRef: 'Token info',
        status: 'stated',
        role: 'token',
        params: () => ({ access_token: string() }),
      },
      ({ context, params, now }) => {
        const parameter = params.get('access_token');
        const header = bearerOf(context.headers.authorization);
        if (parameter !== undefined && header !== undefined) {
          throw invalidRequest('Both Authorization header and query include an access token.', 'credentials.single');
        }
        const sent = parameter ?? header;
        if (sent === undefined) {
          throw malformedRequest(
            'credentials.present',
            'send the token as Authorization: Bearer or as access_token in the query',
          );
        }
        const token = tokenByAccessToken(store, sent);
        if (token === undefined) {
          throw malformedRequest(
            'credentials.known',
            'no OAuth access token has this value; personal access tokens are not accepted here',
          );
        }
        if (token.revoked_at !== null) throw malformedRequest('credentials.alive', 'the token was revoked');
        if (token.expires_at !== null && token.expires_at <= now)
          throw malformedRequest('credentials.alive', 'the token has expired');
        const expiresIn = token.expires_at === null ? null : Math.floor((token.expires_at - now) / 1000);
        const scopes = token.scopes.split(' ');
        return {
          resource_owner_id: token.user_id,
          scope: scopes,
          expires_in: expiresIn,
          application: { uid: applicationOf(store, token)?.uid ?? null },
          created_at: Math.floor(token.created_at / 1000),
          scopes,
          expires_in_seconds: expiresIn,
        };
      },
    ),

    oauthRoute(
      {
        method: 'POST',
        path: '/oauth/introspect',
        body: introspection,
        specRef: 'Token introspection',
        status: 'inferred',
        role: 'client',
        params: () => ({ client_id: string(), client_secret: string(), token: required(string), token_type_hint: string() }),
      },
      (request) => introspect(platform, request),
    ),

    ...openIdRoutes(platform, grants),
    ...authorizePages(platform),
    ...devicePages(platform),
  ];
  return [...routes.map((route) => withFlowRecorder(platform, route)), ...flowPages(platform)];
}
