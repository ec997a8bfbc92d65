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
  /** Why the local server's answer is the one that is wanted: the rule, and who makes it. */
  readonly because: string;
  /** What is said, what the local server answers, and where it differs, what oidc-provider does. */
  readonly lines: readonly (Line | readonly [step: Step, local: string, oracle: string])[];
}

const OTHER_VERIFIER = 'Zz10-._~'.repeat(6);
const board = { by: 'board' } as const;
const rival = { by: 'rival' } as const;
const code: Line = [authorize(), 'code'];
const tokens: Line = [exchangeCode(), '200'];
const boardCode: Line = [authorize({}, board), 'code'];
const boardTokens: Line = [exchangeCode({}, board), '200'];

/** Every known difference between the local server and oidc-provider 9, and why it is meant. */
export const differences: readonly Difference[] = [
  // The authorization endpoint.
  {
    name: 'code_challenge_method=plain has an error of its own',
    because: 'the real platform’s error; that plain is refused, and at the client, is the same',
    lines: [[authorize({ code_challenge_method: 'plain' }), 'invalid_code_challenge_method', 'invalid_request']],
  },
  {
    name: 'a challenge without a method, which would mean plain, has the same error',
    because: 'the real platform’s error',
    lines: [[authorize({ code_challenge_method: undefined }), 'invalid_code_challenge_method', 'invalid_request']],
  },
  {
    name: 'an S256 challenge of another length than a hash has is refused at once',
    because: 'no verifier fits it: base64url of 32 bytes is 43 characters (RFC 7636 §4.2)',
    lines: [[authorize({ code_challenge: 'c'.repeat(44) }), 'invalid_request', 'code']],
  },
  {
    name: 'a scope that nobody knows is refused and not left out',
    because: 'less would be granted than the client asked for, without a word (RFC 6749 §3.3)',
    lines: [[authorize({ scope: 'openid lamp' }), 'invalid_scope', 'code']],
  },
  {
    name: 'nonce and max_age without the scope openid are ignored',
    because: 'to a request that is none of OpenID Connect they are unknown parameters (RFC 6749 §3.1)',
    lines: [
      [authorize({ scope: 'api', nonce: 'n' }), 'code', 'invalid_request'],
      [authorize({ scope: 'api', max_age: '60' }), 'code', 'invalid_request'],
    ],
  },
  {
    name: 'prompt=create is ignored',
    because: 'the real platform ignores it',
    lines: [[authorize({ prompt: 'create' }), 'code', 'invalid_request']],
  },
  {
    name: 'prompt=select_account shows the page on which another account can be chosen',
    because: 'OpenID Connect Core §3.1.2.1 has it; oidc-provider does not know it unless it is told how',
    lines: [[authorize({ prompt: 'select_account' }, { decision: 'look' }), 'asks for consent', 'invalid_request']],
  },
  {
    name: 'a public client is asked for each time',
    because: 'anybody can claim to be one (RFC 6749 §10.2)',
    lines: [code, tokens, [authorize({}, { decision: 'look' }), 'asks for consent', 'code']],
  },
  {
    name: 'a public client that asks silently is told that consent is needed, even when it was given before',
    because: 'anybody can claim to be one (RFC 6749 §10.2)',
    lines: [code, tokens, [authorize({ prompt: 'none' }), 'consent_required', 'code']],
  },
  {
    name: 'a native client that asks silently is told that consent is needed',
    because: 'OpenID Connect Core §3.1.2.6 has a name for it; oidc-provider says only that something is',
    lines: [[authorize({ prompt: 'none' }, { by: 'program' }), 'consent_required', 'interaction_required']],
  },
  {
    name: 'a client secret in the address of the page is refused',
    because: 'addresses stand in logs and histories (RFC 6749 §2.3.1)',
    lines: [[authorize({ client_secret: 'x' }), 'invalid_request', 'code']],
  },

  // PKCE.
  {
    name: 'a code with a challenge and no verifier is an incomplete request',
    because: 'the real platform’s error; the code stays good with both',
    lines: [
      code,
      [exchangeCode({ code_verifier: undefined }), '400 invalid_request', '400 invalid_grant'],
      [exchangeCode(), '200'],
    ],
  },
  {
    name: 'a verifier that is too short does not fit',
    because: 'a verifier that cannot fit is an invalid_grant like one that does not fit (RFC 7636 §4.6)',
    lines: [code, [exchangeCode({ code_verifier: 'short' }), '400 invalid_grant', '400 invalid_request']],
  },
  {
    name: 'a verifier of other characters does not fit',
    because: 'a verifier that cannot fit is an invalid_grant like one that does not fit (RFC 7636 §4.6)',
    lines: [code, [exchangeCode({ code_verifier: '!'.repeat(43) }), '400 invalid_grant', '400 invalid_request']],
  },
  {
    name: 'whoever has the code and not the verifier gets one guess',
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
    because: 'RFC 9110 §15.5.2; oidc-provider sends one to requests with the header only, as RFC 6749 §5.2 demands',
    lines: [[showing(clientCredentials({}, { secret: 'wrong' }), challengeScheme), 'Bearer', 'none']],
  },
  {
    name: 'no client at all is a client that has not authenticated',
    because: 'RFC 6749 §5.2, invalid_client: “no client authentication included”',
    lines: [[clientCredentials({}, { auth: 'nothing' }), '401 invalid_client', '400 invalid_request']],
  },
  {
    name: 'HTTP Basic that cannot be read is a client that has not authenticated',
    because: 'RFC 6749 §5.2: who tried by the header is answered with 401 and its scheme',
    lines: [
      [withBasic('!'), '401 invalid_client', '400 invalid_request'],
      [withBasic(btoa('no colon')), '401 invalid_client', '400 invalid_request'],
      [withBasic(btoa('half%:encoded')), '401 invalid_client', '400 invalid_request'],
    ],
  },
  {
    name: 'a public client cannot have a token of its own',
    because: 'RFC 6749 §4.4 and §5.2, unauthorized_client; the status is the real platform’s',
    lines: [[clientCredentials({}, { by: 'page' }), '401 unauthorized_client', '400 invalid_request']],
  },
  {
    name: 'a secret in the address beside a good one in the body is refused',
    because: 'RFC 6749 §2.3.1: “MUST NOT be included in the request URI”',
    lines: [[clientCredentials({}, { query: '?client_secret=x' }), '400 invalid_request', '200']],
  },

  // The token endpoint.
  {
    name: 'what is wrong with grant_type is told before the client is looked at',
    because: 'the order of the real platform',
    lines: [[token({ grant_type: 'lamp' }, { auth: 'nothing' }), '400 unsupported_grant_type', '400 invalid_request']],
  },
  {
    name: 'JSON is read',
    because: 'the real platform reads it, and its clients send it',
    lines: [[inJson(), '200', '400 invalid_request']],
  },
  {
    name: 'an array is not a parameter that was left out',
    because: 'RFC 6749 §3.2',
    lines: [[clientCredentials({}, { again: [['scope[]', 'api']] }), '400 invalid_request', '200']],
  },
  {
    name: 'answers say when the token was made',
    because: 'the documented interface has created_at (docs/interface.md#token-endpoint)',
    lines: [[showing(clientCredentials(), ({ created_at }) => typeof created_at), 'number', 'undefined']],
  },
  {
    name: 'a client’s own token for a scope that nobody knows is refused',
    because: 'RFC 6749 §5.2, invalid_scope',
    lines: [[clientCredentials({ scope: 'lamp' }), '400 invalid_scope', '200']],
  },
  {
    name: 'no scope means api',
    because: 'RFC 6749 §3.3 leaves the default to the server; it is the real platform’s',
    lines: [[showing(clientCredentials({ scope: undefined }), ({ scope }) => String(scope)), 'api', 'undefined']],
  },

  // Refresh.
  {
    name: 'a refresh ends the access token before it',
    because: 'the old pair ends at once (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh(), '200'], [userInfo('$access_token#1'), '401 invalid_token', '200']],
  },
  {
    name: 'a refresh token that comes again within ten seconds ends nothing',
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
    name: 'redirect_uri of a refresh must be the one of the authorization request',
    because: 'the documented interface wants it equal to the original one (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh({ redirect_uri: 'https://thief.example/' }), '400 invalid_grant', '200']],
  },
  {
    name: 'code_verifier of a refresh is checked when it is sent',
    because: 'the verifier proves the client of the grant once more (docs/interface.md#token-endpoint)',
    lines: [code, tokens, [refresh({ code_verifier: OTHER_VERIFIER }), '400 invalid_grant', '200']],
  },
  {
    name: 'a refresh token that nobody knows is told before the client is looked at',
    because: 'the order of the real platform',
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
    name: 'revoking one sign-in leaves another of the same client alone',
    because: 'RFC 7009 §2.1: tokens “based on the same authorization grant”; to oidc-provider all of a session are one',
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
    name: 'the interval of polls is told',
    because: 'the documented interface has interval (docs/interface.md#device-authorization); RFC 8628 §3.2 leaves it open',
    lines: [[showing(beginDevice(), ({ interval }) => String(interval)), '5', 'undefined']],
  },
  {
    name: 'polls that come too early are told to slow down',
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
    because: 'a client that missed the first refusal learns of it later (docs/interface.md#device-authorization)',
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
    name: 'a second poll of a redeemed code does not end the tokens',
    because: 'a device code never leaves its client, so polls that cross are no theft (RFC 8628 §3.5)',
    lines: [
      [beginDevice(), '200'],
      [decideDevice('approve'), 'decided'],
      [poll(), '200'],
      [poll(), '400 invalid_grant'],
      [userInfo(), '200', '401 invalid_token'],
    ],
  },
  {
    name: 'device_code is a grant type as well',
    because: 'the real platform takes both',
    lines: [
      [beginDevice(), '200'],
      [decideDevice('approve'), 'decided'],
      [poll({ grant_type: 'device_code' }), '200', '400 unsupported_grant_type'],
    ],
  },
  {
    name: 'a device code for a scope that nobody knows is refused',
    because: 'RFC 8628 §3.1 and RFC 6749 §5.2, invalid_scope',
    lines: [[beginDevice({ scope: 'openid lamp' }), '400 invalid_scope', '200']],
  },

  // Introspection and revocation.
  {
    name: 'a public client cannot ask about tokens by its name',
    because: 'RFC 7662 §2.1: the endpoint demands authorization, and a name is none',
    lines: [code, tokens, [introspect('$access_token', {}, { by: 'page' }), '401 invalid_client', '200 active']],
  },
  {
    name: 'an access token of the client may ask about another',
    because: 'the real platform’s second way (RFC 7662 §2.1)',
    lines: [
      [clientCredentials(), '200'],
      [clientCredentials(), '200'],
      [byBearer(), '200 active', '400 invalid_request'],
    ],
  },
  {
    name: 'an access token before a refresh is not active',
    because: 'the old pair ends at once (docs/interface.md#token-endpoint)',
    lines: [boardCode, boardTokens, [refresh({}, board), '200'], [introspect('$access_token#1'), '200 inactive', '200 active']],
  },
  {
    name: 'introspection says token_type of a refresh token too',
    because: 'the real platform answers it like an access token',
    lines: [
      boardCode,
      boardTokens,
      [showing(introspect('$refresh_token'), ({ token_type }) => String(token_type)), 'Bearer', 'undefined'],
    ],
  },
  {
    name: 'introspection does not say who the person is',
    because: 'the real platform does not',
    lines: [boardCode, boardTokens, [showing(introspect('$access_token'), ({ sub }) => String(sub)), 'undefined', '1']],
  },
  {
    name: 'revoking another client’s token is refused aloud, and the token lives on',
    because: 'the real platform refuses with 403 unauthorized_client (docs/interface.md#token-revocation)',
    lines: [
      boardCode,
      boardTokens,
      [revoke('$access_token', {}, rival), '403 unauthorized_client', '200'],
      [introspect('$access_token'), '200 active'],
    ],
  },
  {
    name: 'the body of a revocation is an empty object',
    because: 'the documented interface wants one (docs/interface.md#token-revocation)',
    lines: [[showing(revoke('f'.repeat(64)), (_body, { text }) => text), '{}', '']],
  },
  {
    name: 'revoking no token at all has nothing to do',
    because: 'the real platform answers a blank token like one that nobody knows',
    lines: [[revoke(undefined), '200', '400 invalid_request']],
  },
  {
    name: 'revoking without a client is a client that has not authenticated',
    because: 'RFC 6749 §5.2, invalid_client (docs/interface.md#token-revocation)',
    lines: [[revoke('f'.repeat(64), {}, { auth: 'nothing' }), '401 invalid_client', '400 invalid_request']],
  },

  // Userinfo.
  {
    name: 'refusals of userinfo have no body',
    because: 'the real platform’s; everything is in the challenge (RFC 6750 §3)',
    lines: [[showing(userInfo('f'.repeat(64)), (_body, { text }) => (text === '' ? 'nothing' : 'a body')), 'nothing', 'a body']],
  },
  {
    name: 'the token may be in the address',
    because: 'the real platform takes it there',
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

/** Asks about the second token with the first one in the header. */
function byBearer(): Step {
  return (scene) => {
    const headers = { Authorization: `Bearer ${valueOf(scene, '$access_token#1')}` };
    return introspect('$access_token#2', {}, { auth: 'nothing', headers })(scene);
  };
}
