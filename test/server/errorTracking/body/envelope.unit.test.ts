import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  EnvelopeParser,
  type Envelope,
  type EnvelopeItem,
  parseEnvelope,
} from '../../../../server/features/errorTracking/body/envelope.ts';

const E = '{"type":"event"}';
const event = (payload: string): string => `{"type":"event","length":${Buffer.byteLength(payload)}}\n${payload}`;
const MIB = 1024 * 1024;

interface Expected {
  /** Payloads of the stored items. */
  readonly stored?: readonly string[];
  readonly skipped?: Readonly<Record<string, number>>;
  readonly status?: 400 | 413;
  readonly isCut?: boolean;
}

// Framing of envelopes and hostile variants (docs/interface.md#error-ingestion).
const table: readonly [name: string, body: string | Buffer, expected: Expected][] = [
  ['an empty body', '', { status: 400 }],
  ['a header alone', '{}', {}],
  ['a header alone with a newline', '{}\n', {}],
  ['a header that is not JSON', 'hello\n{"type":"event"}\n{}', { status: 400 }],
  ['a header that is null', 'null', { status: 400 }],
  ['a header that is a list', `[]\n${E}\n{}`, { status: 400 }],
  ['a header that is a text', `"{}"\n${E}\n{}`, { status: 400 }],
  ['a header of 8 KiB', `{"a":"${'x'.repeat(8184)}"}\n${E}\n{}`, { stored: ['{}'] }],
  ['a header above 8 KiB', `{"a":"${'x'.repeat(8185)}"}\n${E}\n{}`, { status: 400 }],
  ['a header above 8 KiB without an end', `{"a":"${'x'.repeat(100_000)}`, { status: 400 }],
  ['a header that is not UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]), { status: 400 }],
  ['an empty first line', `\n{}\n${E}\n{}`, { status: 400 }],
  ['a byte order mark', `\uFEFF{}\n${E}\n{}`, { stored: ['{}'] }],
  ['nothing but a byte order mark', '\uFEFF', { status: 400 }],
  ['no length, ended by the end', `{}\n${E}\n{"a":1}`, { stored: ['{"a":1}'] }],
  ['no length, ended by a newline', `{}\n${E}\n{"a":1}\n`, { stored: ['{"a":1}'] }],
  ['no length and more items', `{}\n${E}\n{"a":1}\n${E}\n{"b":2}`, { stored: ['{"a":1}', '{"b":2}'] }],
  ['a length that is null', '{}\n{"type":"event","length":null}\n{}', { stored: ['{}'] }],
  ['a length and a newline in the payload', `{}\n${event('{\n"a":1}')}\n`, { stored: ['{\n"a":1}'] }],
  ['a length in bytes of what is no ASCII', `{}\n${event('{"a":"ä🚦"}')}\n${event('{}')}`, { stored: ['{"a":"ä🚦"}', '{}'] }],
  ['a length in characters', `{}\n{"type":"event","length":9}\n{"a":"äö"}\n`, { status: 400 }],
  ['a length that is 0', `{}\n{"type":"event","length":0}\n\n${E}\n{}`, { stored: ['', '{}'] }],
  ['a length that is 0 at the end', '{}\n{"type":"event","length":0}\n', { stored: [''] }],
  [
    'two empty attachments, the last newline missing',
    '{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}',
    { skipped: { attachment: 2 } },
  ],
  ['a header of an item and nothing behind', `{}\n${E}`, { stored: [''] }],
  ['a header of an item, a length and nothing behind', '{}\n{"type":"event","length":1}', { status: 400 }],
  ['a negative length', '{}\n{"type":"event","length":-1}\n{}', { status: 400 }],
  ['a length with a fraction', '{}\n{"type":"event","length":1.5}\n{}', { status: 400 }],
  ['a length that is a text', '{}\n{"type":"event","length":"2"}\n{}', { status: 400 }],
  ['a length beyond all numbers', '{}\n{"type":"event","length":1e309}\n{}', { status: 400 }],
  [
    'a length of an unknown item beyond the body',
    '{}\n{"type":"x","length":900719925474099}\n{}',
    { status: 400, skipped: { x: 1 } },
  ],
  ['a length beyond the body', '{}\n{"type":"event","length":100}\n{}', { status: 400 }],
  ['a length that is one too long', `{}\n{"type":"event","length":3}\n{}\n${E}\n{}`, { status: 400 }],
  ['a length that is one too short', `{}\n{"type":"event","length":1}\n{}\n${E}\n{}`, { status: 400 }],
  ['something malformed behind an item', `{}\n${event('{}')}\n{"type":"event","length":-1}\n{}`, { stored: ['{}'], status: 400 }],
  ['a header of an item that is not JSON behind an item', `{}\n${event('{}')}\nhello`, { stored: ['{}'], status: 400 }],
  ['a header of an item that is a list', `{}\n[]\n{}\n${event('{}')}`, { status: 400 }],
  ['a header of an item that is not UTF-8', Buffer.from(`{}\n{"type":"\u00ff"}\n{}`, 'latin1'), { status: 400 }],
  ['an item above 8 KiB of header', `{}\n{"type":"event","x":"${'x'.repeat(9000)}"}\n{}`, { status: 400 }],
  ['an unknown item', `{}\n{"type":"of_tomorrow"}\n??\n${event('{}')}`, { stored: ['{}'], skipped: { of_tomorrow: 1 } }],
  [
    'an unknown item with a length',
    `{}\n{"type":"attachment","length":5}\n\0\n{\n\n\n${E}\n{}`,
    { stored: ['{}'], skipped: { attachment: 1 } },
  ],
  ['an item without a type', `{}\n{}\n??\n${event('{}')}`, { stored: ['{}'], skipped: { '': 1 } }],
  ['an item with a length but no type', `{}\n{"length":3}\na\nb\n${event('{}')}`, { stored: ['{}'], skipped: { '': 1 } }],
  ['an item whose type is a number', `{}\n{"type":7}\n??\n${event('{}')}`, { stored: ['{}'], skipped: { '': 1 } }],
  [
    'a type of every object',
    `{}\n{"type":"__proto__"}\n??\n{"type":"constructor"}\n??`,
    { skipped: JSON.parse('{"__proto__":1,"constructor":1}') },
  ],
  ['lines that end as on Windows', `{}\r\n${E}\r\n{"a":1}\r\n`, { stored: ['{"a":1}\r'] }],
  ['a payload with its length that ends as on Windows', `{}\r\n{"type":"event","length":2}\r\n{}\r\n`, { status: 400 }],
  ['newlines at the end', `{}\n${event('{}')}\n\n\n`, { stored: ['{}'] }],
  ['an event of 1 MiB', `{}\n${event('x'.repeat(MIB))}`, { stored: ['x'.repeat(MIB)] }],
  ['an event above 1 MiB', `{}\n${event('x'.repeat(MIB + 1))}`, { skipped: { event: 1 }, status: 413 }],
  [
    'an event above 1 MiB and one behind it',
    `{}\n${event('x'.repeat(MIB + 1))}\n${event('{}')}`,
    { stored: ['{}'], skipped: { event: 1 }, status: 413 },
  ],
  [
    'an event above 1 MiB without a length',
    `{}\n${E}\n${'x'.repeat(MIB + 1)}\n${E}\n{}`,
    { stored: ['{}'], skipped: { event: 1 }, status: 413 },
  ],
  ['10,000 tiny items', `{}\n${'{"type":"x"}\n1\n'.repeat(10_000)}`, { skipped: { x: 1000 }, isCut: true }],
  ['1000 tiny items', `{}\n${'{"type":"x"}\n1\n'.repeat(1000)}`, { skipped: { x: 1000 } }],
  ['a body of newlines', `{}\n${'\n'.repeat(100_000)}`, {}],
  ['bytes that are no text', Buffer.from([0, 1, 2, 0xff, 0xfe]), { status: 400 }],
];

/** Parses in chunks of `size` bytes. */
function inPieces(body: Buffer, size: number): Envelope {
  const items: EnvelopeItem[] = [];
  const parser = new EnvelopeParser((item) => items.push(item));
  for (let at = 0; at < body.length; at += size) parser.push(Buffer.from(body.subarray(at, at + size)));
  return { ...parser.end(), items };
}

const shown = (envelope: Envelope) => ({
  stored: envelope.items.map(({ payload }) => payload.toString('utf8')),
  skipped: [...envelope.skipped].sort(),
  status: envelope.failure?.status,
  isCut: envelope.isCut,
});

describe('an envelope', () => {
  for (const [name, text, expected] of table) {
    it(`with ${name}`, () => {
      const body = typeof text === 'string' ? Buffer.from(text) : text;
      const wanted = {
        stored: [...(expected.stored ?? [])],
        skipped: Object.entries(expected.skipped ?? {}).sort(),
        status: expected.status,
        isCut: expected.isCut ?? false,
      };
      assert.deepEqual(shown(parseEnvelope(body)), wanted);
      for (const size of body.length < 10_000 ? [1, 2, 3, 7] : [4096, 65_537]) {
        assert.deepEqual(shown(inPieces(body, size)), wanted, `in pieces of ${size}`);
      }
    });
  }

  it('an envelope has its header, the headers of its items and the number of stored items', () => {
    const envelope = parseEnvelope(Buffer.from('{"event_id":"a"}\n{"type":"session","x":[1]}\n{}\n{"type":"client_report"}\n{}'));
    assert.deepEqual(envelope.header, { event_id: 'a' });
    assert.deepEqual(
      envelope.items.map(({ type, header }) => [type, header]),
      [
        ['session', { type: 'session', x: [1] }],
        ['client_report', { type: 'client_report' }],
      ],
    );
    assert.equal(envelope.stored, 2);
  });

  it('a malformed envelope has an error text that names the problem', () => {
    const message = (text: string) => parseEnvelope(Buffer.from(text)).failure?.message;
    assert.equal(message('{}\n{"type":"event","length":5}\n{}'), 'the envelope ends 3 bytes before the end of item 1');
    assert.equal(message('{}\n{"type":"event","length":1}\n{}'), 'item 1 goes on behind its length, which counts bytes');
    assert.equal(message('{}\nsecret'), 'the header of item 1 is not a JSON object on one line');
  });

  it('any envelope is read back unchanged, in chunks of any size', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '{', '}', '"', 'ä', '🚦', '\\', ' ', '\0'), maxLength: 30 });
    const item = fc.record({
      type: fc.constantFrom('event', 'session', 'sessions', 'client_report', 'attachment', 'x'),
      text,
      hasLength: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.boolean(), fc.integer({ min: 1, max: 20 }), (items, hasEnd, size) => {
        const written = items.map(({ type, text: payload, hasLength }) => {
          // Without a length a payload is one line. An empty last line would not be a payload.
          const line = hasLength ? payload : `${payload.replaceAll('\n', ' ')}.`;
          return { type, line, header: JSON.stringify(hasLength ? { type, length: Buffer.byteLength(line) } : { type }) };
        });
        const lines = ['{"a":1}', ...written.flatMap(({ header, line }) => [header, line])];
        const body = Buffer.from(lines.join('\n') + (hasEnd ? '\n' : ''));
        for (const envelope of [parseEnvelope(body), inPieces(body, size)]) {
          assert.equal(envelope.failure, undefined);
          assert.deepEqual(
            envelope.items.map(({ type, payload }) => [type, payload.toString('utf8')]),
            written.filter(({ type }) => type !== 'attachment' && type !== 'x').map(({ type, line }) => [type, line]),
          );
        }
      }),
      { numRuns: 1000 },
    );
  });
});
