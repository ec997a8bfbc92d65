import assert from 'node:assert/strict';
import { mayHoldSecrets } from '../../../server/features/errorTracking/event/secretScan.ts';
import { parseEnvelope } from '../../../server/features/errorTracking/body/envelope.ts';
import { IngestFailure } from '../../../server/features/errorTracking/body/ingestFailure.ts';
import {
  readClientReport,
  readSession,
  readSessionCounts,
} from '../../../server/features/errorTracking/releases/sessionItems.ts';
import { readPayload } from '../../../server/features/errorTracking/body/storePayload.ts';
import type { JsonObject } from '../../../src/contract/json.ts';
import { type Random, randomFrom } from '../../support/random.ts';
import { decoded } from './decoded.ts';
import { corpus } from './grouping/corpus/corpus.ts';
import type { Sample } from './grouping/corpus/writers.ts';
import { eventsIn, normalised, RECEIVED_AT } from './reading.ts';
import { seed } from '../../support/seed.ts';

/** Number of mutations per turn of the event loop. */
const AT_ONCE = 5000;

interface Plain {
  readonly endpoint: Sample['endpoint'];
  readonly bytes: Buffer;
}

interface Part {
  readonly type: string;
  readonly payload: Buffer;
}

/**
 * Mutates requests of SDKs at random. The same seed gives the same `cases` mutations. Of every twenty, eight are changed
 * anywhere, eleven within the payload of one item, which keeps the framing intact, and one in its compressed form.
 */
export function describeMutations({ cases }: { readonly cases: number }): void {
  describe(`${cases} mutated requests of SDKs (SIGNALBOX_TEST_SEED=${seed})`, () => {
    let plain: readonly Plain[];
    let parts: readonly Part[];

    before(async () => {
      plain = await Promise.all(
        corpus.map(async ({ endpoint, headers, body }) => ({
          endpoint,
          bytes: (await decoded(body, headers['content-encoding'])).bytes,
        })),
      );
      // Large requests only take time.
      plain = plain.filter(({ bytes }) => bytes.length < 16_384);
      parts = plain.flatMap(({ endpoint, bytes }) => (endpoint === 'store' ? [] : partsOf(bytes)));
    });

    it('mutated requests throw only declared errors, and the unchanged items of an envelope stay readable', async () => {
      const random = randomFrom(seed);
      let framed = 0;
      let whole = 0;
      let failures = 0;
      for (let count = 0; count < cases; count += 1) {
        if (count % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
        const kind = count % 20;
        if (kind < 8) {
          const { endpoint, bytes } = random.pick(plain);
          if (!onlyDeclared(() => void eventsIn(endpoint, changed(random, bytes, random.pick(plain).bytes)))) failures += 1;
        } else if (kind < 19) {
          framed += 1;
          if (leavesOthers(random, parts)) whole += 1;
        } else {
          const { headers, body } = random.pick(corpus);
          const encoding = random.chance(0.8) ? headers['content-encoding'] : random.pick(['gzip', 'deflate', 'br', 'zstd', '']);
          await decoded(changed(random, body, random.pick(corpus).body), encoding).catch(assertDeclared);
        }
      }
      assert.ok(whole >= 0.95 * framed, `only ${whole} of ${framed} envelopes had their other items`);
      // Neither all nor none of the mutations are refused.
      assert.ok(failures > 0.02 * cases && failures < 0.38 * cases, `${failures} of ${cases} were refused`);
      // Earlier mutations do not affect later requests.
      for (const { endpoint, bytes } of plain) {
        const { envelope, events } = eventsIn(endpoint, bytes);
        assert.equal(envelope?.failure, undefined);
        assert.ok(events.every(({ problems }) => problems.every(({ type }) => type === 'scrubbed')));
      }
    });
  });
}

function onlyDeclared(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    assertDeclared(error);
    return false;
  }
}

function assertDeclared(error: unknown): void {
  if (!(error instanceof IngestFailure)) throw error;
  assert.ok([400, 413, 415].includes(error.status));
}

/** Returns true if an envelope with one mutated item yields the other items unchanged. */
function leavesOthers(random: Random, parts: readonly Part[]): boolean {
  const chosen = Array.from({ length: random.integer(2, 4) }, () => random.pick(parts));
  const victim = random.integer(0, chosen.length - 1);
  const items = chosen.map((part, index) => {
    if (index !== victim) return { ...part, hasLength: part.payload.includes(10) || random.chance(0.5) };
    const payload = random.chance(0.5)
      ? oddValue(random, part.payload)
      : changed(random, part.payload, random.pick(parts).payload);
    return { type: part.type, payload, hasLength: payload.includes(10) || random.chance(0.5) };
  });
  const lines = items.flatMap(({ type, payload, hasLength }) => [
    Buffer.from(`\n${JSON.stringify(hasLength ? { type, length: payload.length } : { type })}\n`),
    payload,
  ]);
  const envelope = parseEnvelope(
    Buffer.concat([Buffer.from('{}'), ...lines, ...(random.chance(0.5) ? [Buffer.from('\n')] : [])]),
  );
  const wanted = items.filter(({ type }) => isStored(type));
  for (const item of envelope.items) {
    if (item.payload.equals(items[victim]?.payload ?? Buffer.alloc(0))) onlyDeclared(() => read(item.type, item.payload));
  }
  return (
    envelope.items.length === wanted.length &&
    envelope.items.every(({ payload }, index) => wanted[index]?.payload.equals(payload) === true)
  );
}

