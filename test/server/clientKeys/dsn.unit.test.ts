import assert from 'node:assert/strict';
import { makeDsn, readDsn } from '../../../src/contract/dsn.ts';

const key = `glet_${'0123456789abcdef'.repeat(2)}`;

describe('DSNs', () => {
  for (const [baseUrl, dsn] of [
    ['http://127.0.0.1:3000', `http://${key}@127.0.0.1:3000/api/v4/error_tracking/collector/7`],
    ['https://example.com', `https://${key}@example.com/api/v4/error_tracking/collector/7`],
    ['https://example.com:443/', `https://${key}@example.com/api/v4/error_tracking/collector/7`],
    ['https://example.com/platform/', `https://${key}@example.com/platform/api/v4/error_tracking/collector/7`],
    ['http://[::1]:80', `http://${key}@[::1]/api/v4/error_tracking/collector/7`],
  ] as const) {
    it(`DSNs consist of the address ${baseUrl}, the public key and the project ID`, () => {
      assert.equal(makeDsn(baseUrl, key, 7), dsn);
      const read = readDsn(dsn);
      assert.ok(read !== undefined);
      assert.deepEqual([read.publicKey, read.projectId], [key, 7]);
      assert.equal(
        `${read.origin}${read.path}`,
        `${baseUrl.replace(/\/$/, '').replace(/:(443|80)$/, '')}/api/v4/error_tracking/collector`,
      );
    });
  }

  for (const [what, text, read] of [
    [
      'of the hosted backend',
      `https://${key}@observe.example.com:443/errortracking/api/v1/projects/42`,
      { publicKey: key, origin: 'https://observe.example.com', path: '/errortracking/api/v1/projects', projectId: 42 },
    ],
    ['without a path', 'http://abc@h/1', { publicKey: 'abc', origin: 'http://h', path: '', projectId: 1 }],
    ['with a secret', 'http://abc:secret@h/x/1', { publicKey: 'abc', origin: 'http://h', path: '/x', projectId: 1 }],
    ['with a trailing slash', 'http://abc@h/x/1/', { publicKey: 'abc', origin: 'http://h', path: '/x', projectId: 1 }],
  ] as const) {
    it(`DSNs are read ${what}`, () => assert.deepEqual(readDsn(text), read));
  }

  for (const text of [
    '',
    'abc',
    'http://h/1',
    'http://abc@h',
    'http://abc@h/',
    'http://abc@h/x',
    'http://abc@h/1x',
    'http://abc@h/0',
    `http://abc@h/${'9'.repeat(20)}`,
    'http://a-b@h/1',
    'http://a%2Fb@h/1',
    'ftp://abc@h/1',
    'javascript:alert(1)',
    'http://abc@h/1?a=b',
    'http://abc@h/1#a',
  ]) {
    it(`${JSON.stringify(text)} is not a DSN`, () => assert.equal(readDsn(text), undefined));
  }
});
