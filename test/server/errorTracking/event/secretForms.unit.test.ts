import assert from 'node:assert/strict';
import { scrubSource, scrubText } from '../../../../server/features/errorTracking/event/scrubText.ts';
import { groupingOf } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { normalised } from '../reading.ts';

const letters = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const base64 = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)}\n`;

/** One secret of each form, and a part of it that must not be found. */
const secrets: Readonly<Record<string, readonly [text: string, part: string]>> = {
  'private key': [`-----BEGIN RSA PRIVATE KEY-----\n${base64.repeat(3)}-----END RSA PRIVATE KEY-----`, 'MIIEvQIBADAN'],
  'private key without its end': [`-----BEGIN PRIVATE KEY-----\n${base64.repeat(3)}`, 'MIIEvQIBADAN'],
  'GitHub token': [`ghp_${letters}`, letters],
  'GitHub OAuth token': [`gho_${letters}`, letters],
  'GitHub server token': [`ghs_${letters}`, letters],
  'fine-grained GitHub token': [`github_pat_${letters}`, letters],
  'personal access token': [`glpat-${letters.slice(0, 20)}`, letters.slice(0, 20)],
  'routable personal access token': ['glpat-abcdefgh12345678.01.0w1abcdef', '0w1abcdef'],
  'runner token': [`glrt-${letters}`, letters],
  'registration token of runners': [`GR1348941${letters}`, letters],
  'application secret': [`gloas-${letters}`, letters],
  'deploy token': [`gldt-${letters}`, letters],
  'CI job token': [`glcbt-${letters}`, letters],
  'trigger token': [`glptt-${letters}`, letters],
  'feed token': [`glft-${letters}`, letters],
  'agent token': [`glagent-${letters}`, letters],
  'client key': [`glet_${'0123456789abcdef'.repeat(2)}`, '0123456789abcdef'],
  'AWS access key id': ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  'AWS secret beside its id': ['AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalrXUtnFEMI'],
  'JSON Web Token': ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0', 'eyJzdWIiOiIxMjM0In0'],
  'Slack token': ['xoxb-123456789012-abcdefABCDEF', '123456789012'],
  'Stripe key': [`sk_live_${letters}`, letters],
  'key of a language model': [`sk-proj-${letters}`, letters],
  'bearer token': [`Bearer ${letters}`, letters],
  'basic credentials': [`Basic ${Buffer.from('mia:hunter2').toString('base64')}`, 'bWlhOmh1bnRlcjI'],
  'password of an address': ['postgres://mia:hunter2@db/', 'hunter2'],
  'password of a query': ['/x?password=hunter2', 'hunter2'],
};

/** Functions that put a text into one member of an event. */
const fields: Readonly<Record<string, (text: string) => JsonObject>> = {
  'value of an exception': (value) => ({ exception: [{ type: 'E', value }] }),
  'type of an exception': (type) => ({ exception: [{ type }] }),
  message: (message) => ({ message }),
  'formatted message': (formatted) => ({ logentry: { message: '%s', formatted } }),
  'parameter of a message': (text) => ({ logentry: { message: 'it says %s', params: [text] } }),
  'message of a breadcrumb': (message) => ({ breadcrumbs: [{ message }] }),
  'data of a breadcrumb': (text) => ({ breadcrumbs: [{ data: { note: text } }] }),
  transaction: (transaction) => ({ transaction }),
  culprit: (culprit) => ({ culprit }),
  tag: (text) => ({ tags: { note: text } }),
  fingerprint: (text) => ({ fingerprint: [text] }),
  release: (release) => ({ release }),
  environment: (environment) => ({ environment }),
  'name of the server': (server_name) => ({ server_name }),
  logger: (logger) => ({ logger }),
  'name of a user': (username) => ({ user: { username } }),
  extra: (text) => ({ extra: { deep: [{ note: text }] } }),
  context: (text) => ({ contexts: { app: { note: text } } }),
  variable: (text) => ({ exception: [{ type: 'E', stacktrace: { frames: [{ function: 'f', vars: { note: text } }] } }] }),
  'address of a request': (url) => ({ request: { url } }),
  'header of a request': (text) => ({ request: { headers: { Referer: text } } }),
  'body of a request': (data) => ({ request: { data } }),
};

it('events that differ only in secrets are one error', () => {
  for (const [form, [secret]] of Object.entries(secrets)) {
    const hashes = ['a1B2', 'z9Y8', 'Q5R6'].map((unique) => {
      const event = normalised({
        exception: [{ type: 'E', value: `harbour ${secret.replaceAll(/a1B2|hunter2/g, unique)} quay` }],
      });
      return groupingOf(event, 1, true).app.toString('hex');
    });
    assert.equal(new Set(hashes).size, 1, form);
  }
});

describe('an event holds no secret that is recognised by its form', () => {
  for (const [field, eventOf] of Object.entries(fields)) {
    it(`in: ${field}`, () => {
      for (const [form, [secret, part]] of Object.entries(secrets)) {
        const { tags, ...event } = normalised(eventOf(`harbour ${secret}`));
        const text = JSON.stringify([...tags, event]);
        assert.ok(!text.includes(part), form);
        assert.ok(text.includes('harbour'), `${form}: what stands beside it is lost`);
      }
    });
  }

  it('secrets are scrubbed from lines of source, but expressions stay unchanged', () => {
    for (const line of ['password = get_password()', 'connect(token=token)', 'if secret == other:', 'type="password"'])
      assert.equal(scrubSource(line), line);
    assert.equal(scrubSource('password = "hunter2" # harbour'), 'password = "[Filtered]" # harbour');
    assert.equal(scrubSource('export API_KEY=abc'), 'export API_KEY=[Filtered]');
    assert.equal(scrubSource('  password: hunter2'), '  password: [Filtered]');
    for (const line of ['token: token2,', 'pin: uint8', 'TOKEN=$1', 'password=password', 'token = tokens[0]'])
      assert.equal(scrubSource(line), line);
    for (const [secret, part] of Object.values(secrets).slice(2, 22)) assert.ok(!scrubSource(`x = ${secret}`).includes(part));
  });

  const key = ['-----BEGIN PRIVATE KEY-----', base64.trim(), 'MIIEvQ==', '-----END PRIVATE KEY-----'];
  for (const [where, begin] of [
    ['in front of the line of a frame', 3],
    ['around it', 5],
    ['behind it', 7],
  ] as const) {
    it(`a private key is scrubbed from several lines of source ${where}`, () => {
      const lines = ['harbour = 1', 'pier = 2', 'key = , ...key, ', 'quay = 3'];
      const event = normalised({
        stacktrace: {
          frames: [{ pre_context: lines.slice(0, begin), context_line: lines[begin], post_context: lines.slice(begin + 1) }],
        },
      });
      const text = JSON.stringify(event.frames);
      assert.doesNotMatch(text, /MIIEvQ/);
      for (const stored of ['harbour = 1', 'pier = 2', 'quay = 3']) assert.ok(text.includes(stored));
    });
  }

  it('a private key is scrubbed from several texts of a list', () => {
    const event = normalised({ extra: { lines: ['harbour', ...key, 'quay.'] } });
    assert.doesNotMatch(JSON.stringify(event), /MIIEvQ/);
    assert.match(JSON.stringify(event.extra), /harbour.*quay\./);
  });

  it('secrets are scrubbed from names', () => {
    const name = `ghp_${letters}`;
    const event = normalised({
      extra: { [name]: { a: 1 }, harbour: { [name]: [] } },
      tags: { [name]: 'quay' },
      modules: { [name]: name, shop: '1' },
      request: { headers: { [name]: 'a' }, cookies: { [name]: 'a' }, query_string: { [name]: 'a' } },
      debug_meta: { images: [{ code_file: name, debug_id: name }] },
    });
    const { tags, modules, debugIds, ...rest } = event;
    assert.ok(!JSON.stringify([[...tags], [...modules], [...debugIds], rest]).includes(letters));
    assert.deepEqual([...modules].at(-1), ['shop', '1']);
  });

  it('partially cut secrets are scrubbed', () => {
    const secret = `ghp_${letters}`;
    const cuts = Array.from({ length: secret.length }, (_, index) => index);
    const length = 512;
    for (const cut of cuts) {
      const line = `${'x '.repeat(length)}${secret}${' x'.repeat(length)}`;
      const at = 2 * length + cut;
      const frames = [at - length / 2, at + length / 2].map((colno) => ({ function: 'f', context_line: line, colno }));
      const text = JSON.stringify(
        normalised({ stacktrace: { frames: [...frames, { pre_context: [line.slice(length + cut)] }] } }).frames,
      );
      assert.doesNotMatch(text, /ghp_|a1B2|J0k1|P6q7R8/);
    }
  });

  it('a tag with the name of a secret is scrubbed', () => {
    const { tags } = normalised({ tags: { pin: '1234', pinned: 'yes', author: 'mia' } });
    assert.deepEqual(
      [...tags],
      [
        ['pin', '[Filtered]'],
        ['pinned', 'yes'],
        ['author', 'mia'],
      ],
    );
  });
});

for (const text of [
  'Bearer token expired',
  'Basic authentication is required',
  'KeyJsonSerializer.serialize failed',
  'highs_and_lows_of_the_season_2024',
  'glagent-configuration is missing',
  'task-loading-spinner-container',
  '-----BEGIN CERTIFICATE-----',
]) {
  it(`"${text}" holds no secret`, () => assert.equal(scrubText(text), text));
}
