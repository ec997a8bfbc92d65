import { WireFailure } from '../../http/wireFailure.ts';

// Errors of the OAuth endpoints, named as on the wire (RFC 6749 §5.2, RFC 8628 §3.5). The texts are those of GitLab if it has
// them (docs/interface.md#token-endpoint). The request log has the exact reason and the rule that refused the request.

/** Realm of the challenges, the same as on GitLab (docs/interface.md#token-endpoint). */
export const REALM = 'Doorkeeper';

/** Body of all errors of these endpoints. */
export interface OAuthErrorBody {
  readonly error: string;
  readonly error_description: string;
}

export function isOAuthError(body: unknown): body is OAuthErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && 'error_description' in body;
}

function failure(status: number, error: string, description: string, rule: string, reason: string): WireFailure {
  const body: OAuthErrorBody = { error, error_description: description };
  return new WireFailure(status, body, { rule, reason });
}

export function missingParameter(name: string): WireFailure {
  return failure(
    400,
    'invalid_request',
    `Missing required parameter: ${name}.`,
    'parameters.required',
    `send the parameter ${name} in the body`,
  );
}

/** Returns an invalid_request. `description` is sent to the client and says what to send instead. */
export function invalidRequest(description: string, rule: string, reason = description): WireFailure {
  return failure(400, 'invalid_request', description, rule, reason);
}

export function malformedRequest(rule: string, reason: string): WireFailure {
  return invalidRequest(
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
    rule,
    reason,
  );
}

export function invalidClient(reason: string): WireFailure {
  return failure(
    401,
    'invalid_client',
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
    'client',
    reason,
  );
}

export function invalidGrant(rule: string, reason: string): WireFailure {
  return failure(
    400,
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    rule,
    reason,
  );
}

export function invalidScope(reason: string): WireFailure {
  return failure(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.', 'scope', reason);
}

/** Error of the authorization endpoint, which is sent to the redirect URI of the client (RFC 6749 §4.1.2.1). */
export function unsupportedResponseType(reason: string): WireFailure {
  return failure(
    400,
    'unsupported_response_type',
    'The authorization server does not support this response type.',
    'response_type',
    reason,
  );
}

export function unsupportedResponseMode(reason: string): WireFailure {
  return failure(
    400,
    'unsupported_response_mode',
    'The authorization server does not support this response mode.',
    'response_mode',
    reason,
  );
}

export function invalidChallengeMethod(methods: string, reason: string): WireFailure {
  return failure(
    400,
    'invalid_code_challenge_method',
    `The code_challenge_method must be one of ${methods}.`,
    'code_challenge_method',
    reason,
  );
}

export function invalidRedirectUri(reason: string): WireFailure {
  return failure(
    400,
    'invalid_redirect_uri',
    "The requested redirect uri is malformed or doesn't match client redirect URI.",
    'redirect_uri',
    reason,
  );
}

/** Error in response to `prompt=none` if a page is needed (OpenID Connect Core §3.1.2.6). */
export function promptNeeded(error: 'login_required' | 'consent_required', reason: string): WireFailure {
  const text = {
    login_required: 'The authorization server requires end-user authentication.',
    consent_required: 'The authorization server requires end-user consent.',
  };
  return failure(400, error, text[error], 'prompt', reason);
}

export function unsupportedGrantType(reason: string): WireFailure {
  return failure(
    400,
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server.',
    'grant_type',
    reason,
  );
}

/** 401 for an invalid token that authenticates the caller. */
export function invalidBearer(description: string, reason: string): WireFailure {
  return failure(401, 'invalid_token', description, 'credentials.alive', reason);
}

/**
 * Refusal that is only sent in the challenge (RFC 6750 §3), with an empty body as on GitLab
 * (docs/interface.md#openid-connect).
 */
export function bearerRefused(
  description: string,
  rule: string,
  reason: string,
  error: 'invalid_token' | 'insufficient_scope' = 'invalid_token',
): WireFailure {
  const scope = error === 'insufficient_scope' ? ', scope="openid"' : '';
  return new WireFailure(
    error === 'invalid_token' ? 401 : 403,
    undefined,
    { rule, reason },
    { 'WWW-Authenticate': `Bearer realm="${REALM}", error="${error}", error_description="${description}"${scope}` },
  );
}

/** 401 as on GitLab (docs/interface.md#token-endpoint), although RFC 6749 §5.2 defines 400. */
export function unauthorizedClient(rule: string, reason: string): WireFailure {
  return failure(
    401,
    'unauthorized_client',
    'The client is not authorized to perform this request using this method.',
    rule,
    reason,
  );
}

/** 403 for revoking the token of another client. */
export function foreignToken(): WireFailure {
  return failure(
    403,
    'unauthorized_client',
    'You are not authorized to revoke this token',
    'revoke.client',
    'the token was issued to another application',
  );
}

export function authorizationPending(): WireFailure {
  return failure(
    400,
    'authorization_pending',
    'The user has not approved or denied the request yet.',
    'device.pending',
    'the user has not approved or denied the request yet; keep polling at the interval',
  );
}

export function slowDown(seconds: number): WireFailure {
  return failure(
    400,
    'slow_down',
    `Polled too often. Wait at least ${seconds} seconds between polls from now on.`,
    'device.interval',
    `the poll came too early; the interval of this device code is now ${seconds} seconds`,
  );
}

export function expiredToken(): WireFailure {
  return failure(
    400,
    'expired_token',
    'The device code has expired. Start a new device authorization request.',
    'device.expiry',
    'the device code has expired; request a new one at /oauth/authorize_device',
  );
}

export function accessDenied(reason = 'the user denied the request; stop polling', rule = 'device.denied'): WireFailure {
  return failure(400, 'access_denied', 'The resource owner or authorization server denied the request.', rule, reason);
}

/** 429 while too many device codes of one client and IP address are pending. */
export function tooManyDeviceCodes(limit: number, retryAfter: number): WireFailure {
  return new WireFailure(
    429,
    {
      error: 'slow_down',
      error_description: `${limit} device codes of this client are waiting for their users. Let one be used or expire first.`,
    },
    {
      rule: 'device.outstanding',
      reason: `at most ${limit} device codes may be pending per client and IP address; retry in ${retryAfter} seconds`,
    },
    { 'Retry-After': String(retryAfter) },
  );
}