function read(type: string, bytes: Buffer): void {
  const payload = readPayload(bytes);
  const about = { receivedAt: RECEIVED_AT, sentAt: undefined, scrub: true };
  if (type === 'event') readEvent(payload);
  else if (type === 'session') readSession(payload, about);
  else if (type === 'sessions') readSessionCounts(payload, about);
  else readClientReport(payload);
}

/** If the quick scan finds no secrets, nothing may be scrubbed. */
function readEvent(payload: JsonObject): void {
  const { problems } = normalised(payload);
  assert.ok(mayHoldSecrets(payload) || problems.every(({ type }) => type !== 'scrubbed'));
}

function isStored(type: string): boolean {
  return ['event', 'session', 'sessions', 'client_report'].includes(type);
}

/** Returns the items of an envelope unparsed, including skipped ones. */
function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = bytes.indexOf(10) + 1; at > 0 && at < bytes.length; ) {
    const newline = bytes.indexOf(10, at);
    const { type, length } = JSON.parse(bytes.toString('utf8', at, newline));
    const next = bytes.indexOf(10, newline + 1);
    const end = length === undefined ? (next < 0 ? bytes.length : next) : newline + 1 + length;
    parts.push({ type, payload: bytes.subarray(newline + 1, end) });
    at = end + 1;
  }
  return parts;
}

const pieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\n',
  '\r\n',
  '\n\n',
  '\0',
  '\\u0000',
  '\\ud800',
  '"length":-1,',
  '"length":1e309,',
  '"length":3,',
  '"type":7,',
  '{}\n',
  'null',
  '1e309',
  '\uFEFF',
  '🚦',
  '[[[[[[',
].map((text) => Buffer.from(text));
const oddBytes = [...pieces, Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0x1f, 0x8b]), Buffer.alloc(300, 0x5b)];

/** Changes, removes, inserts or moves some bytes, or appends the rest of another request. */
function changed(random: Random, bytes: Buffer, other: Buffer): Buffer {
  let mutant = bytes;
  for (let left = random.integer(1, 3); left > 0; left -= 1) {
    const at = random.integer(0, mutant.length);
    const end = Math.min(mutant.length, at + random.integer(0, random.chance(0.1) ? mutant.length : 12));
    const head = mutant.subarray(0, at);
    switch (random.integer(0, 6)) {
      case 0:
        mutant = Buffer.concat([head, mutant.subarray(end)]);
        break;
      case 1:
        mutant = Buffer.concat([head, random.pick(oddBytes), mutant.subarray(at)]);
        break;
      case 2:
        mutant = Buffer.concat([head, random.pick(oddBytes), mutant.subarray(end)]);
        break;
      case 3:
        mutant = Buffer.concat([head, mutant.subarray(at, end), mutant.subarray(at)]);
        break;
      case 4:
        mutant = oddValue(random, mutant);
        break;
      case 5:
        mutant = random.chance(0.3) ? Buffer.concat([head, other.subarray(random.integer(0, other.length))]) : mutant;
        break;
      case 6:
        mutant = Buffer.from(mutant);
        if (at < mutant.length) mutant[at] = random.integer(0, 255);
        break;
    }
  }
  return mutant;
}

const COLON = 0x3a;
const values = [
  'null',
  'true',
  '0',
  '-1',
  '1e309',
  '1.5',
  '1e17',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"{{auto}}"',
  '"password=x"',
  '[]',
  '{}',
  '[null]',
  '{"values":[]}',
  '{"values":{}}',
  '{"frames":7}',
  '[["a","b"]]',
  '{"__proto__":{"a":1}}',
  '"2026-13-01"',
  `"${'x'.repeat(9000)}"`,
].map((text) => Buffer.from(text));
const value = /^(?:"(?:[^"\\]|\\.)*"|[-\w.+]+|\[\]|\{\})/;

/** Replaces one value. The result is still JSON without newlines. */
function oddValue(random: Random, json: Buffer): Buffer {
  const colon = json.indexOf(COLON, random.integer(0, json.length));
  if (colon < 0) return json;
  const old = value.exec(json.toString('latin1', colon + 1, colon + 200))?.[0].length ?? 0;
  return Buffer.concat([json.subarray(0, colon + 1), random.pick(values), json.subarray(colon + 1 + old)]);
}
