import {
  authorize,
  beginDevice,
  CHALLENGE,
  clientCredentials,
  decideDevice,
  exchangeCode,
  introspect,
  poll,
  read,
  refresh,
  revoke,
  type Step,
  token,
  userInfo,
  VERIFIER,
  wait,
} from './differentialSteps.ts';

/** A request and the summary of the response that both servers must return; the other parts of the responses are compared, too. */
export type Line = readonly [step: Step, summary: string];

export interface Agreement {
  readonly name: string;
  readonly lines: readonly Line[];
}

const OTHER_VERIFIER = 'Zz10-._~'.repeat(6);
const board = { by: 'board' } as const;
const rival = { by: 'rival' } as const;
const program = { by: 'program' } as const;
const basic = { by: 'board', auth: 'basic' } as const;
const code: Line = [authorize(), 'code'];
const boardCode: Line = [authorize({}, board), 'code'];

/** Conversations in which the local server and oidc-provider behave alike, by subject. */
export const agreements: Readonly<Record<string, readonly Agreement[]>> = {
  'authorization errors shown on a page': [
    { name: 'no client_id', lines: [[authorize({ client_id: undefined }), 'page 400 invalid_request']] },
    { name: 'an unknown client', lines: [[authorize({ client_id: 'nobody' }), 'page 400 invalid_client']] },
    {
      name: 'an unknown redirect URI',
      lines: [[authorize({ redirect_uri: 'https://thief.example/' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a registered redirect URI with a longer path',
      lines: [[authorize({ redirect_uri: 'https://lamps.example/callback/more' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a registered redirect URI with a query',
      lines: [[authorize({ redirect_uri: 'https://lamps.example/callback?more=1' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a registered redirect URI with a fragment',
      lines: [[authorize({ redirect_uri: 'https://lamps.example/callback#more' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a redirect URI with another scheme than the registered one',
      lines: [[authorize({ redirect_uri: 'http://lamps.example/callback' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a redirect URI of another client',
      lines: [[authorize({ redirect_uri: 'https://rival.example/callback' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'client_id twice',
      lines: [[authorize({}, { again: [['client_id', 'another']] }), 'page 400 invalid_request']],
    },
    {
      name: 'redirect_uri twice',
      lines: [[authorize({}, { again: [['redirect_uri', 'https://thief.example/']] }), 'page 400 invalid_request']],
    },
  ],

  'authorization errors sent to the client': [
    { name: 'no response_type', lines: [[authorize({ response_type: undefined }), 'invalid_request']] },
    { name: 'an unknown response_type', lines: [[authorize({ response_type: 'lamp' }), 'unsupported_response_type']] },
    { name: 'an unknown response_mode', lines: [[authorize({ response_mode: 'pigeon' }), 'unsupported_response_mode']] },
    { name: 'a scope with invalid characters', lines: [[authorize({ scope: 'a"b' }), 'invalid_scope']] },
    {
      name: 'a known scope that the client may not request',
      lines: [[authorize({ scope: 'openid email' }, rival), 'invalid_scope']],
    },
    { name: 'state twice', lines: [[authorize({}, { again: [['state', 'abc']] }), 'invalid_request']] },
    { name: 'scope twice', lines: [[authorize({}, { again: [['scope', 'api']] }), 'invalid_request']] },
    { name: 'a public client without PKCE', lines: [[withoutChallenge(), 'invalid_request']] },
    {
      name: 'a challenge that is not a hash',
      lines: [[authorize({ code_challenge: 'short' }), 'invalid_request']],
    },
    {
      name: 'a method without a challenge',
      lines: [[authorize({ code_challenge: undefined }), 'invalid_request']],
    },
    { name: 'an unknown prompt', lines: [[authorize({ prompt: 'shout' }), 'invalid_request']] },
    { name: 'prompt=none with another value', lines: [[authorize({ prompt: 'none login' }), 'invalid_request']] },
    { name: 'a max_age that is not a number', lines: [[authorize({ max_age: 'young' }), 'invalid_request']] },
    { name: 'denial by the user', lines: [[authorize({}, { decision: 'deny' }), 'access_denied']] },
    {
      name: 'denial of a request without state',
      lines: [[authorize({ state: undefined }, { decision: 'deny' }), 'access_denied']],
    },
    {
      name: 'denial with the response in the fragment',
      lines: [[authorize({ response_mode: 'fragment' }, { decision: 'deny' }), 'access_denied']],
    },
    {
      name: 'errors in the requested response_mode',
      lines: [[authorize({ response_mode: 'fragment', prompt: 'none login' }), 'invalid_request']],
    },
  ],

  'authorization responses': [
    { name: 'a code in the query', lines: [code] },
    { name: 'a code in the fragment', lines: [[authorize({ response_mode: 'fragment' }), 'code']] },
    { name: 'a code in a form', lines: [[authorize({ response_mode: 'form_post' }), 'code']] },
    { name: 'response_mode=query as the default', lines: [[authorize({ response_mode: 'query' }), 'code']] },
    { name: 'no state', lines: [[authorize({ state: undefined }), 'code']] },
    { name: 'a state with special characters', lines: [[authorize({ state: 'a b+c&d=e%20ü"<>#?' }), 'code']] },
    { name: 'a state of 2,000 characters', lines: [[authorize({ state: 's'.repeat(2000) }), 'code']] },
    {
      name: 'a redirect URI that keeps its query',
      lines: [[authorize({ redirect_uri: 'https://lamps.example/callback?board=1' }, board), 'code']],
    },
    {
      name: 'a loopback redirect URI with any port',
      lines: [[authorize({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), 'code']],
    },
    {
      name: 'a private-use URI scheme',
      lines: [[authorize({ redirect_uri: 'com.lamps.board:/callback' }, program), 'code']],
    },
    { name: 'an unknown parameter, which is ignored', lines: [[authorize({ lamp: 'green' }), 'code']] },
  ],

  'prompt and max_age': [
    { name: 'the sign-in page when signed out', lines: [[authorize({}, { signedOut: true }), 'asks to sign in']] },
    { name: 'the consent page when signed in', lines: [[authorize({}, { decision: 'look' }), 'asks for consent']] },
    {
      name: 'prompt=none when signed out',
      lines: [[authorize({ prompt: 'none' }, { signedOut: true }), 'login_required']],
    },
    {
      name: 'prompt=none without an earlier grant',
      lines: [[authorize({ prompt: 'none' }, board), 'consent_required']],
    },
    {
      name: 'prompt=none after an equal grant to a confidential client',
      lines: [boardCode, [exchangeCode({}, board), '200'], [authorize({ prompt: 'none' }, board), 'code']],
    },
    {
      name: 'no consent page after an equal grant to a confidential client',
      lines: [boardCode, [exchangeCode({}, board), '200'], [authorize({}, { ...board, decision: 'look' }), 'code']],
    },
    {
      name: 'the consent page for more scopes than granted',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [authorize({ scope: 'openid api email' }, { ...board, decision: 'look' }), 'asks for consent'],
      ],
    },
    {
      name: 'prompt=consent, which shows the consent page again',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [authorize({ prompt: 'consent' }, { ...board, decision: 'look' }), 'asks for consent'],
      ],
    },
    { name: 'prompt=login, which shows the sign-in page', lines: [[authorize({ prompt: 'login' }), 'asks to sign in']] },
    {
      name: 'max_age in the past, which shows the sign-in page',
      lines: [code, [wait(61), 'waited'], [authorize({ max_age: '60' }), 'asks to sign in']],
    },
    {
      name: 'max_age that has not passed',
      lines: [
        [authorize({}, program), 'code'],
        [wait(30), 'waited'],
        [authorize({ max_age: '60' }, { ...program, decision: 'look' }), 'asks for consent'],
      ],
    },
    {
      name: 'max_age in the past with prompt=none',
      lines: [code, [wait(61), 'waited'], [authorize({ max_age: '60', prompt: 'none' }), 'login_required']],
    },
  ],

  'code exchange': [
    { name: 'a public client with its verifier', lines: [code, [exchangeCode(), '200']] },
    { name: 'a confidential client', lines: [boardCode, [exchangeCode({}, board), '200']] },
    {
      name: 'a confidential client with a verifier',
      lines: [
        [authorize({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, board), 'code'],
        [exchangeCode({ code_verifier: VERIFIER }, board), '200'],
      ],
    },
    {
      name: 'no ID token without the scope openid',
      lines: [
        [authorize({ scope: 'api read_user' }), 'code'],
        [exchangeCode(), '200'],
      ],
    },
    {
      name: 'the nonce of the request in the ID token',
      lines: [
        [authorize({ nonce: 'n-0S6_WzA2Mj' }), 'code'],
        [exchangeCode(), '200'],
      ],
    },
    { name: 'a wrong verifier', lines: [code, [exchangeCode({ code_verifier: OTHER_VERIFIER }), '400 invalid_grant']] },
    {
      name: 'a verifier for a request without a challenge',
      lines: [boardCode, [exchangeCode({ code_verifier: VERIFIER }, board), '400 invalid_grant']],
    },
    {
      name: 'a wrong redirect URI, then the right one',
      lines: [code, [exchangeCode({ redirect_uri: 'https://lamps.example/' }), '400 invalid_grant'], [exchangeCode(), '200']],
    },
    { name: 'no redirect URI', lines: [code, [exchangeCode({ redirect_uri: undefined }), '400 invalid_request']] },
    {
      name: 'a loopback redirect URI with another port than in the request',
      lines: [
        [authorize({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), 'code'],
        [exchangeCode({ redirect_uri: 'http://127.0.0.1:49153/callback' }, program), '400 invalid_grant'],
        [exchangeCode({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), '200'],
      ],
    },
    { name: 'no code', lines: [[exchangeCode({ code: undefined }), '400 invalid_request']] },
    { name: 'an unknown code', lines: [[exchangeCode({ code: 'f'.repeat(64) }), '400 invalid_grant']] },
    {
      name: 'another client, which does not use up the code',
      lines: [
        code,
        [exchangeCode({ redirect_uri: 'https://lamps.example/callback' }, { by: 'otherPage' }), '400 invalid_grant'],
        [exchangeCode(), '200'],
      ],
    },
    {
      name: 'a second exchange, which is refused and revokes the tokens',
      lines: [
        code,
        [exchangeCode(), '200'],
        [userInfo(), '200'],
        [exchangeCode(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'a second exchange after a refresh, which revokes the new tokens, too',
      lines: [
        code,
        [exchangeCode(), '200'],
        [refresh(), '200'],
        [exchangeCode(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    { name: 'an exchange after ten minutes', lines: [code, [wait(601), 'waited'], [exchangeCode(), '400 invalid_grant']] },
    { name: 'an exchange within ten minutes', lines: [code, [wait(590), 'waited'], [exchangeCode(), '200']] },
  ],

  'client authentication': [
    { name: 'HTTP Basic', lines: [[clientCredentials({}, basic), '200']] },
    { name: 'a secret in the body', lines: [[clientCredentials(), '200']] },
    {
      name: 'HTTP Basic with the scheme in another case',
      lines: [boardCode, [basicAs((basicValue) => basicValue.replace('Basic', 'bAsIc')), '200']],
    },
    {
      name: 'HTTP Basic with form-encoded characters',
      lines: [boardCode, [basicAs((_value, id, secret) => encodedBasic(id, secret)), '200']],
    },
    {
      name: 'a wrong secret by HTTP Basic',
      lines: [[clientCredentials({}, { ...basic, secret: 'wrong' }), '401 invalid_client']],
    },
    { name: 'a wrong secret in the body', lines: [[clientCredentials({}, { secret: 'wrong' }), '401 invalid_client']] },
    { name: 'a confidential client without a secret', lines: [[clientCredentials({}, { auth: 'name' }), '401 invalid_client']] },
    {
      name: 'a public client with a secret',
      lines: [code, [exchangeCode({}, { secret: 'invented' }), '401 invalid_client'], [exchangeCode(), '200']],
    },
    { name: 'HTTP Basic and the body at once', lines: [[clientCredentials({}, { auth: 'both' }), '400 invalid_request']] },
    {
      name: 'HTTP Basic and another client_id in the body',
      lines: [[clientCredentials({ client_id: 'another' }, basic), '400 invalid_request']],
    },
    { name: 'an unknown client', lines: [[clientCredentials({ client_id: 'nobody' }), '401 invalid_client']] },
    {
      name: 'a wrong secret does not use up the code',
      lines: [
        boardCode,
        [exchangeCode({}, { ...board, secret: 'wrong' }), '401 invalid_client'],
        [exchangeCode({}, board), '200'],
      ],
    },
    {
      name: 'a secret in the URL, which is ignored',
      lines: [[clientCredentials({}, { auth: 'nothing', query: '?client_id=board&client_secret=x' }), '400 invalid_request']],
    },
  ],

  'token requests': [
    { name: 'no grant_type', lines: [[token({}, board), '400 invalid_request']] },
    { name: 'an unknown grant_type', lines: [[token({ grant_type: 'lamp' }, board), '400 unsupported_grant_type']] },
    { name: 'the implicit grant', lines: [[token({ grant_type: 'implicit' }, board), '400 unsupported_grant_type']] },
    {
      name: 'GET, which is not supported',
      lines: [[token({ grant_type: 'client_credentials' }, { ...board, method: 'GET' }), '404']],
    },
    {
      name: 'grant_type twice',
      lines: [[clientCredentials({}, { again: [['grant_type', 'refresh_token']] }), '400 invalid_request']],
    },
    { name: 'client_id twice', lines: [[clientCredentials({}, { again: [['client_id', 'another']] }), '400 invalid_request']] },
    {
      name: 'code twice',
      lines: [code, [exchangeCode({}, { again: [['code', 'another']] }), '400 invalid_request'], [exchangeCode(), '200']],
    },
    {
      name: 'a text that is not a form',
      lines: [[clientCredentials({}, { headers: { 'Content-Type': 'text/plain' } }), '400 invalid_request']],
    },
    {
      name: 'client credentials, which return no refresh token',
      lines: [[clientCredentials({ scope: 'read_user' }), '200']],
    },
    {
      name: 'client credentials with a scope that the client may not request',
      lines: [[clientCredentials({ scope: 'email' }, rival), '400 invalid_scope']],
    },
    {
      name: 'client credentials with invalid characters in the scope',
      lines: [[clientCredentials({ scope: 'a"b' }), '400 invalid_scope']],
    },
  ],

  'refresh tokens': [
    { name: 'a new pair and a new ID token', lines: [code, [exchangeCode(), '200'], [refresh(), '200'], [userInfo(), '200']] },
    {
      name: 'a refresh by a confidential client',
      lines: [boardCode, [exchangeCode({}, board), '200'], [refresh({}, board), '200'], [refresh({}, basic), '200']],
    },
    {
      name: 'a replay after a while, which revokes everything',
      lines: [
        code,
        [exchangeCode(), '200'],
        [refresh(), '200'],
        [wait(11), 'waited'],
        [refresh({ refresh_token: '$refresh_token#1' }), '400 invalid_grant'],
        [refresh(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
      ],
    },
    {
      name: 'a refresh with the new token',
      lines: [code, [exchangeCode(), '200'], [refresh(), '200'], [refresh(), '200'], [userInfo(), '200']],
    },
    {
      name: 'a refresh with fewer scopes',
      lines: [code, [exchangeCode(), '200'], [refresh({ scope: 'openid' }), '200']],
    },
    {
      name: 'a refresh with all scopes after one with fewer',
      lines: [code, [exchangeCode(), '200'], [refresh({ scope: 'openid' }), '200'], [refresh(), '200']],
    },
    {
      name: 'no ID token after a refresh without openid',
      lines: [code, [exchangeCode(), '200'], [refresh({ scope: 'api' }), '200']],
    },
    {
      name: 'a refresh with more scopes, which is refused and leaves the token valid',
      lines: [code, [exchangeCode(), '200'], [refresh({ scope: 'openid api email' }), '400 invalid_scope'], [refresh(), '200']],
    },
    {
      name: 'a refresh by another public client, which is refused and leaves the token valid',
      lines: [code, [exchangeCode(), '200'], [refresh({}, { by: 'otherPage' }), '400 invalid_grant'], [refresh(), '200']],
    },
    {
      name: 'a refresh by another confidential client, which is refused and leaves the token valid',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [refresh({}, rival), '400 invalid_grant'],
        [refresh({}, board), '200'],
      ],
    },
    {
      name: 'a refresh with a wrong secret, which is refused and leaves the token valid',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [refresh({}, { ...board, secret: 'wrong' }), '401 invalid_client'],
        [refresh({}, board), '200'],
      ],
    },
    { name: 'an unknown refresh token', lines: [[refresh({ refresh_token: 'f'.repeat(64) }), '400 invalid_grant']] },
    {
      name: 'an access token as refresh token',
      lines: [code, [exchangeCode(), '200'], [refresh({ refresh_token: '$access_token' }), '400 invalid_grant']],
    },
    { name: 'a missing refresh token', lines: [[refresh({ refresh_token: undefined }), '400 invalid_request']] },
    {
      name: 'a refresh after the access token has expired',
      lines: [
        code,
        [exchangeCode(), '200'],
        [wait(7201), 'waited'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '200'],
        [userInfo(), '200'],
      ],
    },
  ],

  'the device grant': [
    {
      name: 'a pending code',
      lines: [
        [beginDevice(), '200'],
        [poll(), '400 authorization_pending'],
      ],
    },
    {
      name: 'approval',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll(), '200'],
        [userInfo(), '200'],
        [refresh(), '200'],
      ],
    },
    {
      name: 'a confidential client with either authentication method',
      lines: [
        [beginDevice({}, basic), '200'],
        [decideDevice('approve'), 'decided'],
        [poll({}, board), '200'],
      ],
    },
    {
      name: 'denial',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('deny'), 'decided'],
        [poll(), '400 access_denied'],
      ],
    },
    {
      name: 'a second poll after the tokens were issued',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll(), '200'],
        [poll(), '400 invalid_grant'],
      ],
    },
    {
      name: 'another client, which does not use up the code',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll({}, { by: 'otherPage' }), '400 invalid_grant'],
        [poll(), '200'],
      ],
    },
    { name: 'an unknown device code', lines: [[poll({ device_code: 'f'.repeat(64) }), '400 invalid_grant']] },
    { name: 'a missing device code', lines: [[poll({ device_code: undefined }), '400 invalid_request']] },
    {
      name: 'repeated polls after five minutes',
      lines: [
        [beginDevice(), '200'],
        [wait(301), 'waited'],
        [poll(), '400 expired_token'],
        [poll(), '400 expired_token'],
      ],
    },
    {
      name: 'an approved code that has expired',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [wait(301), 'waited'],
        [poll(), '400 expired_token'],
      ],
    },
    { name: 'a device request by an unknown client', lines: [[beginDevice({ client_id: 'nobody' }), '401 invalid_client']] },
    {
      name: 'a device request by a confidential client without its secret',
      lines: [[beginDevice({}, { ...board, auth: 'name' }), '401 invalid_client']],
    },
    {
      name: 'a device request with a wrong secret',
      lines: [[beginDevice({}, { ...basic, secret: 'wrong' }), '401 invalid_client']],
    },
    { name: 'scope twice', lines: [[beginDevice({}, { again: [['scope', 'api']] }), '400 invalid_request']] },
    {
      name: 'a known scope that the client may not request',
      lines: [[beginDevice({ scope: 'email' }, rival), '400 invalid_scope']],
    },
    { name: 'a scope with invalid characters', lines: [[beginDevice({ scope: 'a"b' }), '400 invalid_scope']] },
  ],

  introspection: [
    {
      name: 'an access token',
      lines: [boardCode, [exchangeCode({}, board), '200'], [introspect('$access_token'), '200 active']],
    },
    {
      name: 'a refresh token',
      lines: [boardCode, [exchangeCode({}, board), '200'], [introspect('$refresh_token'), '200 active']],
    },
    {
      name: 'a refresh token with the right hint',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [introspect('$refresh_token', { token_type_hint: 'refresh_token' }), '200 active'],
      ],
    },
    {
      name: 'an access token with the hint refresh_token',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [introspect('$access_token', { token_type_hint: 'refresh_token' }), '200 active'],
      ],
    },
    {
      name: 'an access token with an unknown hint',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [introspect('$access_token', { token_type_hint: 'lamp' }), '200 active'],
      ],
    },
    { name: 'a text that is not a token', lines: [[introspect('f'.repeat(64)), '200 inactive']] },
    {
      name: 'an access token of another client',
      lines: [boardCode, [exchangeCode({}, board), '200'], [introspect('$access_token', {}, rival), '200 inactive']],
    },
    {
      name: 'a refresh token of another client',
      lines: [boardCode, [exchangeCode({}, board), '200'], [introspect('$refresh_token', {}, rival), '200 inactive']],
    },
    {
      name: 'an expired token',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [wait(7201), 'waited'],
        [introspect('$access_token'), '200 inactive'],
        [introspect('$refresh_token'), '200 active'],
      ],
    },
    {
      name: 'a spent refresh token',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [refresh({}, board), '200'],
        [introspect('$refresh_token#1'), '200 inactive'],
        [introspect('$refresh_token#2'), '200 active'],
      ],
    },
    {
      name: 'a client credentials token',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token'), '200 active'],
      ],
    },
    {
      name: 'a request with HTTP Basic',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, basic), '200 active'],
      ],
    },
    {
      name: 'a wrong secret',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, { secret: 'wrong' }), '401 invalid_client'],
      ],
    },
    {
      name: 'a request without a client',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, { auth: 'nothing' }), '400 invalid_request'],
      ],
    },
  ],

  revocation: [
    {
      name: 'an access token, which ends the sign-in',
      lines: [
        code,
        [exchangeCode(), '200'],
        [revoke('$access_token'), '200'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'a refresh token, which ends the sign-in',
      lines: [
        code,
        [exchangeCode(), '200'],
        [revoke('$refresh_token'), '200'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'a refresh token with the hint access_token',
      lines: [
        code,
        [exchangeCode(), '200'],
        [revoke('$refresh_token', { token_type_hint: 'access_token' }), '200'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'an access token with an unknown hint',
      lines: [
        code,
        [exchangeCode(), '200'],
        [revoke('$access_token', { token_type_hint: 'lamp' }), '200'],
        [userInfo(), '401 invalid_token'],
      ],
    },
    { name: 'a text that is not a token', lines: [[revoke('f'.repeat(64)), '200']] },
    {
      name: 'a token that is revoked twice',
      lines: [code, [exchangeCode(), '200'], [revoke('$access_token'), '200'], [revoke('$access_token'), '200']],
    },
    {
      name: 'a wrong secret, which revokes nothing',
      lines: [
        boardCode,
        [exchangeCode({}, board), '200'],
        [revoke('$access_token', {}, { ...board, secret: 'wrong' }), '401 invalid_client'],
        [introspect('$access_token'), '200 active'],
      ],
    },
    {
      name: 'a client credentials token',
      lines: [
        [clientCredentials(), '200'],
        [revoke('$access_token', {}, board), '200'],
        [introspect('$access_token'), '200 inactive'],
      ],
    },
  ],

  userinfo: [
    { name: 'GET', lines: [code, [exchangeCode(), '200'], [userInfo(), '200']] },
    { name: 'POST', lines: [code, [exchangeCode(), '200'], [userInfo('$access_token', { method: 'POST' }), '200']] },
    {
      name: 'a token in the body',
      lines: [code, [exchangeCode(), '200'], [userInfo('$access_token', { carrier: 'body' }), '200']],
    },
    {
      name: 'a token in header and body',
      lines: [code, [exchangeCode(), '200'], [userInfo('$access_token', { carrier: 'both' }), '400 invalid_request']],
    },
    { name: 'no token', lines: [[userInfo('nothing', { carrier: 'none' }), '401 invalid_token']] },
    { name: 'a text that is not a token', lines: [[userInfo('f'.repeat(64)), '401 invalid_token']] },
    { name: 'a refresh token', lines: [code, [exchangeCode(), '200'], [userInfo('$refresh_token'), '401 invalid_token']] },
    {
      name: 'a token without the scope openid',
      lines: [
        [authorize({ scope: 'api' }), 'code'],
        [exchangeCode(), '200'],
        [userInfo(), '403 insufficient_scope'],
      ],
    },
    {
      name: 'a token with the scope email',
      lines: [
        [authorize({ scope: 'openid email' }), 'code'],
        [exchangeCode(), '200'],
        [userInfo(), '200'],
      ],
    },
  ],

  'public documents': [
    {
      name: 'the common members of the OpenID configuration',
      lines: [[read('/.well-known/openid-configuration', metadata), '200']],
    },
    {
      name: 'the common members of the authorization server metadata',
      lines: [[read('/.well-known/oauth-authorization-server', metadata), '200']],
    },
    {
      name: 'the published keys',
      lines: [
        [
          read('/oauth/discovery/keys', ({ keys }) =>
            Array.isArray(keys) ? keys.map((key: Readonly<Record<string, unknown>>) => Object.keys(key).toSorted()) : undefined,
          ),
          '200',
        ],
      ],
    },
  ],
};

function withoutChallenge(): Step {
  return authorize({ code_challenge: undefined, code_challenge_method: undefined });
}

/** Exchanges a code as a confidential client with a given form of HTTP Basic. */
function basicAs(write: (value: string, id: string, secret: string) => string): Step {
  return (scene) => {
    const { client_id, client_secret = '' } = scene.client('board');
    const usual = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const headers = { Authorization: write(usual, client_id, client_secret) };
    return exchangeCode({}, { by: 'board', auth: 'nothing', headers })(scene);
  };
}

/** Returns credentials with every character percent-encoded, as RFC 6749 §2.3.1 allows. */
function encodedBasic(id: string, secret: string): string {
  const encoded = (text: string): string => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;
}

/** Returns the comparable parts of the metadata: members with only one correct value, and the list entries that clients rely on. */
function metadata(body: Readonly<Record<string, unknown>>, origin: string): unknown {
  const whole = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'device_authorization_endpoint',
    'authorization_response_iss_parameter_supported',
  ];
  const lists = [
    'response_types_supported',
    'response_modes_supported',
    'token_endpoint_auth_methods_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'code_challenge_methods_supported',
    'claim_types_supported',
  ];
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'];
  const listOf = (name: string): readonly unknown[] => {
    const value = body[name];
    return Array.isArray(value) ? value : [];
  };
  return {
    whole: whole.map((name) => [name, String(body[name]).replace(origin, 'ISSUER')]),
    lists: lists.map((name) => [name, listOf(name).toSorted()]),
    grants: grants.filter((grant) => listOf('grant_types_supported').includes(grant)),
    scopes: ['openid', 'email', 'api'].filter((scope) => listOf('scopes_supported').includes(scope)),
  };
}
