import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import {
  authorizationAddress,
  codeTokenRequest,
  createRedirectSecrets,
  type EditorPlace,
  parametersOfUri,
  readRedirect,
  wayBack,
} from '../../src/auth/redirectFlow.ts';
import { formOf } from '../support/extension/fakes.ts';

const ISSUER = 'https://gitlab.example.com';
const STATE = 's'.repeat(43);
const client = { baseUrl: ISSUER, clientId: 'the-client', redirectUri: 'http://127.0.0.1:5000/oauth/callback' };

describe('redirect flow: the way back', () => {
  const desktop: EditorPlace = {
    isDesktop: true,
    scheme: 'vscode',
    extensionId: 'signalbox.signalbox',
    remoteName: undefined,
  };
  const browser = (remoteName: string | undefined): EditorPlace => ({ ...desktop, isDesktop: false, remoteName });

  for (const scheme of ['vscode', 'vscode-insiders', 'vscodium']) {
    it(`is an address of the editor on a desktop with ${scheme}, also when the extension runs elsewhere`, () => {
      const expected = { kind: 'uri', redirectUri: `${scheme}://signalbox.signalbox/oauth/callback` };
      assert.deepEqual(wayBack({ ...desktop, scheme }), expected);
      assert.deepEqual(wayBack({ ...desktop, scheme, remoteName: 'ssh-remote' }), expected);
    });
  }

  for (const [what, location, expected] of [
    ['on a desktop whose scheme no application has', { ...desktop, scheme: 'code-oss' }, 'loopback'],
    ['there, when the extension runs elsewhere', { ...desktop, scheme: 'code-oss', remoteName: 'wsl' }, undefined],
    ['in a browser of this machine', browser('127.0.0.1:8000'), 'loopback'],
    ['in a browser of this machine by IPv6', browser('[::1]:8000'), 'loopback'],
    ['in a browser of this machine by its name', browser('localhost:8000'), 'loopback'],
    ['in a browser elsewhere', browser('code.example.com'), undefined],
    ['in a browser elsewhere whose host only looks like this machine', browser('127.0.0.1.example.com:8000'), undefined],
    ['in a browser behind a tunnel', browser('codespaces'), undefined],
    ['in a browser without a machine behind it', browser(undefined), undefined],
    ['in a browser with a name that is no host', browser('a b'), undefined],
  ] as const satisfies readonly (readonly [string, EditorPlace, string | undefined])[]) {
    it(`is ${expected ?? 'nothing'} ${what}`, () => {
      assert.equal(wayBack(location)?.kind, expected);
    });
  }
});

