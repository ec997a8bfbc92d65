import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { offeredKeys } from '../../../../server/features/errorTracking/receive/offeredKeys.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('client keys in an ingestion request', () => {
  const table: readonly [name: string, query: string, headers: IncomingHttpHeaders, dsn: unknown, keys: readonly string[]][] = [
    ['is named nowhere', '', {}, undefined, []],
    ['stands in the query', 'sentry_version=7&sentry_key=k1', {}, undefined, ['query k1']],
    ['stands in the query with a client', 'sentry_key=k1&sentry_client=a%2F1', {}, undefined, ['query k1 a/1']],
    ['is empty in the query', 'sentry_key=', { 'x-sentry-auth': 'Sentry sentry_key=k2' }, undefined, ['header k2']],
    [
      'stands in the header',
      '',
      { 'x-sentry-auth': 'Sentry sentry_version=7, sentry_key=k2, sentry_client=b/2' },
      undefined,
      ['header k2 b/2'],
    ],
    [
      'stands in a header without spaces',
      '',
      { 'x-sentry-auth': 'Sentry sentry_version=7,sentry_client=b/2,sentry_key=k2' },
      undefined,
      ['header k2 b/2'],
    ],
    [
      'stands in a header with many spaces',
      '',
      { 'x-sentry-auth': '  sENTRY   sentry_key = k2 ,, x=y=z , =, sentry_secret=s' },
      undefined,
      ['header k2'],
    ],
    ['stands in Authorization', '', { authorization: 'Sentry sentry_key=k3, sentry_version=5' }, undefined, ['header k3']],
    ['is the user of Basic', '', { authorization: basic('k4:secret') }, undefined, ['header k4']],
    ['is the user of Basic without a password', '', { authorization: basic('k4') }, undefined, ['header k4']],
    ['stands in the DSN of the envelope', '', {}, 'http://k5@localhost:1/api/7', ['envelope k5']],
    ['stands in a DSN with a secret', '', {}, 'https://k5:secret@localhost/7', ['envelope k5']],
    [
      'stands everywhere, and differs',
      'sentry_key=k1',
      { 'x-sentry-auth': 'Sentry sentry_key=k2', authorization: basic('k4:') },
      'http://k5@h/7',
      ['query k1', 'header k2', 'header k4', 'envelope k5'],
    ],
    [
      'stands everywhere, and is the same',
      'sentry_key=k1',
      { 'x-sentry-auth': 'Sentry sentry_key=k1' },
      'http://k1@h/7',
      ['query k1'],
    ],
    ['is of a bearer', '', { authorization: 'Bearer abc' }, undefined, []],
    ['is of an unknown scheme', '', { 'x-sentry-auth': 'Other sentry_key=k2' }, undefined, []],
    ['has no scheme', '', { 'x-sentry-auth': 'sentry_key=k2' }, undefined, []],
    ['is of version 8', '', { 'x-sentry-auth': 'Sentry sentry_key=k2,sentry_version=8' }, undefined, ['header k2']],
    ['is of version 7.0', 'sentry_key=k1&sentry_version=7.0', {}, undefined, ['query k1']],
    ['is of a version that nobody knows', 'sentry_key=k1&sentry_version=9', {}, undefined, []],
    ['is longer than any key', `sentry_key=${'k'.repeat(256)}`, {}, undefined, []],
    ['stands in no DSN', '', {}, 'ftp://k5@h', []],
    ['stands in a DSN that is a number', '', {}, 7, []],
    ['stands in a DSN without a user', '', {}, 'http://h/7', []],
  ];
  for (const [name, query, headers, dsn, keys] of table) {
    it(name, () => {
      const offered = offeredKeys({ query, headers, envelopeHeader: { dsn } });
      assert.deepEqual(
        offered.map(({ key, from, client }) => [from, key, client].filter(Boolean).join(' ')),
        keys,
      );
    });
  }
});
