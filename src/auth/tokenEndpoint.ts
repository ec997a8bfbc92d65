import * as l10n from '@vscode/l10n';
import type { WireResponse, WireRequest } from '../api/transport.ts';
import { parseJson } from '../contract/json.ts';
import { REFRESH_TOKEN_GRANT, type TokenResponse, readOAuthError, readTokenResponse } from '../contract/oauth.ts';

/** An error response of an OAuth endpoint, or a response that is not OAuth (`code` is `not_oauth`). A redirect has status 0. */
export class OAuthFailure extends Error {
  /** Error code as in the response: `invalid_client`, `invalid_grant`, … */
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, text: string) {
    super(text);
    this.name = 'OAuthFailure';
    this.code = code;
    this.status = status;
  }
}

/** Returns a POST with a form body, the only parameters that every OAuth endpoint reads (RFC 6749 §4, appendix B). */
export function formRequest(url: string, parameters: Readonly<Record<string, string>>): WireRequest {
  return {
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  };
}

export function refreshRequest(baseUrl: string, clientId: string, refreshToken: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/token`, {
    grant_type: REFRESH_TOKEN_GRANT,
    client_id: clientId,
    refresh_token: refreshToken,
  });
}

/** Returns the request that finds out whether an instance accepts a token. */
export function userRequest(baseUrl: string, accessToken: string): WireRequest {
  return { method: 'GET', url: `${baseUrl}/api/v4/user`, headers: bearer(accessToken) };
}

/** Returns the request with which a personal access token revokes itself. */
export function revokeOwnRequest(baseUrl: string, accessToken: string): WireRequest {
  return { method: 'DELETE', url: `${baseUrl}/api/v4/personal_access_tokens/self`, headers: bearer(accessToken) };
}

function bearer(accessToken: string): WireRequest['headers'] {
  return { accept: 'application/json', authorization: `Bearer ${accessToken}` };
}

/** Returns the request that revokes a token (RFC 7009 §2.1). */
export function revokeRequest(baseUrl: string, clientId: string, token: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/revoke`, { client_id: clientId, token });
}

/** Returns the tokens of a success response. Throws an `OAuthFailure` for any other. */
export function processTokenResponse(response: WireResponse): TokenResponse {
  const tokens = response.status === 200 ? readTokenResponse(parseJson(response.body)) : undefined;
  if (tokens === undefined) throw oauthFailure(response);
  return tokens;
}

/** Returns the failure for a response that is not a success. */
export function oauthFailure(response: WireResponse): OAuthFailure {
  const error = response.status >= 400 ? readOAuthError(parseJson(response.body)) : undefined;
  if (error === undefined)
    return new OAuthFailure(
      'not_oauth',
      response.status,
      l10n.t('a response that is not valid OAuth (status {0})', response.status),
    );
  return new OAuthFailure(error.error, response.status, error.error_description ?? error.error);
}
