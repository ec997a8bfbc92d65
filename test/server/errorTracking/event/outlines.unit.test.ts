import assert from 'node:assert/strict';
import { mayHoldSecrets, namesSecret } from '../../../../server/features/errorTracking/event/secretScan.ts';
import { withoutDetails } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { normaliseEvent, outlineOf } from '../../../../server/features/errorTracking/event/normaliseEvent.ts';
import { sentEvent } from '../../../../server/features/errorTracking/body/envelopeContents.ts';
import { parseEnvelope } from '../../../../server/features/errorTracking/body/envelope.ts';
import { readPayload, readStorePayload } from '../../../../server/features/errorTracking/body/storePayload.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { decoded } from '../decoded.ts';
import { corpus } from '../grouping/corpus/corpus.ts';
import { ID } from '../grouping/corpus/writers.ts';
import { RECEIVED_AT } from '../reading.ts';

const about = {
  headerId: undefined,
  givenId: ID,
  receivedAt: RECEIVED_AT,
  sentAt: undefined,
  peerAddress: '127.0.0.1',
  scrub: true,
};

function assertOutline(payload: JsonObject, message?: string): void {
  assert.deepEqual(withoutDetails(outlineOf(payload, about)), withoutDetails(normaliseEvent(payload, about)), message);
}

const isScrubbed = (payload: JsonObject): boolean =>
  normaliseEvent(payload, about).problems.some(({ type }) => type === 'scrubbed');

describe('the outline of an event', () => {
  it('the outline is the event without details, for every SDK', async () => {
    let compared = 0;
    for (const { name, endpoint, headers, body } of corpus) {
      const { bytes } = await decoded(body, headers['content-encoding']);
      const items = parseEnvelope(bytes).items.filter(({ type }) => type === 'event');
      const payloads = endpoint === 'store' ? [readStorePayload(bytes)] : items.map((item) => readPayload(item.payload));
      for (const payload of payloads) {
        compared += 1;
        assertOutline(payload, name);
        assert.ok(mayHoldSecrets(payload) || !(namesSecret(payload) || isScrubbed(payload)), name);
      }
    }
    assert.ok(compared >= 20, String(compared));
  });

  it('the outline is correct with unreadable members', () => {
    const odd = [null, 7, true, 'x', [], {}, ['x'], [{ values: [{ frames: [{ function: 'f' }] }] }], { values: [{ type: 'E' }] }];
    const members = ['exception', 'threads', 'logentry', 'message', 'stacktrace', 'user', 'fingerprint', 'checksum', 'level'];
    for (const name of [...members, 'timestamp', 'event_id', 'platform', 'transaction', 'culprit', 'release', 'debug_meta']) {
      for (const value of odd) assertOutline({ message: 'm', [name]: value }, `${name}: ${JSON.stringify(value)}`);
    }
  });

  it('the outline and the whole event have the same ID', () => {
    for (const event_id of [undefined, 'no id', ID]) {
      const { givenId: _, ...rest } = about;
      const { event, whole, mayHoldSecrets: may } = sentEvent({ event_id }, rest, 0);
      assert.ok(!may);
      assert.equal(whole().id, event.id);
      assert.equal(event.id === ID, event_id === ID);
    }
  });
});

