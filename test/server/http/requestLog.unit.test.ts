import assert from 'node:assert/strict';
import { createLog } from '../../../server/core/log.ts';
import { maskPathTokens, maskQuery, maskTokens } from '../../../server/core/masking.ts';

const code = 'a1'.repeat(32);

describe('a request in the request log', () => {
  for (const [text, query, stored] of [
    ['no value of a secret parameter', 'code=abc&state=xyz', 'code=[masked]&state=xyz'],
    ['no value of a secret parameter with an encoded name', 'c%6Fde=abc', 'c%6Fde=[masked]'],
    ['client ids', `client_id=${code}`, `client_id=${code}`],
    ['no token in another parameter', `scope=${code}&private=1`, 'scope=[masked]&private=1'],
    [
      'no secret in a URL',
      `redirect_uri=http%3A%2F%2F127.0.0.1%2Fback%3Fcode%3D${code}%26state%3Dxyz&scope=api`,
      'redirect_uri=http%3A%2F%2F127.0.0.1%2Fback%3Fcode%3D[masked]%26state%3Dxyz&scope=api',
    ],
    [
      'unchanged URLs without secrets',
      'redirect_uri=http%3A%2F%2Fa.example%2F%3Fnext%3d1',
      'redirect_uri=http%3A%2F%2Fa.example%2F%3Fnext%3d1',
    ],
    ['unchanged text that cannot be decoded', 'name=%E0%A4%A&redirect_uri=%3F%E0', 'name=%E0%A4%A&redirect_uri=%3F%E0'],
  ] as const) {
    it(`a request log entry has ${text}`, () => assert.equal(maskQuery(query), stored));
  }

  for (const name of [
    'user[password]',
    'user[password_confirmation]',
    'user%5Bpassword%5D',
    'application[secret]',
    'application[client_secret]',
    'new_password',
    'PRIVATE-TOKEN',
    'authenticity_token',
    'sentry_key',
    'settings.api_key',
    'pin',
  ]) {
    it(`a request log entry has no value of ${name}`, () =>
      assert.equal(maskQuery(`a=1&${name}=plain&b=2`), `a=1&${name}=[masked]&b=2`));
  }

  for (const secret of [
    'glpat-Abcdefghijklmnopqrst',
    'glpat%2DAbcdefghijklmnopqrst',
    `glet_${'0a'.repeat(16)}`,
    'GR1348941Abcdefghijklmnopqrst',
    code,
    `ghp_${'a1B2'.repeat(9)}`,
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  ]) {
    it(`a request log entry has a path without ${secret.slice(0, 8)}`, () =>
      assert.equal(maskPathTokens(`/api/v4/personal_access_tokens/${secret}`), '/api/v4/personal_access_tokens/[masked]'));
  }

  it('a request log entry has a path without the secret of an uploaded file', () => {
    const secret = '0123456789abcdef'.repeat(2);
    for (const [path, masked] of [
      [`/api/v4/projects/a%2Fb/uploads/${secret}/c%20d.png`, '/api/v4/projects/a%2Fb/uploads/[masked]/c%20d.png'],
      [`/-/project/1/uploads/${secret}/a.png`, '/-/project/1/uploads/[masked]/a.png'],
      [`/a/b/uploads/${secret}/a.png`, '/a/b/uploads/[masked]/a.png'],
      [`/a%2Fb%2Fuploads%2F${secret}%2Fa.png`, '/a%2Fb%2Fuploads%2F[masked]%2Fa.png'],
      [`/a/b/upload%73/${secret}/a.png`, '/a/b/uploads/[masked]/a.png'],
    ] as const) {
      assert.equal(maskPathTokens(path), masked);
    }
    const returnTo = (id: string): string => `return_to=${encodeURIComponent(`/-/project/1/uploads/${id}/a.png`)}`;
    assert.equal(maskQuery(returnTo(secret)), returnTo('[masked]').replace('%5Bmasked%5D', '[masked]'));
    assert.equal(maskPathTokens(`/-/project/1/uploads/${secret}0`), `/-/project/1/uploads/${secret}0`);
  });

  it('a request log entry has any other path unchanged', () => {
    for (const path of ['/api/v4/projects/a%2Fb/repository/commits/0123456789abcdef0123456789abcdef01234567', '/%E0%A4%A']) {
      assert.equal(maskPathTokens(path), path);
    }
  });

  it('a request log entry has reasons without texts that look like tokens', () => {
    assert.equal(maskTokens(`the grant ${code} is unknown`), 'the grant [masked] is unknown');
    assert.equal(maskTokens('glpat-Abcdefghijklmnopqrst.01.0w12345678 and gloas-0123456789abcdef'), '[masked] and [masked]');
    const plain = 'redirect_uri differs at character 23; 0123456789abcdef0123456789abcdef01234567 is a commit';
    assert.equal(maskTokens(plain), plain);
  });
});

describe('a line of the server log', () => {
  for (const [text, stored] of [
    ['GET /users?user[password]=hunter2&page=2 failed', 'GET /users?user[password]=[masked]&page=2 failed'],
    ['return_to=/a?user%255Bpassword%255D=hunter2', 'return_to=/a?user%255Bpassword%255D=[masked]'],
    ['Referer: http://127.0.0.1/?private_token=plain', 'Referer: http://127.0.0.1/?private_token=[masked]'],
    [`Location: /oauth/device?user_code=ABCD-EFGH`, 'Location: /oauth/device?user_code=[masked]'],
    [`GET /users/sign_in_links/${code}`, 'GET /users/sign_in_links/[masked]'],
    [`the key glet_${'0a'.repeat(16)} is unknown`, 'the key [masked] is unknown'],
    ['listening on http://127.0.0.1:3000, data in /tmp/a=b', 'listening on http://127.0.0.1:3000, data in /tmp/a=b'],
    ['GET /projects?page_token=abc&per_page=2', 'GET /projects?page_token=abc&per_page=2'],
  ] as const) {
    it(`a log line is masked as "${stored}"`, () => {
      const lines: string[] = [];
      const log = createLog('debug', (line) => lines.push(line));
      log.info(text);
      log.error('it failed', new Error(text));
      assert.equal(lines[0], `info: ${stored}\n`);
      assert.ok(lines[1]?.startsWith(`error: it failed: Error: ${stored}\n`), lines[1]);
    });
  }
});
