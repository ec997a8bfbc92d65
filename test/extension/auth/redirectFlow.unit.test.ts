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
} from '../../../src/auth/redirectFlow.ts';
import { formOf } from '../../support/extension/fakes.ts';

const ISSUER = 'https://gitlab.example.com';
const STATE = 's'.repeat(43);
const client = { baseUrl: ISSUER, clientId: 'the-client', redirectUri: 'http://127.0.0.1:5000/oauth/callback' };

describe('redirect flow: type of redirect', () => {
  const desktop: EditorPlace = {
    isDesktop: true,
    scheme: 'vscode',
    extensionId: 'signalbox.signalbox',
    remoteName: undefined,
  };
  const browser = (remoteName: string | undefined): EditorPlace => ({ ...desktop, isDesktop: false, remoteName });

  for (const scheme of ['vscode', 'vscode-insiders', 'vscodium']) {
    it(`the type of redirect is a URI on a desktop with the scheme ${scheme}, also if the extension runs remotely`, () => {
      const expected = { kind: 'uri', redirectUri: `${scheme}://signalbox.signalbox/oauth/callback` };
      assert.deepEqual(wayBack({ ...desktop, scheme }), expected);
      assert.deepEqual(wayBack({ ...desktop, scheme, remoteName: 'ssh-remote' }), expected);
    });
  }

  for (const [what, location, expected] of [
    ['on a desktop with an unknown scheme', { ...desktop, scheme: 'code-oss' }, 'loopback'],
    [
      'on a desktop with an unknown scheme and a remote extension',
      { ...desktop, scheme: 'code-oss', remoteName: 'wsl' },
      undefined,
    ],
    ['in a browser on this machine', browser('127.0.0.1:8000'), 'loopback'],
    ['in a browser on this machine with IPv6', browser('[::1]:8000'), 'loopback'],
    ['in a browser on this machine with localhost', browser('localhost:8000'), 'loopback'],
    ['in a browser on another machine', browser('code.example.com'), undefined],
    ['in a browser with a host that starts like a loopback address', browser('127.0.0.1.example.com:8000'), undefined],
    ['in a browser behind a tunnel', browser('codespaces'), undefined],
    ['in a browser without a remote', browser(undefined), undefined],
    ['in a browser with an invalid host name', browser('a b'), undefined],
  ] as const satisfies readonly (readonly [string, EditorPlace, string | undefined])[]) {
    it(`the type of redirect is ${expected ?? 'undefined'} ${what}`, () => {
      assert.equal(wayBack(location)?.kind, expected);
    });
  }
});

