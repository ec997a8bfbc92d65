import { isAvailable } from '../../core/profile.ts';
import type { Core } from '../../core/core.ts';
import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import { claimNames } from './claims.ts';
import { missingParameter } from './failures.ts';
import type { OAuthRequest } from './route.ts';

/** Returns the metadata of RFC 8414 and OpenID Connect Discovery, which share one document. */
export function serverMetadata(
  { profile }: Core,
  grantTypes: readonly string[],
  baseUrl: string,
): Readonly<Record<string, unknown>> {
  const hasDevices = isAvailable({ addedIn: '17.1' }, profile);
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
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
    claims_supported: ['iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', ...claimNames],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Returns the issuer of any account (OpenID Connect Discovery §2). */
export function findIssuer({ context, params }: OAuthRequest) {
  const subject = params.get('resource');
  if (subject === undefined) throw missingParameter('resource');
  return { subject, links: [{ rel: 'http://openid.net/specs/connect/1.0/issuer', href: context.baseUrl }] };
}
