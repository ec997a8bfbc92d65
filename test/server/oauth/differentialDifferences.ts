import { decodeJwt } from 'jose';
import type { Line } from './differentialAgreements.ts';
import {
  authorize,
  beginDevice,
  clientCredentials,
  decideDevice,
  exchangeCode,
  introspect,
  poll,
  refresh,
  revoke,
  showing,
  type Step,
  token,
  userInfo,
  valueOf,
  wait,
} from './differentialSteps.ts';

export interface Difference {
  readonly name: string;
  /** Reason for the local server's behavior: the rule and its source. */
  readonly because: string;
  /** Requests with the summary of the local server's response and, where it differs, that of oidc-provider. */
  readonly lines: readonly (Line | readonly [step: Step, local: string, oracle: string])[];
}

const OTHER_VERIFIER = 'Zz10-._~'.repeat(6);
const board = { by: 'board' } as const;
const rival = { by: 'rival' } as const;
const code: Line = [authorize(), 'code'];
const tokens: Line = [exchangeCode(), '200'];
const boardCode: Line = [authorize({}, board), 'code'];
const boardTokens: Line = [exchangeCode({}, board), '200'];

/** All known differences between the local server and oidc-provider 9, with reasons. */
export const differences: readonly Difference[] = [
  // The authorization endpoint.
  {
    name: 'code_challenge_method=plain has its own error code',
    because: 'the error code of GitLab; both redirect to the client',
    lines: [[authorize({ code_challenge_method: 'plain' }), 'invalid_code_challenge_method', 'invalid_request']],
  },
  {
    name: 'a challenge without a method, which would mean plain, has the same error code',
    because: 'the error code of GitLab',
    lines: [[authorize({ code_challenge_method: undefined }), 'invalid_code_challenge_method', 'invalid_request']],
  },
  {
    name: 'an S256 challenge that does not have the length of a hash is refused immediately',
    because: 'no verifier can match: base64url of 32 bytes is 43 characters (RFC 7636 §4.2)',
    lines: [[authorize({ code_challenge: 'c'.repeat(44) }), 'invalid_request', 'code']],
  },
  {
    name: 'an unknown scope is refused and not ignored',
    because: 'less would be granted than requested without an indication (RFC 6749 §3.3)',
    lines: [[authorize({ scope: 'openid lamp' }), 'invalid_scope', 'code']],
  },
  {
    name: 'nonce and max_age without the scope openid are ignored',
    because: 'without OpenID Connect they are unknown parameters (RFC 6749 §3.1)',
    lines: [
      [authorize({ scope: 'api', nonce: 'n' }), 'code', 'invalid_request'],
      [authorize({ scope: 'api', max_age: '60' }), 'code', 'invalid_request'],
    ],
  },
  {
    name: 'prompt=create is ignored',
    because: 'GitLab ignores it',
    lines: [[authorize({ prompt: 'create' }), 'code', 'invalid_request']],
  },
  {
    name: 'prompt=select_account shows the page on which another account can be selected',
    because: 'defined by OpenID Connect Core §3.1.2.1; oidc-provider supports it only with additional configuration',
    lines: [[authorize({ prompt: 'select_account' }, { decision: 'look' }), 'asks for consent', 'invalid_request']],
  },
  {
    name: 'consent is requested for a public client each time',
    because: 'anybody can impersonate it (RFC 6749 §10.2)',
    lines: [code, tokens, [authorize({}, { decision: 'look' }), 'asks for consent', 'code']],
  },
  {
    name: 'a public client with prompt=none gets consent_required even after an earlier grant',
    because: 'anybody can impersonate it (RFC 6749 §10.2)',
    lines: [code, tokens, [authorize({ prompt: 'none' }), 'consent_required', 'code']],
  },
  {
    name: 'a native client with prompt=none gets consent_required',
    because: 'the specific error code of OpenID Connect Core §3.1.2.6; oidc-provider returns a general one',
    lines: [[authorize({ prompt: 'none' }, { by: 'program' }), 'consent_required', 'interaction_required']],
  },
  {
    name: 'a client secret in the URL of the page is refused',
    because: 'URLs appear in logs and histories (RFC 6749 §2.3.1)',
    lines: [[authorize({ client_secret: 'x' }), 'invalid_request', 'code']],
  },

  // PKCE.
  {
    name: 'a code with a challenge and no verifier is invalid_request',
    because: 'the error code of GitLab; the code stays valid with both',
    lines: [
      code,
      [exchangeCode({ code_verifier: undefined }), '400 invalid_request', '400 invalid_grant'],
      [exchangeCode(), '200'],
    ],
  },
  {
    name: 'a verifier that is too short is invalid_grant',
    because: 'a malformed verifier is treated like one that does not match (RFC 7636 §4.6)',
    lines: [code, [exchangeCode({ code_verifier: 'short' }), '400 invalid_grant', '400 invalid_request']],
  },
  {
    name: 'a verifier with invalid characters is invalid_grant',
    because: 'a malformed verifier is treated like one that does not match (RFC 7636 §4.6)',
    lines: [code, [exchangeCode({ code_verifier: '!'.repeat(43) }), '400 invalid_grant', '400 invalid_request']],
  },
  {
    name: 'a wrong verifier uses up the code',
    because: 'RFC 9700 §4.5',
    lines: [
      code,
      [exchangeCode({ code_verifier: OTHER_VERIFIER }), '400 invalid_grant'],
      [exchangeCode(), '400 invalid_grant', '200'],
    ],
  },

  // Client authentication.
  {
    name: 'every 401 has a challenge',
    because: 'RFC 9110 §15.5.2; oidc-provider sends one only for requests with the header, the minimum of RFC 6749 §5.2',
    lines: [[showing(clientCredentials({}, { secret: 'wrong' }), challengeScheme), 'Bearer', 'none']],
  },
  {
    name: 'a request without a client is invalid_client',
    because: 'RFC 6749 §5.2, invalid_client: “no client authentication included”',
    lines: [[clientCredentials({}, { auth: 'nothing' }), '401 invalid_client', '400 invalid_request']],
  },
  {
    name: 'unreadable HTTP Basic credentials are invalid_client',
    because: 'RFC 6749 §5.2: authentication by header fails with 401 and the same scheme',
    lines: [
      [withBasic('!'), '401 invalid_client', '400 invalid_request'],
      [withBasic(btoa('no colon')), '401 invalid_client', '400 invalid_request'],
      [withBasic(btoa('half%:encoded')), '401 invalid_client', '400 invalid_request'],
    ],
  },
  {
    name: 'a public client cannot use client credentials',
    because: 'RFC 6749 §4.4 and §5.2, unauthorized_client; the status of GitLab',
    lines: [[clientCredentials({}, { by: 'page' }), '401 unauthorized_client', '400 invalid_request']],
  },
  {
    name: 'a secret in the URL next to a valid one in the body is refused',
    because: 'RFC 6749 §2.3.1: “MUST NOT be included in the request URI”',
    lines: [[clientCredentials({}, { query: '?client_secret=x' }), '400 invalid_request', '200']],
  },

  // The token endpoint.
  {
    name: 'an invalid grant_type is reported before the client is authenticated',
    because: 'the order of GitLab',
    lines: [[token({ grant_type: 'lamp' }, { auth: 'nothing' }), '400 unsupported_grant_type', '400 invalid_request']],
  },
  {
    name: 'JSON bodies are supported',
    because: 'GitLab supports them, and its clients send them',
    lines: [[inJson(), '200', '400 invalid_request']],
  },
  {
    name: 'an array parameter is refused and not ignored',
    because: 'RFC 6749 §3.2',
    lines: [[clientCredentials({}, { again: [['scope[]', 'api']] }), '400 invalid_request', '200']],
  },
  {
    name: 'token responses contain the creation time',
    because: 'the documented interface has created_at (docs/interface.md#token-endpoint)',
    lines: [[showing(clientCredentials(), ({ created_at }) => typeof created_at), 'number', 'undefined']],
  },
  {
    name: 'client credentials with an unknown scope are refused',
    because: 'RFC 6749 §5.2, invalid_scope',
    lines: [[clientCredentials({ scope: 'lamp' }), '400 invalid_scope', '200']],
  },
  {
    name: 'the default scope is api',
    because: 'the default of GitLab; RFC 6749 §3.3 leaves it to the server',
    lines: [[showing(clientCredentials({ scope: undefined }), ({ scope }) => String(scope)), 'api', 'undefined']],
  },

  // Refresh.
  {
    name: 'a refresh revokes the previous access token',
    because: 'the old pair is revoked immediately (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh(), '200'], [userInfo('$access_token#1'), '401 invalid_token', '200']],
  },
  {
    name: 'a refresh token that is used again within ten seconds revokes nothing',
    because: 'two windows of one client may refresh at once (docs/interface.md#token-endpoint)',
    lines: [
      code,
      tokens,
      [refresh(), '200'],
      [refresh({ refresh_token: '$refresh_token#1' }), '400 invalid_grant'],
      [userInfo(), '200', '401 invalid_token'],
      [refresh(), '200', '400 invalid_grant'],
    ],
  },
  {
    name: 'the redirect_uri of a refresh must equal that of the authorization request',
    because: 'the documented interface requires it (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh({ redirect_uri: 'https://thief.example/' }), '400 invalid_grant', '200']],
  },
  {
    name: 'the code_verifier of a refresh is verified if it is sent',
    because: 'the verifier proves again that it is the client of the grant (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh({ code_verifier: OTHER_VERIFIER }), '400 invalid_grant', '200']],
  },
  {
    name: 'an unknown refresh token is reported before the client is authenticated',
    because: 'the order of GitLab',
    lines: [
      [refresh({ refresh_token: 'f'.repeat(64) }, { ...board, secret: 'wrong' }), '400 invalid_grant', '401 invalid_client'],
    ],
  },
  {
    name: 'the ID token of a refresh has no nonce',
    because: 'OpenID Connect Core §12.2: it “SHOULD NOT have a nonce Claim”',
    lines: [
      [authorize({ nonce: 'n-0S6_WzA2Mj' }), 'code'],
      tokens,
      [showing(refresh(), ({ id_token }) => String(decodeJwt(String(id_token))['nonce'])), 'undefined', 'n-0S6_WzA2Mj'],
    ],
  },
  {
    name: 'revoking one sign-in does not affect another of the same client',
    because: 'RFC 7009 §2.1: tokens “based on the same authorization grant”; oidc-provider has one grant per session',
    lines: [
      code,
      tokens,
      code,
      tokens,
      [revoke('$refresh_token#1'), '200'],
      [userInfo('$access_token#2'), '200', '401 invalid_token'],
    ],
  },

  // The device grant.
  {
    name: 'the polling interval is returned',
    because: 'documented (docs/interface.md#device-authorization); optional in RFC 8628 §3.2',
    lines: [[showing(beginDevice(), ({ interval }) => String(interval)), '5', 'undefined']],
  },
  {
    name: 'early polls get slow_down',
    because: 'RFC 8628 §3.5',
    lines: [
      [beginDevice(), '200'],
      [poll(), '400 authorization_pending'],
      [poll(), '400 slow_down', '400 authorization_pending'],
      [wait(10), 'waited'],
      [poll(), '400 authorization_pending'],
    ],
  },
  {
    name: 'a denied code stays denied until it expires',
    because: 'a client may have missed the first error (docs/interface.md#device-authorization)',
    lines: [
      [beginDevice(), '200'],
      [decideDevice('deny'), 'decided'],
      [poll(), '400 access_denied'],
      [poll(), '400 access_denied', '400 invalid_grant'],
      [wait(301), 'waited'],
      [poll(), '400 expired_token'],
    ],
  },
  {
    name: 'a second poll of a redeemed code does not revoke the tokens',
    because: 'a device code never leaves its client, so concurrent polls are not theft (RFC 8628 §3.5)',
    lines: [
      [beginDevice(), '200'],
      [decideDevice('approve'), 'decided'],
      [poll(), '200'],
      [poll(), '400 invalid_grant'],
      [userInfo(), '200', '401 invalid_token'],
    ],
  },
  {
    name: 'device_code is accepted as a grant type',
    because: 'GitLab accepts both names',
    lines: [
      [beginDevice(), '200'],
      [decideDevice('approve'), 'decided'],
      [poll({ grant_type: 'device_code' }), '200', '400 unsupported_grant_type'],
    ],
  },
  {
    name: 'a device request with an unknown scope is refused',
    because: 'RFC 8628 §3.1 and RFC 6749 §5.2, invalid_scope',
    lines: [[beginDevice({ scope: 'openid lamp' }), '400 invalid_scope', '200']],
  },

  // Introspection and revocation.
  {
    name: 'a public client cannot introspect tokens by its client ID',
    because: 'RFC 7662 §2.1: the endpoint requires authorization, and a client ID is none',
    lines: [code, tokens, [introspect('$access_token', {}, { by: 'page' }), '401 invalid_client', '200 active']],
  },
  {
    name: 'an access token of the client authorizes introspection of another one',
    because: 'GitLab’s second way (RFC 7662 §2.1)',
    lines: [
      [clientCredentials(), '200'],
      [clientCredentials(), '200'],
      [byBearer(), '200 active', '400 invalid_request'],
    ],
  },
  {
    name: 'an access token is inactive after a refresh',
    because: 'the old pair is revoked immediately (docs/interface.md#token-endpoint)',
    lines: [boardCode, boardTokens, [refresh({}, board), '200'], [introspect('$access_token#1'), '200 inactive', '200 active']],
  },
  {
    name: 'introspection returns the token_type of a refresh token',
    because: 'GitLab describes it like an access token',
    lines: [
      boardCode,
      boardTokens,
      [showing(introspect('$refresh_token'), ({ token_type }) => String(token_type)), 'Bearer', 'undefined'],
    ],
  },
  {
    name: 'introspection does not return the user',
    because: 'like GitLab',
    lines: [boardCode, boardTokens, [showing(introspect('$access_token'), ({ sub }) => String(sub)), 'undefined', '1']],
  },
  {
    name: 'revoking the token of another client is an error, and the token stays valid',
    because: 'GitLab returns 403 unauthorized_client (docs/interface.md#token-revocation)',
    lines: [
      boardCode,
      boardTokens,
      [revoke('$access_token', {}, rival), '403 unauthorized_client', '200'],
      [introspect('$access_token'), '200 active'],
    ],
  },
  {
    name: 'the body of a revocation is an empty object',
    because: 'the documented interface (docs/interface.md#token-revocation)',
    lines: [[showing(revoke('f'.repeat(64)), (_body, { text }) => text), '{}', '']],
  },
  {
    name: 'revoking a missing token succeeds',
    because: 'GitLab treats it like an unknown token',
    lines: [[revoke(undefined), '200', '400 invalid_request']],
  },
  {
    name: 'revoking without a client is invalid_client',
    because: 'RFC 6749 §5.2, invalid_client (docs/interface.md#token-revocation)',
    lines: [[revoke('f'.repeat(64), {}, { auth: 'nothing' }), '401 invalid_client', '400 invalid_request']],
  },

  // Userinfo.
  {
    name: 'errors of userinfo have no body',
    because: 'like GitLab; the error is in the challenge (RFC 6750 §3)',
    lines: [[showing(userInfo('f'.repeat(64)), (_body, { text }) => (text === '' ? 'nothing' : 'a body')), 'nothing', 'a body']],
  },
  {
    name: 'userinfo accepts the token in the URL',
    because: 'GitLab accepts it',
    lines: [code, tokens, [userInfo('$access_token', { carrier: 'query' }), '200', '400 invalid_request']],
  },
];

function challengeScheme(_body: unknown, { headers }: { readonly headers: Headers }): string {
  return headers.get('www-authenticate')?.split(' ', 1)[0] ?? 'none';
}

function withBasic(credentials: string): Step {
  return clientCredentials({}, { auth: 'nothing', headers: { Authorization: `Basic ${credentials}` } });
}

function inJson(): Step {
  return (scene) => {
    const { client_id, client_secret } = scene.client('board');
    const body = JSON.stringify({ grant_type: 'client_credentials', scope: 'api', client_id, client_secret });
    return token({}, { auth: 'nothing', body, headers: { 'Content-Type': 'application/json' } })(scene);
  };
}

/** Introspects the second token with the first one in the header. */
function byBearer(): Step {
  return (scene) => {
    const headers = { Authorization: `Bearer ${valueOf(scene, '$access_token#1')}` };
    return introspect('$access_token#2', {}, { auth: 'nothing', headers })(scene);
  };
}