describe('redirect flow: the page', () => {
  it('has secrets of its own for each request, of 32 random bytes', () => {
    const all = [createRedirectSecrets(), createRedirectSecrets()].flatMap(({ state, verifier }) => [state, verifier]);
    assert.equal(new Set(all).size, 4);
    for (const secret of all) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  });

  it('is asked for a code by the S256 challenge of RFC 7636 appendix B, and not told the verifier', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const address = authorizationAddress(client, 'api', { state: STATE, verifier });
    const { origin, pathname, searchParams } = new URL(address);
    assert.equal(`${origin}${pathname}`, `${ISSUER}/oauth/authorize`);
    assert.deepEqual(Object.fromEntries(searchParams), {
      client_id: 'the-client',
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'api',
      state: STATE,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    assert.doesNotMatch(address, new RegExp(verifier));
  });

  it('is the same when the editor, which opens addresses decoded, has had it', () => {
    const { state, verifier } = createRedirectSecrets();
    const address = authorizationAddress(client, 'api', { state, verifier });
    const decoded = new URL(encodeURI(decodeURIComponent(address)));
    assert.deepEqual([...decoded.searchParams], [...new URL(address).searchParams]);
    assert.equal(decoded.searchParams.get('code_challenge'), createHash('sha256').update(verifier).digest('base64url'));
  });
});

describe('redirect flow: reading a redirect', () => {
  const read = (query: string) => readRedirect(new URLSearchParams(query), STATE, ISSUER);
  const good = `code=abc&state=${STATE}`;

  it('takes the code, with the name of the platform or without one', () => {
    assert.deepEqual(read(good), { kind: 'code', code: 'abc' });
    assert.deepEqual(read(`${good}&iss=${encodeURIComponent(ISSUER)}&session_state=1`), { kind: 'code', code: 'abc' });
  });

  it('knows that the person said no', () => {
    assert.deepEqual(read(`error=access_denied&error_description=No&state=${STATE}`), { kind: 'denied' });
  });

  for (const [what, query] of [
    ['has no state', 'code=abc'],
    ['has another state', `code=abc&state=${'t'.repeat(43)}`],
    ['has the state with more behind it', `code=abc&state=${STATE}x`],
    ['has the state in other letters', `code=abc&state=${STATE.toUpperCase()}`],
    ['has a second state', `${good}&state=other`],
    ['has the same state twice', `${good}&state=${STATE}`],
    ['tells of an error under another state', 'error=access_denied&state=other'],
    ['is blank', ''],
  ] as const) {
    it(`is no answer to the request when it ${what}`, () => {
      assert.equal(read(query), undefined);
    });
  }

  for (const [what, query, code, text] of [
    ['two codes', `${good}&code=def`, 'not_oauth', /repeated parameter/],
    ['the same code twice', `${good}&code=abc`, 'not_oauth', /repeated parameter/],
    ['two platforms', `${good}&iss=${ISSUER}&iss=${ISSUER}`, 'not_oauth', /repeated parameter/],
    ['another platform', `${good}&iss=https%3A%2F%2Fevil.example`, 'not_oauth', /issued by https:\/\/evil\.example\./],
    ['the platform with a slash more', `${good}&iss=${ISSUER}/`, 'not_oauth', /issued by/],
    ['a blank platform', `${good}&iss=`, 'not_oauth', /issued by/],
    ['an error of another platform', `error=x&state=${STATE}&iss=https%3A%2F%2Fevil.example`, 'not_oauth', /issued by/],
    [
      'a denial of another platform',
      `error=access_denied&state=${STATE}&iss=https%3A%2F%2Fevil.example`,
      'not_oauth',
      /issued by/,
    ],
    ['a code and an error', `${good}&error=access_denied`, 'not_oauth', /exactly one of/],
    ['neither code nor error', `state=${STATE}`, 'not_oauth', /exactly one of/],
    ['a blank code', `code=&state=${STATE}`, 'not_oauth', /exactly one of/],
    ['an error with words', `error=invalid_scope&error_description=Not+that&state=${STATE}`, 'invalid_scope', /^Not that$/],
    ['an error without words', `error=server_error&state=${STATE}`, 'server_error', /^server_error$/],
    ['an error with blank words', `error=server_error&error_description=&state=${STATE}`, 'server_error', /^server_error$/],
  ] as const) {
    it(`is refused with ${what}`, () => {
      const response = read(query);
      assert.ok(response?.kind === 'refused');
      assert.deepEqual([response.failure.code, response.failure.status], [code, 0]);
      assert.match(response.failure.message, text);
    });
  }
});

describe('redirect flow: the exchange', () => {
  it('posts the code with the redirect URI and the verifier, and no secret of a client', () => {
    const request = codeTokenRequest(client, 'abc', 'the-verifier');
    assert.deepEqual([request.method, request.url], ['POST', `${ISSUER}/oauth/token`]);
    assert.deepEqual(formOf(request), {
      grant_type: 'authorization_code',
      client_id: 'the-client',
      code: 'abc',
      redirect_uri: client.redirectUri,
      code_verifier: 'the-verifier',
    });
  });
});

describe('redirect flow: an address that the editor has decoded', () => {
  for (const [query, expected] of [
    ['code=a+b%2F=&state=x', { code: 'a+b%2F=', state: 'x' }],
    ['iss=https://gitlab.example.com&error_description=Not that', { iss: ISSUER, error_description: 'Not that' }],
    ['flag', { flag: '' }],
  ] as const) {
    it(`is read as it stands: ${query}`, () => {
      assert.deepEqual(Object.fromEntries(parametersOfUri(query)), expected);
    });
  }

  it('keeps what comes twice', () => {
    assert.deepEqual(parametersOfUri('code=a&code=b').getAll('code'), ['a', 'b']);
  });
});