describe('redirect flow: authorization request', () => {
  it('an authorization request has new secrets of 32 random bytes each time', () => {
    const all = [createRedirectSecrets(), createRedirectSecrets()].flatMap(({ state, verifier }) => [state, verifier]);
    assert.equal(new Set(all).size, 4);
    for (const secret of all) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  });

  it('an authorization request contains the S256 challenge (RFC 7636 appendix B) and not the verifier', () => {
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

  it('an authorization request remains valid when VS Code decodes the address', () => {
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

  it('the redirect flow returns the code, with or without the issuer', () => {
    assert.deepEqual(read(good), { kind: 'code', code: 'abc' });
    assert.deepEqual(read(`${good}&iss=${encodeURIComponent(ISSUER)}&session_state=1`), { kind: 'code', code: 'abc' });
  });

  it('the redirect flow accepts another name of this machine with the same port as issuer', () => {
    const readLocally = (iss: string) =>
      readRedirect(new URLSearchParams(`${good}&iss=${encodeURIComponent(iss)}`), STATE, 'http://localhost:4000');
    for (const iss of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
      assert.deepEqual(readLocally(iss), { kind: 'code', code: 'abc' }, iss);
    for (const iss of [
      'http://127.0.0.1:4001',
      'https://127.0.0.1:4000',
      'http://127.corp.example:4000',
      'http://127.0.0.1:4000/x',
    ])
      assert.equal(readLocally(iss)?.kind, 'refused', iss);
  });

  it('the redirect flow recognizes that the user denied', () => {
    assert.deepEqual(read(`error=access_denied&error_description=No&state=${STATE}`), { kind: 'denied' });
  });

  for (const [what, query] of [
    ['has no state', 'code=abc'],
    ['has another state', `code=abc&state=${'t'.repeat(43)}`],
    ['has the state with a suffix', `code=abc&state=${STATE}x`],
    ['has the state in upper case', `code=abc&state=${STATE.toUpperCase()}`],
    ['has a second state', `${good}&state=other`],
    ['has the same state twice', `${good}&state=${STATE}`],
    ['has an error with another state', 'error=access_denied&state=other'],
    ['is empty', ''],
  ] as const) {
    it(`the redirect flow ignores a redirect that ${what}`, () => {
      assert.equal(read(query), undefined);
    });
  }

  for (const [what, query, code, text] of [
    ['two codes', `${good}&code=def`, 'not_oauth', /repeated parameter/],
    ['the same code twice', `${good}&code=abc`, 'not_oauth', /repeated parameter/],
    ['two issuers', `${good}&iss=${ISSUER}&iss=${ISSUER}`, 'not_oauth', /repeated parameter/],
    ['another issuer', `${good}&iss=https%3A%2F%2Fevil.example`, 'not_oauth', /issued by https:\/\/evil\.example\./],
    ['the issuer with a trailing slash', `${good}&iss=${ISSUER}/`, 'not_oauth', /issued by/],
    ['an empty issuer', `${good}&iss=`, 'not_oauth', /issued by/],
    ['an error of another issuer', `error=x&state=${STATE}&iss=https%3A%2F%2Fevil.example`, 'not_oauth', /issued by/],
    ['a denial of another issuer', `error=access_denied&state=${STATE}&iss=https%3A%2F%2Fevil.example`, 'not_oauth', /issued by/],
    ['a code and an error', `${good}&error=access_denied`, 'not_oauth', /exactly one of/],
    ['neither code nor error', `state=${STATE}`, 'not_oauth', /exactly one of/],
    ['an empty code', `code=&state=${STATE}`, 'not_oauth', /exactly one of/],
    [
      'an error with a description',
      `error=invalid_scope&error_description=Not+that&state=${STATE}`,
      'invalid_scope',
      /^Not that$/,
    ],
    ['an error without a description', `error=server_error&state=${STATE}`, 'server_error', /^server_error$/],
    [
      'an error with an empty description',
      `error=server_error&error_description=&state=${STATE}`,
      'server_error',
      /^server_error$/,
    ],
  ] as const) {
    it(`the redirect flow rejects a redirect with ${what}`, () => {
      const response = read(query);
      assert.ok(response?.kind === 'refused');
      assert.deepEqual([response.failure.code, response.failure.status], [code, 0]);
      assert.match(response.failure.message, text);
    });
  }
});

describe('redirect flow: token request', () => {
  it('the token request of the redirect flow sends code, redirect URI and verifier, and no client secret', () => {
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

describe('redirect flow: a URI that VS Code has decoded', () => {
  for (const [query, expected] of [
    ['code=a+b%2F=&state=x', { code: 'a+b%2F=', state: 'x' }],
    ['iss=https://gitlab.example.com&error_description=Not that', { iss: ISSUER, error_description: 'Not that' }],
    ['flag', { flag: '' }],
  ] as const) {
    it(`a URI that VS Code has decoded is not decoded again: ${query}`, () => {
      assert.deepEqual(Object.fromEntries(parametersOfUri(query)), expected);
    });
  }

  it('a URI that VS Code has decoded keeps repeated parameters', () => {
    assert.deepEqual(parametersOfUri('code=a&code=b').getAll('code'), ['a', 'b']);
  });
});
