import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createMask, createLog } from '../../src/support/log.ts';

const HEX = '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23b';

describe('masking of the log', () => {
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
    ['Renewed the sign-in of @ana on https://gitlab.example.com.', 'Renewed the sign-in of @ana on https://gitlab.example.com.'],
    ['GET /api/v4/projects/42/events?per_page=20 → 200 in 12 ms', 'GET /api/v4/projects/42/events?per_page=20 → 200 in 12 ms'],
  ] as const) {
    it(`makes "${line}" "${masked}"`, () => assert.equal(createMask().apply(line), masked));
  }

  it('hides every secret it was told of, also one inside another', () => {
    const mask = createMask();
    mask.hide('inner-secret');
    mask.hide('the-inner-secret-longer');
    mask.hide('');
    mask.hide('a');
    assert.equal(mask.apply('a the-inner-secret-longer, inner-secret'), 'a •••, •••');
  });

  it('stands before every level of the channel', () => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const log = createLog({ debug: write, info: write, warn: write, error: write }, createMask());
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`${level} Bearer abc`);
    assert.deepEqual(lines, ['debug Bearer •••', 'info Bearer •••', 'warn Bearer •••', 'error Bearer •••']);
  });
});
