import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createMask, createLog } from '../../../src/support/log.ts';

const HEX = '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23b';

describe('masking of secrets in the log', () => {
  for (const [line, masked] of [
    [`token ${HEX} came`, 'token ••• came'],
    ['glpat-AbCdEf0123456789xyzw is mine', '••• is mine'],
    ['glpat-AbCdEf0123456789xyzwAbCdEf.01.16abcdefg, mine', '•••, mine'],
    [`secret gloas-${HEX}`, 'secret •••'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer •••'],
    ['PRIVATE-TOKEN: short', 'PRIVATE-TOKEN: •••'],
    ['GET /api/v4/user?access_token=abc&page=2', 'GET /api/v4/user?access_token=•••&page=2'],
    ['body refresh_token=abc&client_id=x', 'body refresh_token=•••&client_id=x'],
    ['{"access_token":"abc","token_type":"bearer"}', '{"access_token":"•••","token_type":"bearer"}'],
    ['/oauth/device?user_code=ABCD-EFGH', '/oauth/device?user_code=•••'],
    ['return_to=%2Foauth%2Fdevice%3Fuser_code%3DABCDEFGH', 'return_to=%2Foauth%2Fdevice%3Fuser_code%3D•••'],
    ['https://me:hunter2@example.com/', 'https://me:•••@example.com/'],
    ['id_token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl', 'id_token •••'],
    [`http://glet_${'0a'.repeat(16)}@127.0.0.1:3000/1`, 'http://•••@127.0.0.1:3000/1'],
    [`ghp_${'a1B2'.repeat(9)} came`, '••• came'],
    [`github_pat_${'a1B2'.repeat(12)} came`, '••• came'],
    ['AKIAABCDEFGHIJKLMNOP came', '••• came'],
    ['POST /users?user[password]=hunter2&x=1', 'POST /users?user[password]=•••&x=1'],
    ['user%5Bpassword%5D=hun%74er%262&x=1', 'user%5Bpassword%5D=•••&x=1'],
    ['next=%2Fa%3Fuser%255Bpassword%255D%3Dhunter2%26x%3D1', 'next=%2Fa%3Fuser%255Bpassword%255D%3D•••%26x%3D1'],
    ['{"user":{"password":"hun \\"ter\\" 2"},"x":1}', '{"user":{"password":"•••"},"x":1}'],
    ['GET /api/v4/personal_access_tokens/glpat-AbCdEf0123456789xyzw', 'GET /api/v4/personal_access_tokens/•••'],
    ['GET /api/v4/personal_access_tokens/glpat%2DAbCdEf0123456789xyzw', 'GET /api/v4/personal_access_tokens/•••'],
    [`http://127.0.0.1:3000/users/sign_in_links/${HEX}`, 'http://127.0.0.1:3000/users/sign_in_links/•••'],
    ['/users/sign_in_links/short-link?x=1', '/users/sign_in_links/•••?x=1'],
    ['return_to=%2Fusers%2Fsign_in_links%2Fshort', 'return_to=%2Fusers%2Fsign_in_links%2F•••'],
    ['Authorization: Basic bWU6aHVudGVyMg==', 'Authorization: Basic •••'],
    ['Cookie: a=b; c=d', 'Cookie: •••'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- was read', '••• was read'],
    ['Refreshed the token of @ana on https://gitlab.example.com.', 'Refreshed the token of @ana on https://gitlab.example.com.'],
    ['GET /api/v4/projects/42/events?per_page=20 → 200 in 12 ms', 'GET /api/v4/projects/42/events?per_page=20 → 200 in 12 ms'],
  ] as const) {
    it(`the mask of the log turns "${line}" into "${masked}"`, () => assert.equal(createMask().apply(line), masked));
  }

  it('the mask of the log hides every registered secret, even one inside another', () => {
    const mask = createMask();
    mask.hide('inner-secret');
    mask.hide('the-inner-secret-longer');
    mask.hide('');
    mask.hide('a');
    assert.equal(mask.apply('a the-inner-secret-longer, inner-secret'), 'a •••, •••');
  });

  it('the mask of the log applies to every level of the channel', () => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const log = createLog({ debug: write, info: write, warn: write, error: write }, createMask());
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`${level} Bearer abc`);
    assert.deepEqual(lines, ['debug Bearer •••', 'info Bearer •••', 'warn Bearer •••', 'error Bearer •••']);
  });
});
