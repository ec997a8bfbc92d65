import { bearerOf } from '../../http/credentials.ts';
import { required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { ALL_SCOPES, findUser, type User } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { isAvailable } from '../../core/profile.ts';
import { keySet, metadata as serverMetadata, userInfo as userInfoResponse, webfinger } from './responses.ts';
import { claimNames, userInfoClaims } from './claims.ts';
import { bearerRefused, invalidRequest, missingParameter } from './failures.ts';
import type { Grant } from './grants/grant.ts';
import { type OAuthRequest, oauthRoute } from './route.ts';
import { signingKey } from './signingKey.ts';
import { tokenByAccessToken } from './store.ts';

const details = { status: 'inferred', role: 'anyone', params: () => ({}) } as const;

/** Routes of OpenID Connect: user info, signing keys and discovery documents. */
export function openIdRoutes(platform: Platform, grants: readonly Grant[]): Route[] {
  const userInfo = ({ context, params, now }: OAuthRequest) => {
    const parameter = params.get('access_token') ?? params.get('bearer_token');
    const header = bearerOf(context.headers.authorization);
    if (parameter !== undefined && header !== undefined) {
      throw invalidRequest('Both Authorization header and payload includes access token.', 'credentials.single');
    }
    const { user, scopes } = personOf(parameter ?? header, now);
    context.noteUser(user.username);
    return userInfoClaims(platform, user, scopes, context.baseUrl);
  };
  const userInfoMetadata = {
    path: '/oauth/userinfo',
    body: userInfoResponse,
    specRef: 'OpenID Connect',
    status: 'stated',
    role: 'token',
    params: () => ({ access_token: string() }),
  } as const;
  const metadata = ({ context }: OAuthRequest) => metadataOf(context.baseUrl);

  return [
    oauthRoute({ method: 'GET', ...userInfoMetadata }, userInfo),
    oauthRoute({ method: 'POST', ...userInfoMetadata }, userInfo),

    oauthRoute(
      { ...details, method: 'GET', path: '/oauth/discovery/keys', body: keySet, specRef: 'OpenID Connect', stored: true },
      async () => ({ keys: [(await signingKey(platform)).jwk] }),
    ),
    oauthRoute(
      {
        ...details,
        method: 'GET',
        path: '/.well-known/openid-configuration',
        body: serverMetadata,
        specRef: 'OpenID Connect',
      },
      metadata,
    ),
    oauthRoute(
      {
        ...details,
        method: 'GET',
        path: '/.well-known/oauth-authorization-server',
        body: serverMetadata,
        specRef: 'OpenID Connect',
      },
      metadata,
    ),
    oauthRoute(
      {
        ...details,
        method: 'GET',
        path: '/.well-known/webfinger',
        body: webfinger,
        specRef: 'OpenID Connect',
        params: () => ({ resource: required(string) }),
      },
      ({ context, params }) => {
        const subject = params.get('resource');
        if (subject === undefined) throw missingParameter('resource');
        return { subject, links: [{ rel: 'http://openid.net/specs/connect/1.0/issuer', href: context.baseUrl }] };
      },
    ),
  ];

  /**
   * Returns the user of a token with the scope `openid`.
   * @throws {WireFailure} As defined by RFC 6750 §3, without a body as on GitLab.
   */
  function personOf(sent: string | undefined, now: number): { readonly user: User; readonly scopes: readonly string[] } {
    if (sent === undefined) {
      throw bearerRefused('The access token is invalid', 'credentials.present', 'send the token as Authorization: Bearer');
    }
    const token = tokenByAccessToken(platform.store, sent);
    if (token === undefined) {
      throw bearerRefused('The access token is invalid', 'credentials.known', 'no OAuth access token has this value');
    }
    if (token.revoked_at !== null) {
      throw bearerRefused('The access token was revoked', 'credentials.alive', 'the token was revoked');
    }
    if (token.expires_at !== null && token.expires_at <= now) {
      throw bearerRefused('The access token expired', 'credentials.alive', 'the token has expired');
    }
    const user = token.user_id === null ? undefined : findUser(platform, token.user_id);
    if (user?.state !== 'active') {
      throw bearerRefused(
        'The access token is invalid',
        'credentials.person',
        'the token belongs to no user, or to a user who is blocked or deactivated',
      );
    }
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

  /** Returns the metadata of RFC 8414 and OpenID Connect Discovery, which share one document. */
  function metadataOf(baseUrl: string): Readonly<Record<string, unknown>> {
    const hasDevices = isAvailable({ addedIn: '17.1' }, platform.profile);
    return {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      introspection_endpoint: `${baseUrl}/oauth/introspect`,
      userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
      jwks_uri: `${baseUrl}/oauth/discovery/keys`,
      ...(hasDevices ? { device_authorization_endpoint: `${baseUrl}/oauth/authorize_device` } : {}),
      scopes_supported: ALL_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: grants.flatMap(({ types }) => types),
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claim_types_supported: ['normal'],
      claims_supported: ['iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', ...claimNames],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }
}
