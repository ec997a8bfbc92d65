import {
  authorize,
  beginDevice,
  CHALLENGE,
  clientCredentials,
  decideDevice,
  context,
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

/** What is said in turn, and what both servers must answer, in short; the rest of the answers is compared besides. */
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

/** The conversations about which the local server and oidc-provider agree, by subject. */
export const agreements: Readonly<Record<string, readonly Agreement[]>> = {
  'authorization requests that lead nobody anywhere': [
    { name: 'no client_id', lines: [[authorize({ client_id: undefined }), 'page 400 invalid_request']] },
    { name: 'an unknown client', lines: [[authorize({ client_id: 'nobody' }), 'page 400 invalid_client']] },
    {
      name: 'a redirect URI of nobody',
      lines: [[authorize({ redirect_uri: 'https://thief.example/' }), 'page 400 invalid_redirect_uri']],
    },
    {
      name: 'a registered redirect URI and more path',
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
      name: 'another scheme than the registered one',
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

  'authorization requests that are refused at the client’s address': [
    { name: 'no response_type', lines: [[authorize({ response_type: undefined }), 'invalid_request']] },
    { name: 'an unknown response_type', lines: [[authorize({ response_type: 'lamp' }), 'unsupported_response_type']] },
    { name: 'a response_mode that is none', lines: [[authorize({ response_mode: 'pigeon' }), 'unsupported_response_mode']] },
    { name: 'a scope of characters that none has', lines: [[authorize({ scope: 'a"b' }), 'invalid_scope']] },
    {
      name: 'a scope of the server that the client may not have',
      lines: [[authorize({ scope: 'openid email' }, rival), 'invalid_scope']],
    },
    { name: 'state twice', lines: [[authorize({}, { again: [['state', 'abc']] }), 'invalid_request']] },
    { name: 'scope twice', lines: [[authorize({}, { again: [['scope', 'api']] }), 'invalid_request']] },
    { name: 'nothing of PKCE, by a public client', lines: [[withoutChallenge(), 'invalid_request']] },
    {
      name: 'a challenge that is no hash',
      lines: [[authorize({ code_challenge: 'short' }), 'invalid_request']],
    },
    {
      name: 'a method without a challenge',
      lines: [[authorize({ code_challenge: undefined }), 'invalid_request']],
    },
    { name: 'an unknown prompt', lines: [[authorize({ prompt: 'shout' }), 'invalid_request']] },
    { name: 'prompt=none beside another', lines: [[authorize({ prompt: 'none login' }), 'invalid_request']] },
    { name: 'a max_age that is no number', lines: [[authorize({ max_age: 'young' }), 'invalid_request']] },
    { name: 'the person denies', lines: [[authorize({}, { decision: 'deny' }), 'access_denied']] },
    {
      name: 'the person denies a request without state',
      lines: [[authorize({ state: undefined }, { decision: 'deny' }), 'access_denied']],
    },
    {
      name: 'the person denies, and the answer goes behind the fragment mark',
      lines: [[authorize({ response_mode: 'fragment' }, { decision: 'deny' }), 'access_denied']],
    },
    {
      name: 'what is wrong is told in the response_mode that was asked for',
      lines: [[authorize({ response_mode: 'fragment', prompt: 'none login' }), 'invalid_request']],
    },
  ],

  'answers to the client': [
    { name: 'a code in the query', lines: [code] },
    { name: 'a code behind the fragment mark', lines: [[authorize({ response_mode: 'fragment' }), 'code']] },
    { name: 'a code in a form', lines: [[authorize({ response_mode: 'form_post' }), 'code']] },
    { name: 'response_mode=query is the usual one', lines: [[authorize({ response_mode: 'query' }), 'code']] },
    { name: 'no state, and none comes back', lines: [[authorize({ state: undefined }), 'code']] },
    { name: 'a state of every kind of character', lines: [[authorize({ state: 'a b+c&d=e%20ü"<>#?' }), 'code']] },
    { name: 'a state of 2,000 characters', lines: [[authorize({ state: 's'.repeat(2000) }), 'code']] },
    {
      name: 'a redirect URI that has a query keeps it',
      lines: [[authorize({ redirect_uri: 'https://lamps.example/callback?board=1' }, board), 'code']],
    },
    {
      name: 'a loopback address with the port of today',
      lines: [[authorize({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), 'code']],
    },
    {
      name: 'a scheme of the program’s own',
      lines: [[authorize({ redirect_uri: 'com.lamps.board:/callback' }, program), 'code']],
    },
    { name: 'an unknown parameter is ignored', lines: [[authorize({ lamp: 'green' }), 'code']] },
  ],

  'prompt and max_age': [
    { name: 'nobody is signed in: the sign-in page', lines: [[authorize({}, { signedOut: true }), 'asks to sign in']] },
    { name: 'somebody is: the consent page', lines: [[authorize({}, { decision: 'look' }), 'asks for consent']] },
    {
      name: 'prompt=none and nobody is signed in',
      lines: [[authorize({ prompt: 'none' }, { signedOut: true }), 'login_required']],
    },
    {
      name: 'prompt=none and nothing was granted yet',
      lines: [[authorize({ prompt: 'none' }, board), 'consent_required']],
    },
    {
      name: 'prompt=none after the same was granted to a confidential client',
      lines: [boardCode, [context({}, board), '200'], [authorize({ prompt: 'none' }, board), 'code']],
    },
    {
      name: 'a confidential client that was granted the same is not asked for again',
      lines: [boardCode, [context({}, board), '200'], [authorize({}, { ...board, decision: 'look' }), 'code']],
    },
    {
      name: 'more scopes than were granted are asked for',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [authorize({ scope: 'openid api email' }, { ...board, decision: 'look' }), 'asks for consent'],
      ],
    },
    {
      name: 'prompt=consent asks again',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [authorize({ prompt: 'consent' }, { ...board, decision: 'look' }), 'asks for consent'],
      ],
    },
    { name: 'prompt=login asks to sign in again', lines: [[authorize({ prompt: 'login' }), 'asks to sign in']] },
    {
      name: 'max_age that has passed asks to sign in again',
      lines: [code, [wait(61), 'waited'], [authorize({ max_age: '60' }), 'asks to sign in']],
    },
    {
      name: 'max_age that has not passed does not',
      lines: [
        [authorize({}, program), 'code'],
        [wait(30), 'waited'],
        [authorize({ max_age: '60' }, { ...program, decision: 'look' }), 'asks for consent'],
      ],
    },
    {
      name: 'max_age that has passed and prompt=none',
      lines: [code, [wait(61), 'waited'], [authorize({ max_age: '60', prompt: 'none' }), 'login_required']],
    },
  ],

  'the exchange of a code': [
    { name: 'by a public client with its verifier', lines: [code, [context(), '200']] },
    { name: 'by a confidential client', lines: [boardCode, [context({}, board), '200']] },
    {
      name: 'by a confidential client with a verifier besides',
      lines: [
        [authorize({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, board), 'code'],
        [context({ code_verifier: VERIFIER }, board), '200'],
      ],
    },
    {
      name: 'without the scope openid there is no ID token',
      lines: [
        [authorize({ scope: 'api read_user' }), 'code'],
        [context(), '200'],
      ],
    },
    {
      name: 'the ID token has the nonce of the request',
      lines: [
        [authorize({ nonce: 'n-0S6_WzA2Mj' }), 'code'],
        [context(), '200'],
      ],
    },
    { name: 'another verifier', lines: [code, [context({ code_verifier: OTHER_VERIFIER }), '400 invalid_grant']] },
    {
      name: 'a verifier for a request that had no challenge',
      lines: [boardCode, [context({ code_verifier: VERIFIER }, board), '400 invalid_grant']],
    },
    {
      name: 'another redirect URI, then the right one',
      lines: [code, [context({ redirect_uri: 'https://lamps.example/' }), '400 invalid_grant'], [context(), '200']],
    },
    { name: 'no redirect URI', lines: [code, [context({ redirect_uri: undefined }), '400 invalid_request']] },
    {
      name: 'another port of the loopback address than the request’s',
      lines: [
        [authorize({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), 'code'],
        [context({ redirect_uri: 'http://127.0.0.1:49153/callback' }, program), '400 invalid_grant'],
        [context({ redirect_uri: 'http://127.0.0.1:49152/callback' }, program), '200'],
      ],
    },
    { name: 'no code', lines: [[context({ code: undefined }), '400 invalid_request']] },
    { name: 'an unknown code', lines: [[context({ code: 'f'.repeat(64) }), '400 invalid_grant']] },
    {
      name: 'by another client, which does not use it up',
      lines: [
        code,
        [context({ redirect_uri: 'https://lamps.example/callback' }, { by: 'otherPage' }), '400 invalid_grant'],
        [context(), '200'],
      ],
    },
    {
      name: 'the second time it is refused, and the tokens of the first are revoked',
      lines: [
        code,
        [context(), '200'],
        [userInfo(), '200'],
        [context(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'the second time after a refresh, which ends too',
      lines: [
        code,
        [context(), '200'],
        [refresh(), '200'],
        [context(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    { name: 'after ten minutes', lines: [code, [wait(601), 'waited'], [context(), '400 invalid_grant']] },
    { name: 'within ten minutes', lines: [code, [wait(590), 'waited'], [context(), '200']] },
  ],

  'client authentication': [
    { name: 'HTTP Basic', lines: [[clientCredentials({}, basic), '200']] },
    { name: 'in the body', lines: [[clientCredentials(), '200']] },
    {
      name: 'HTTP Basic in another case',
      lines: [boardCode, [basicAs((basicValue) => basicValue.replace('Basic', 'bAsIc')), '200']],
    },
    {
      name: 'HTTP Basic of form-encoded characters',
      lines: [boardCode, [basicAs((_value, id, secret) => encodedBasic(id, secret)), '200']],
    },
    {
      name: 'a wrong secret by HTTP Basic',
      lines: [[clientCredentials({}, { ...basic, secret: 'wrong' }), '401 invalid_client']],
    },
    { name: 'a wrong secret in the body', lines: [[clientCredentials({}, { secret: 'wrong' }), '401 invalid_client']] },
    { name: 'no secret of a confidential client', lines: [[clientCredentials({}, { auth: 'name' }), '401 invalid_client']] },
    {
      name: 'a secret of a public client',
      lines: [code, [context({}, { secret: 'invented' }), '401 invalid_client'], [context(), '200']],
    },
    { name: 'both at once', lines: [[clientCredentials({}, { auth: 'both' }), '400 invalid_request']] },
    {
      name: 'HTTP Basic and another client_id in the body',
      lines: [[clientCredentials({ client_id: 'another' }, basic), '400 invalid_request']],
    },
    { name: 'an unknown client', lines: [[clientCredentials({ client_id: 'nobody' }), '401 invalid_client']] },
    {
      name: 'a wrong secret does not use up the code',
      lines: [boardCode, [context({}, { ...board, secret: 'wrong' }), '401 invalid_client'], [context({}, board), '200']],
    },
    {
      name: 'the secret in the address is none',
      lines: [[clientCredentials({}, { auth: 'nothing', query: '?client_id=board&client_secret=x' }), '400 invalid_request']],
    },
  ],

  'requests at the token endpoint': [
    { name: 'no grant_type', lines: [[token({}, board), '400 invalid_request']] },
    { name: 'an unknown grant_type', lines: [[token({ grant_type: 'lamp' }, board), '400 unsupported_grant_type']] },
    { name: 'the implicit grant', lines: [[token({ grant_type: 'implicit' }, board), '400 unsupported_grant_type']] },
    { name: 'GET is not answered', lines: [[token({ grant_type: 'client_credentials' }, { ...board, method: 'GET' }), '404']] },
    {
      name: 'grant_type twice',
      lines: [[clientCredentials({}, { again: [['grant_type', 'refresh_token']] }), '400 invalid_request']],
    },
    { name: 'client_id twice', lines: [[clientCredentials({}, { again: [['client_id', 'another']] }), '400 invalid_request']] },
    {
      name: 'code twice',
      lines: [code, [context({}, { again: [['code', 'another']] }), '400 invalid_request'], [context(), '200']],
    },
    {
      name: 'a text that is no form',
      lines: [[clientCredentials({}, { headers: { 'Content-Type': 'text/plain' } }), '400 invalid_request']],
    },
    {
      name: 'a client’s own token has its scope and no refresh token',
      lines: [[clientCredentials({ scope: 'read_user' }), '200']],
    },
    {
      name: 'a client’s own token for a scope that it may not have',
      lines: [[clientCredentials({ scope: 'email' }, rival), '400 invalid_scope']],
    },
    {
      name: 'a client’s own token for a scope of characters that none has',
      lines: [[clientCredentials({ scope: 'a"b' }), '400 invalid_scope']],
    },
  ],

  'the refresh token': [
    { name: 'gives a new pair and a new ID token', lines: [code, [context(), '200'], [refresh(), '200'], [userInfo(), '200']] },
    {
      name: 'of a confidential client',
      lines: [boardCode, [context({}, board), '200'], [refresh({}, board), '200'], [refresh({}, basic), '200']],
    },
    {
      name: 'is good once: used again after a while, it ends everything',
      lines: [
        code,
        [context(), '200'],
        [refresh(), '200'],
        [wait(11), 'waited'],
        [refresh({ refresh_token: '$refresh_token#1' }), '400 invalid_grant'],
        [refresh(), '400 invalid_grant'],
        [userInfo(), '401 invalid_token'],
      ],
    },
    {
      name: 'the new one is good',
      lines: [code, [context(), '200'], [refresh(), '200'], [refresh(), '200'], [userInfo(), '200']],
    },
    {
      name: 'with less scope gives less',
      lines: [code, [context(), '200'], [refresh({ scope: 'openid' }), '200']],
    },
    {
      name: 'with less scope once has all of it afterwards',
      lines: [code, [context(), '200'], [refresh({ scope: 'openid' }), '200'], [refresh(), '200']],
    },
    {
      name: 'with less scope and without openid has no ID token',
      lines: [code, [context(), '200'], [refresh({ scope: 'api' }), '200']],
    },
    {
      name: 'with more scope is refused and stays good',
      lines: [code, [context(), '200'], [refresh({ scope: 'openid api email' }), '400 invalid_scope'], [refresh(), '200']],
    },
    {
      name: 'of another public client is refused and stays good',
      lines: [code, [context(), '200'], [refresh({}, { by: 'otherPage' }), '400 invalid_grant'], [refresh(), '200']],
    },
    {
      name: 'of another confidential client is refused and stays good',
      lines: [boardCode, [context({}, board), '200'], [refresh({}, rival), '400 invalid_grant'], [refresh({}, board), '200']],
    },
    {
      name: 'with a wrong secret is refused and stays good',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [refresh({}, { ...board, secret: 'wrong' }), '401 invalid_client'],
        [refresh({}, board), '200'],
      ],
    },
    { name: 'that nobody knows', lines: [[refresh({ refresh_token: 'f'.repeat(64) }), '400 invalid_grant']] },
    {
      name: 'that is an access token',
      lines: [code, [context(), '200'], [refresh({ refresh_token: '$access_token' }), '400 invalid_grant']],
    },
    { name: 'that is not sent', lines: [[refresh({ refresh_token: undefined }), '400 invalid_request']] },
    {
      name: 'outlives the access token',
      lines: [
        code,
        [context(), '200'],
        [wait(7201), 'waited'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '200'],
        [userInfo(), '200'],
      ],
    },
  ],

  'the device grant': [
    {
      name: 'waits for the person',
      lines: [
        [beginDevice(), '200'],
        [poll(), '400 authorization_pending'],
      ],
    },
    {
      name: 'gives tokens when the person approves',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll(), '200'],
        [userInfo(), '200'],
        [refresh(), '200'],
      ],
    },
    {
      name: 'of a confidential client, by both of its ways',
      lines: [
        [beginDevice({}, basic), '200'],
        [decideDevice('approve'), 'decided'],
        [poll({}, board), '200'],
      ],
    },
    {
      name: 'says that the person denied',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('deny'), 'decided'],
        [poll(), '400 access_denied'],
      ],
    },
    {
      name: 'gives tokens once',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll(), '200'],
        [poll(), '400 invalid_grant'],
      ],
    },
    {
      name: 'is not for another client, which does not use it up',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [poll({}, { by: 'otherPage' }), '400 invalid_grant'],
        [poll(), '200'],
      ],
    },
    { name: 'does not know a code', lines: [[poll({ device_code: 'f'.repeat(64) }), '400 invalid_grant']] },
    { name: 'needs a code', lines: [[poll({ device_code: undefined }), '400 invalid_request']] },
    {
      name: 'expires after five minutes, again and again',
      lines: [
        [beginDevice(), '200'],
        [wait(301), 'waited'],
        [poll(), '400 expired_token'],
        [poll(), '400 expired_token'],
      ],
    },
    {
      name: 'that is approved expires as well',
      lines: [
        [beginDevice(), '200'],
        [decideDevice('approve'), 'decided'],
        [wait(301), 'waited'],
        [poll(), '400 expired_token'],
      ],
    },
    { name: 'of an unknown client', lines: [[beginDevice({ client_id: 'nobody' }), '401 invalid_client']] },
    {
      name: 'of a confidential client without its secret',
      lines: [[beginDevice({}, { ...board, auth: 'name' }), '401 invalid_client']],
    },
    { name: 'with a wrong secret', lines: [[beginDevice({}, { ...basic, secret: 'wrong' }), '401 invalid_client']] },
    { name: 'scope twice', lines: [[beginDevice({}, { again: [['scope', 'api']] }), '400 invalid_request']] },
    {
      name: 'a scope of the server that the client may not have',
      lines: [[beginDevice({ scope: 'email' }, rival), '400 invalid_scope']],
    },
    { name: 'a scope of characters that none has', lines: [[beginDevice({ scope: 'a"b' }), '400 invalid_scope']] },
  ],

  introspection: [
    { name: 'of an access token', lines: [boardCode, [context({}, board), '200'], [introspect('$access_token'), '200 active']] },
    {
      name: 'of a refresh token',
      lines: [boardCode, [context({}, board), '200'], [introspect('$refresh_token'), '200 active']],
    },
    {
      name: 'of a refresh token that is called one',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [introspect('$refresh_token', { token_type_hint: 'refresh_token' }), '200 active'],
      ],
    },
    {
      name: 'of an access token that is called a refresh token',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [introspect('$access_token', { token_type_hint: 'refresh_token' }), '200 active'],
      ],
    },
    {
      name: 'of an access token that is called something else',
      lines: [boardCode, [context({}, board), '200'], [introspect('$access_token', { token_type_hint: 'lamp' }), '200 active']],
    },
    { name: 'of what is no token', lines: [[introspect('f'.repeat(64)), '200 inactive']] },
    {
      name: 'of another client’s token',
      lines: [boardCode, [context({}, board), '200'], [introspect('$access_token', {}, rival), '200 inactive']],
    },
    {
      name: 'of another client’s refresh token',
      lines: [boardCode, [context({}, board), '200'], [introspect('$refresh_token', {}, rival), '200 inactive']],
    },
    {
      name: 'of a token that has expired',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [wait(7201), 'waited'],
        [introspect('$access_token'), '200 inactive'],
        [introspect('$refresh_token'), '200 active'],
      ],
    },
    {
      name: 'of a spent refresh token',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [refresh({}, board), '200'],
        [introspect('$refresh_token#1'), '200 inactive'],
        [introspect('$refresh_token#2'), '200 active'],
      ],
    },
    {
      name: 'of a client’s own token',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token'), '200 active'],
      ],
    },
    {
      name: 'by HTTP Basic',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, basic), '200 active'],
      ],
    },
    {
      name: 'with a wrong secret',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, { secret: 'wrong' }), '401 invalid_client'],
      ],
    },
    {
      name: 'without a client',
      lines: [
        [clientCredentials(), '200'],
        [introspect('$access_token', {}, { auth: 'nothing' }), '400 invalid_request'],
      ],
    },
  ],

  revocation: [
    {
      name: 'of an access token ends the sign-in',
      lines: [
        code,
        [context(), '200'],
        [revoke('$access_token'), '200'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'of a refresh token ends the sign-in',
      lines: [
        code,
        [context(), '200'],
        [revoke('$refresh_token'), '200'],
        [userInfo(), '401 invalid_token'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'of a refresh token that is called an access token',
      lines: [
        code,
        [context(), '200'],
        [revoke('$refresh_token', { token_type_hint: 'access_token' }), '200'],
        [refresh(), '400 invalid_grant'],
      ],
    },
    {
      name: 'of an access token that is called something else',
      lines: [
        code,
        [context(), '200'],
        [revoke('$access_token', { token_type_hint: 'lamp' }), '200'],
        [userInfo(), '401 invalid_token'],
      ],
    },
    { name: 'of what is no token', lines: [[revoke('f'.repeat(64)), '200']] },
    { name: 'twice', lines: [code, [context(), '200'], [revoke('$access_token'), '200'], [revoke('$access_token'), '200']] },
    {
      name: 'with a wrong secret changes nothing',
      lines: [
        boardCode,
        [context({}, board), '200'],
        [revoke('$access_token', {}, { ...board, secret: 'wrong' }), '401 invalid_client'],
        [introspect('$access_token'), '200 active'],
      ],
    },
    {
      name: 'of a client’s own token',
      lines: [
        [clientCredentials(), '200'],
        [revoke('$access_token', {}, board), '200'],
        [introspect('$access_token'), '200 inactive'],
      ],
    },
  ],

  userinfo: [
    { name: 'by GET', lines: [code, [context(), '200'], [userInfo(), '200']] },
    { name: 'by POST', lines: [code, [context(), '200'], [userInfo('$access_token', { method: 'POST' }), '200']] },
    {
      name: 'with the token in the body',
      lines: [code, [context(), '200'], [userInfo('$access_token', { carrier: 'body' }), '200']],
    },
    {
      name: 'with the token in two places',
      lines: [code, [context(), '200'], [userInfo('$access_token', { carrier: 'both' }), '400 invalid_request']],
    },
    { name: 'without a token', lines: [[userInfo('nothing', { carrier: 'none' }), '401 invalid_token']] },
    { name: 'with what is no token', lines: [[userInfo('f'.repeat(64)), '401 invalid_token']] },
    { name: 'with a refresh token', lines: [code, [context(), '200'], [userInfo('$refresh_token'), '401 invalid_token']] },
    {
      name: 'without the scope openid',
      lines: [
        [authorize({ scope: 'api' }), 'code'],
        [context(), '200'],
        [userInfo(), '403 insufficient_scope'],
      ],
    },
    {
      name: 'with the scope email',
      lines: [
        [authorize({ scope: 'openid email' }), 'code'],
        [context(), '200'],
        [userInfo(), '200'],
      ],
    },
  ],

  'documents for anybody': [
    { name: 'OpenID configuration: what both have', lines: [[read('/.well-known/openid-configuration', metadata), '200']] },
    {
      name: 'authorization server metadata: what both have',
      lines: [[read('/.well-known/oauth-authorization-server', metadata), '200']],
    },
    {
      name: 'keys',
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

/** The exchange of the code by a confidential client, with its own writing of HTTP Basic. */
function basicAs(write: (value: string, id: string, secret: string) => string): Step {
  return (scene) => {
    const { client_id, client_secret = '' } = scene.client('board');
    const usual = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const headers = { Authorization: write(usual, client_id, client_secret) };
    return context({}, { by: 'board', auth: 'nothing', headers })(scene);
  };
}

/** Every character percent-encoded, as RFC 6749 §2.3.1 allows. */
function encodedBasic(id: string, secret: string): string {
  const encoded = (text: string): string => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;
}

/** Of the metadata: the same values where there is one right one, and for lists what clients of both rely on. */
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
