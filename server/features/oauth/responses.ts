import * as z from 'zod';
import type { DeviceAuthorization, TokenResponse } from '../../../src/contract/oauth.ts';
import { address, count, id, named, readAs } from '../../http/responses.ts';

/** Seconds since the epoch. */
const seconds = () => z.int();

export const deviceAuthorization = named('DeviceAuthorization', () =>
  readAs<DeviceAuthorization>()(
    z.strictObject({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: address(),
      verification_uri_complete: address(),
      expires_in: count(),
      interval: count(),
    }),
  ),
);

export const tokenResponse = named('Token', () =>
  readAs<TokenResponse>()(
    z.strictObject({
      access_token: z.string(),
      token_type: z.enum(['bearer', 'Bearer']),
      expires_in: count(),
      // Tokens of an application itself cannot be renewed.
      refresh_token: z.string().exactOptional(),
      scope: z.string(),
      created_at: seconds(),
      // Only with the scope `openid`.
      id_token: z.string().exactOptional(),
    }),
  ),
);

export const revoked = named('Revoked', () => z.strictObject({}));

export const tokenInfo = named('TokenInfo', () =>
  z.strictObject({
    resource_owner_id: id().nullable(),
    scope: z.array(z.string()),
    expires_in: count().nullable(),
    application: z.strictObject({ uid: z.string().nullable() }),
    created_at: seconds(),
    scopes: z.array(z.string()),
    expires_in_seconds: count().nullable(),
  }),
);

export const introspection = named('Introspection', () =>
  z.union([
    z.strictObject({ active: z.literal(false) }),
    z.strictObject({
      active: z.literal(true),
      scope: z.string(),
      // Tokens of the password grant may belong to no application.
      client_id: z.string().exactOptional(),
      token_type: z.literal('Bearer'),
      // Refresh tokens do not expire.
      exp: seconds().exactOptional(),
      iat: seconds(),
    }),
  ]),
);

const groupPaths = () => z.array(z.string());

export const userInfo = named('UserInfo', () =>
  z.strictObject({
    sub: z.string(),
    sub_legacy: z.string(),
    name: z.string(),
    nickname: z.string(),
    preferred_username: z.string(),
    // Without the scope `email`, only public email addresses are included.
    email: z.string().exactOptional(),
    email_verified: z.boolean().exactOptional(),
    profile: address(),
    groups: groupPaths(),
    // Only for access levels that the user has in a group.
    'https://gitlab.org/claims/groups/owner': groupPaths().exactOptional(),
    'https://gitlab.org/claims/groups/maintainer': groupPaths().exactOptional(),
    'https://gitlab.org/claims/groups/developer': groupPaths().exactOptional(),
  }),
);

export const keySet = named('KeySet', () =>
  z.strictObject({
    keys: z.array(
      z.strictObject({
        kty: z.literal('RSA'),
        kid: z.string(),
        e: z.string(),
        n: z.string(),
        use: z.literal('sig'),
        alg: z.literal('RS256'),
      }),
    ),
  }),
);

export const metadata = named('ServerMetadata', () =>
  z.strictObject({
    issuer: address(),
    authorization_endpoint: address(),
    token_endpoint: address(),
    revocation_endpoint: address(),
    introspection_endpoint: address(),
    userinfo_endpoint: address(),
    jwks_uri: address(),
    // Since release 17.1.
    device_authorization_endpoint: address().exactOptional(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    claim_types_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
  }),
);

export const webfinger = named('WebFinger', () =>
  z.strictObject({ subject: z.string(), links: z.array(z.strictObject({ rel: z.string(), href: address() })) }),
);

const applicationMembers = () => ({
  id: id(),
  application_id: z.string(),
  application_name: z.string(),
  callback_url: z.string(),
  confidential: z.boolean(),
});

export const application = named('Application', () => z.strictObject(applicationMembers()));

/** New application with its secret, which no other response contains; null for public applications. */
export const newApplication = named('NewApplication', () =>
  z.strictObject({ ...applicationMembers(), secret: z.string().nullable() }),
);

export const renewedApplication = named('RenewedApplication', () =>
  z.strictObject({ ...applicationMembers(), secret: z.string() }),
);
