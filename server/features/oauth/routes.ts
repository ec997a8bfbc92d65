import type { OAuthCore } from './oauthCore.ts';
import { required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { authorizePages } from './authorizePages.ts';
import { authorizeDevice } from './deviceAuthorization.ts';
import { findIssuer, serverMetadata } from './discovery.ts';
import { flowPages } from './flowPages.ts';
import { recordedRoute, type RequestKind } from './flowRecorder.ts';
import { introspect } from './introspection.ts';
import { devicePages } from './pages.ts';
import {
  deviceAuthorization,
  introspection,
  keySet,
  metadata,
  revoked,
  tokenInfo,
  tokenResponse,
  userInfo as userInfoResponse,
  webfinger,
} from './responses.ts';
import { revokeToken } from './revocation.ts';
import { type OAuthRequest, type OAuthRow, oauthRoute } from './route.ts';
import { signingKey } from './signingKey.ts';
import { availableGrantTypes, createGrants, issueToken } from './tokenEndpoint.ts';
import { describeToken } from './tokenInfo.ts';
import { userInfo } from './userInfo.ts';

const open = { specRef: 'OpenID Connect', status: 'inferred', role: 'anyone', params: () => ({}) } as const;
const tokenRow = {
  role: 'client',
  params: () => ({ client_id: string(), client_secret: string(), token: required(string), token_type_hint: string() }),
} as const;
const userInfoRow = {
  path: '/oauth/userinfo',
  crossOrigin: 'token',
  body: userInfoResponse,
  specRef: 'OpenID Connect',
  status: 'stated',
  role: 'token',
  params: () => ({ access_token: string() }),
} as const;

/** Routes of the OAuth endpoints, of their pages, and of the pages of the recorded flows. */
export function oauthRoutes(core: OAuthCore): Route[] {
  const grants = createGrants(core);
  const recorded = (kind: RequestKind, row: OAuthRow, handle: (request: OAuthRequest) => unknown): Route =>
    recordedRoute(core, kind, oauthRoute(row, handle));

  return [
    recorded(
      'deviceCode',
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
      (request) => authorizeDevice(core, request),
    ),
    recorded(
      'otherGrant',
      {
        method: 'POST',
        path: '/oauth/token',
        crossOrigin: 'token',
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
      (request) => issueToken(core, grants, request),
    ),
    recorded(
      'revocation',
      {
        ...tokenRow,
        method: 'POST',
        path: '/oauth/revoke',
        crossOrigin: 'token',
        body: revoked,
        specRef: 'Token revocation',
        status: 'stated',
      },
      (request) => revokeToken(core, request),
    ),
    recorded(
      'tokenInfo',
      {
        method: 'GET',
        path: '/oauth/token/info',
        crossOrigin: 'token',
        body: tokenInfo,
        specRef: 'Token info',
        status: 'stated',
        role: 'token',
        params: () => ({ access_token: string() }),
      },
      (request) => describeToken(core, request),
    ),
    recorded(
      'introspection',
      {
        ...tokenRow,
        method: 'POST',
        path: '/oauth/introspect',
        body: introspection,
        specRef: 'Token introspection',
        status: 'inferred',
      },
      (request) => introspect(core, request),
    ),
    recorded('userInfo', { method: 'GET', ...userInfoRow }, (request) => userInfo(core, request)),
    recorded('userInfo', { method: 'POST', ...userInfoRow }, (request) => userInfo(core, request)),
    oauthRoute(
      { ...open, method: 'GET', path: '/oauth/discovery/keys', crossOrigin: 'document', body: keySet, stored: true },
      () => showKeys(core),
    ),
    oauthRoute(
      { ...open, method: 'GET', path: '/.well-known/openid-configuration', crossOrigin: 'document', body: metadata },
      (request) => showServerMetadata(core, grants, request),
    ),
    oauthRoute({ ...open, method: 'GET', path: '/.well-known/oauth-authorization-server', body: metadata }, (request) =>
      showServerMetadata(core, grants, request),
    ),
    oauthRoute(
      {
        ...open,
        method: 'GET',
        path: '/.well-known/webfinger',
        crossOrigin: 'document',
        body: webfinger,
        params: () => ({ resource: required(string) }),
      },
      findIssuer,
    ),
    ...authorizePages(core),
    ...devicePages(core),
    ...flowPages(core),
  ];
}

async function showKeys(core: OAuthCore) {
  const { jwk } = await signingKey(core);
  return { keys: [jwk] };
}

function showServerMetadata(core: OAuthCore, grants: ReturnType<typeof createGrants>, { context }: OAuthRequest) {
  return serverMetadata(core, availableGrantTypes(core, grants), context.baseUrl);
}