describe('the quick scan for secrets', () => {
  const found: readonly JsonObject[] = [
    { request: { url: 'http://mia:secret@localhost/' } },
    { request: { url: 'http://localhost/?a=1&token=x' } },
    // After the cut, something else follows it.
    { request: { url: `${'x'.repeat(4086)}password=&x` } },
    { request: { url: 'pass\0word=x' } },
    { request: { query_string: '?token=x' } },
    { request: { query_string: { token: 1 } } },
    { request: { query_string: [['token', 1]] } },
    // Encoded in a query, the name contains a word that it otherwise does not.
    { request: { query_string: { '€cess_key': 1 } } },
    { request: { headers: { Authorization: 7 } } },
    { request: { headers: { Cookie: true } } },
    { request: { headers: { 'Set-Cookie': ['a=b'] } } },
    { request: { headers: [['Cookie', 'a=b']] } },
    { request: { cookies: 'a=b' } },
    { request: { cookies: {} } },
    { request: { data: { password: 7 } } },
    { extra: { deep: [{ token: ['x'] }] } },
    { extra: { list: [['token', { a: 1 }]] } },
    // Truncated, the name contains a word that it otherwise does not.
    { extra: { [`${'n'.repeat(193)}_tokens.`]: 7 } },
    { extra: { 'sec\0ret': 7 } },
    { contexts: { app: { secret: 7 } } },
    { breadcrumbs: [{ data: { token: 7 } }] },
    { exception: { value: { password: 7 } } },
    { exception: [{ stacktrace: { frames: [{ vars: { password: 7 } }] } }] },
    { logentry: { message: '%s', params: [{ password: 7 }] } },
    { of_tomorrow: { password: '' } },
    { extra: { note: 'password=hunter' } },
    { extra: { note: ['a', 'pass\0word=hunter'] } },
    { extra: { note: `${'x'.repeat(16_383 - 'password='.length)}password=&&` } },
    { contexts: { app: { sent: '{"secret": "x"}' } } },
    { breadcrumbs: { values: [{ data: { url: 'http://localhost/?token=x' } }] } },
    { request: { data: 'user=a&password=x' } },
    { request: { headers: { Referer: 'http://localhost/?token=x' } } },
    { request: { headers: [['Referer', 'http://localhost/?token=x']] } },
    { stacktrace: { frames: [{ vars: { address: 'postgres://mia:x@localhost/' } }] } },
    { logentry: { message: '%s', params: ['token=x'] } },
    { exception: { value: { sent: 'token=x' } } },
    { of_tomorrow: { password: ['x'] } },
    { of_tomorrow: [['password', 'x']] },
    { sdk: { settings: { token: 'x' } } },
    // The end of the quoted text is not searched.
    { stacktrace: { frames: [{ context_line: `password = "${'lamp '.repeat(1000)}"` }] } },
    { exception: [{ mechanism: { data: { note: 'token=x' } } }] },
    { stacktrace: { frames: [{ function: 'token=a1B2c3D4e5F6g7H8' }] } },
    { stacktrace: { frames: [{ filename: 'http://localhost/?token=x' }] } },
    { modules: [['shop', 'ghp_a1B2c3D4e5F6g7H8i9J0']] },
    { user: { data: { note: 'card 4111 1111 1111 1111' } } },
    { logentry: { message: 'card 4111 1111 1111 %s', params: ['1111'] } },
    { request: { url: 'http://localhost/?card=4111%201111%201111%201111' } },
  ];
  for (const payload of found) {
    it(`the quick scan finds ${JSON.stringify(payload).slice(0, 80)}`, () => {
      assert.ok(namesSecret(payload) || isScrubbed(payload));
      assert.ok(mayHoldSecrets(payload));
    });
  }

  it('the received data is stored if a text only begins like a secret', () => {
    const payload = {
      message: 'Bearer token expired',
      extra: { note: 'Basic authentication is required', token_type: 'bearer' },
    };
    assert.ok(mayHoldSecrets(payload));
    assert.ok(!namesSecret(payload) && !isScrubbed(payload));
  });

  it('the quick scan finds nothing without secrets', () => {
    const payload = {
      request: { url: 'http://localhost/?a=1&b=2', query_string: 'a=1', headers: { Host: 'x' }, cookies: null, data: { a: 'b' } },
      extra: { max_tokens: 17, author: 'mia', pair: ['a', 'b'], password: null, note: 'a=b&max_tokens=1 {"a": "b"} http://x/@y' },
      tags: [['a', 'b']],
    };
    assert.ok(!mayHoldSecrets(payload));
    assert.ok(!namesSecret(payload) && !isScrubbed(payload));
  });
});
