import { integerMember, isJsonObject, stringMember } from './json.ts';

/** `grant_type` of the device authorization grant (RFC 8628 §3.4). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export const REFRESH_TOKEN_GRANT = 'refresh_token';

export const AUTHORIZATION_CODE_GRANT = 'authorization_code';

/** Response of `POST /oauth/authorize_device`. */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  /** Contains the user code as query parameter `user_code`. Optional by RFC 8628 §3.2. */
  readonly verification_uri_complete?: string;
  /** Seconds until the device code expires. */
  readonly expires_in: number;
  /** Seconds between two polls. */
  readonly interval: number;
  readonly [member: string]: unknown;
}

/** Successful response of `POST /oauth/token`. The optional members depend on grant and dialect. */
export interface TokenResponse {
  readonly access_token: string;
  /** `bearer` or `Bearer`; RFC 6749 §5.1 makes it case-insensitive. */
  readonly token_type: string;
  /** Lifetime in seconds; absent when the token does not expire. */
  readonly expires_in?: number;
  readonly refresh_token?: string;
  /** Space-separated; absent if it equals the requested scope. */
  readonly scope?: string;
  /** Unix time in seconds, by the server's clock. */
  readonly created_at?: number;
  readonly [member: string]: unknown;
}

/** Error response of the OAuth endpoints (RFC 6749 §5.2). */
export interface OAuthErrorResponse {
  readonly error: string;
  readonly error_description?: string;
  readonly [member: string]: unknown;
}

/** Interval in seconds if the response contains none (RFC 8628 §3.2). */
export const DEFAULT_POLL_INTERVAL = 5;

export function readDeviceAuthorization(body: unknown): DeviceAuthorization | undefined {
  if (!isJsonObject(body)) return undefined;
  const deviceCode = stringMember(body, 'device_code');
  const userCode = stringMember(body, 'user_code');
  const verificationUri = stringMember(body, 'verification_uri');
  const expiresIn = integerMember(body, 'expires_in');
  if (deviceCode === undefined || userCode === undefined || verificationUri === undefined || expiresIn === undefined)
    return undefined;
  const { verification_uri_complete: _, ...members } = body;
  const complete = stringMember(body, 'verification_uri_complete');
  return {
    ...members,
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    ...(complete === undefined ? {} : { verification_uri_complete: complete }),
    expires_in: expiresIn,
    interval: integerMember(body, 'interval') ?? DEFAULT_POLL_INTERVAL,
  };
}

/** Reads a response with a bearer token. Returns undefined for other token types, which a client must not use (RFC 6749 §7.1). */
export function readTokenResponse(body: unknown): TokenResponse | undefined {
  if (!isJsonObject(body)) return undefined;
  const accessToken = stringMember(body, 'access_token');
  const tokenType = stringMember(body, 'token_type');
  if (accessToken === undefined || accessToken === '' || tokenType?.toLowerCase() !== 'bearer') return undefined;
  const { expires_in: _expires, refresh_token: _refresh, scope: _scope, created_at: _created, ...members } = body;
  const expiresIn = integerMember(body, 'expires_in');
  const refreshToken = stringMember(body, 'refresh_token');
  const scope = stringMember(body, 'scope');
  const createdAt = integerMember(body, 'created_at');
  return {
    ...members,
    access_token: accessToken,
    token_type: tokenType,
    ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
  };
}

export function readOAuthError(body: unknown): OAuthErrorResponse | undefined {
  if (!isJsonObject(body)) return undefined;
  const error = stringMember(body, 'error');
  if (error === undefined) return undefined;
  const { error_description: _, ...members } = body;
  const description = stringMember(body, 'error_description');
  return { ...members, error, ...(description === undefined ? {} : { error_description: description }) };
}
