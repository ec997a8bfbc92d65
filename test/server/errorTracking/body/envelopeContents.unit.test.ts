import assert from 'node:assert/strict';
import {
  ITEMS_AT_ONCE,
  readContents,
  readContentsInPieces,
} from '../../../../server/features/errorTracking/body/envelopeContents.ts';
import { parseEnvelope } from '../../../../server/features/errorTracking/body/envelope.ts';
import { ID } from '../grouping/corpus/writers.ts';
import { RECEIVED_AT } from '../reading.ts';

const contentsOf = (...lines: readonly string[]) =>
  readContents(parseEnvelope(Buffer.from(lines.join('\n'))), { receivedAt: RECEIVED_AT, peerAddress: undefined, scrub: true });
const EVENT = '{"type":"event"}';
const SESSION = '{"type":"session"}';
const attrs = '"attrs":{"release":"a@1"}';

describe('the contents of an envelope', () => {
  it('reading an envelope pauses, so that other requests can be handled', () => {
    const pieces = 4;
    const lines = ['{}', ...Array.from({ length: pieces * ITEMS_AT_ONCE }, () => [EVENT, '{"message":"a"}']).flat()];
    const envelope = parseEnvelope(Buffer.from(lines.join('\n')));
    const reading = readContentsInPieces(envelope, { receivedAt: RECEIVED_AT, peerAddress: undefined, scrub: true });
    let pauses = 0;
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) pauses += 1;
    assert.equal(pauses, pieces - 1);
    assert.equal(step.value.events.length, pieces * ITEMS_AT_ONCE);
  });

  it('an envelope contains events, sessions, session counts and client reports', () => {
    const contents = contentsOf(
      '{}',
      EVENT,
      '{"message":"a"}',
      SESSION,
      `{"sid":"${ID}","started":"2026-03-04T05:06:00Z",${attrs}}`,
      '{"type":"sessions"}',
      `{"aggregates":[{"started":"2026-03-04T05:06:00Z","exited":1}],${attrs}}`,
      '{"type":"client_report"}',
      '{"discarded_events":[{"reason":"r","category":"error","quantity":2}]}',
    );
    assert.deepEqual(
      contents.events.map(({ event }) => event.message?.text),
      ['a'],
    );
    assert.deepEqual(
      contents.sessions.map(({ id }) => id),
      [ID],
    );
    assert.deepEqual(
      contents.sessionCounts.map(({ buckets }) => buckets.length),
      [1],
    );
    assert.deepEqual(contents.discarded, [{ reason: 'r', category: 'error', quantity: 2 }]);
    assert.deepEqual(contents.dropped, []);
    assert.equal(contents.refusal, undefined);
  });

  it('the ID in the envelope header applies to the first event only', () => {
    const other = 'a'.repeat(32);
    const { events } = contentsOf(
      `{"event_id":"${ID}"}`,
      EVENT,
      `{"event_id":"${other}"}`,
      EVENT,
      `{"event_id":"${other}"}`,
      EVENT,
      '{}',
    );
    assert.deepEqual(
      events.slice(0, 2).map(({ event }) => event.id),
      [ID, other],
    );
    assert.ok(![ID, other].includes(events[2]?.event.id ?? ID));
  });

  it('dropped items of an envelope have a reason', () => {
    const contents = contentsOf('{}', EVENT, '{"type":"transaction"}', SESSION, '{}', '{"type":"sessions"}', '{}');
    assert.deepEqual([contents.events, contents.sessions, contents.sessionCounts], [[], [], []]);
    assert.equal(contents.dropped.length, 3);
    assert.equal(contents.refusal, undefined);
  });

  it('an envelope is refused only if nothing could be read', () => {
    const status = (...lines: readonly string[]) => contentsOf(...lines).refusal?.status;
    assert.equal(status('{}'), undefined);
    assert.equal(status('{}', '{"type":"of_tomorrow"}', '?'), undefined);
    assert.equal(status(''), 400);
    assert.equal(status('{}', EVENT, 'no JSON'), 400);
    assert.equal(status('{}', EVENT, '[]'), 400);
    assert.equal(status('{}', EVENT, 'no JSON', EVENT, '{}'), undefined);
    assert.equal(status('{}', EVENT, '{}', 'malformed'), undefined);
    assert.equal(status('{}', EVENT, 'no JSON', 'malformed'), 400);
    assert.equal(status('{}', EVENT, `{"a":"${'x'.repeat(1024 * 1024)}"}`), 413);
    assert.equal(status('{}', EVENT, `{"a":"${'x'.repeat(1024 * 1024)}"}`, EVENT, '{}'), undefined);
  });
});
