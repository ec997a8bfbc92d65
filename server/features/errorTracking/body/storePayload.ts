import { inflateSync } from 'node:zlib';
import { parseExactly } from '../../../../src/contract/exactJson.ts';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import { exceededLimit, type JsonLimits } from '../../../http/bodyLimits.ts';
import { base64Deflated } from './decodeBody.ts';
import { envelopeLimits } from './envelope.ts';
import { IngestFailure } from './ingestFailure.ts';

/** Uncompressed bytes (docs/interface.md#error-ingestion). */
const STORE_LIMIT = envelopeLimits.payload.event;
/** Bytes of a decompressed body, which can be a form. */
export const MAX_STORE_BODY = 3 * STORE_LIMIT;
const FORM_FIELD = 'sentry_data=';
/** Limits of one payload; `members` applies to one object. Parsing more would block other requests. */
const payloadLimits: JsonLimits = { depth: 1000, members: 10_000, values: 100_000 };
/** Shorter payloads, in bytes, are not checked. */
const SHORT_PAYLOAD = 32_768;

/**
 * Returns the event in a decoded body of `/store/`: a JSON object, or a form with one in `sentry_data` (old SDKs for browsers and
 * PHP). Throws `IngestFailure`: 400 if it is not a JSON object, 413 if it is too large.
 */
export function readStorePayload(body: Buffer): JsonObject {
  if (body.length > MAX_STORE_BODY) throw tooLarge();
  const json = holdsForm(body) ? fromForm(body) : body;
  if (json.length > STORE_LIMIT) throw tooLarge();
  return readPayload(json);
}

/**
 * Returns the JSON object in the payload of an item. Bytes that are not UTF-8 are replaced (docs/interface.md#event-payloads).
 * Throws `IngestFailure` 400 if it is anything else or nested too deeply, and 413 if it has more members or values than any SDK
 * sends.
 */
export function readPayload(bytes: Buffer): JsonObject {
  const exceeded = bytes.length < SHORT_PAYLOAD ? undefined : exceededLimit(bytes, payloadLimits);
  if (exceeded === 'depth') throw new IngestFailure(400, 'the JSON is nested too deeply');
  if (exceeded !== undefined) throw new IngestFailure(413, `the payload has more than ${payloadLimits[exceeded]} ${exceeded}`);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseExactly(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new IngestFailure(400, error instanceof RangeError ? 'the JSON is nested too deeply' : 'the payload is not JSON');
  }
  if (!isJsonObject(value)) throw new IngestFailure(400, 'the payload is JSON, but not an object');
  return value;
}

/**
 * Returns true if an item of type `event` is an error. Ruby sends the type `event` for errors
 * (docs/interface.md#error-ingestion).
 */
export function isErrorEvent(payload: JsonObject): boolean {
  const { type } = payload;
  return type === undefined || type === null || type === 'error' || type === 'default' || type === 'event';
}

/** Returns true if the body of a store request is a form, not JSON. */
export function holdsForm(body: Buffer): boolean {
  // No JSON value starts with this letter.
  const first = body[0];
  return first === 0x73 && body.toString('latin1', 0, 4096).includes(FORM_FIELD);
}

function fromForm(body: Buffer): Buffer {
  const value = Buffer.from(new URLSearchParams(body.toString('latin1')).get('sentry_data') ?? '');
  const packed = base64Deflated(value);
  if (packed === undefined) return value;
  try {
    return inflateSync(packed, { maxOutputLength: STORE_LIMIT });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new IngestFailure(400, 'sentry_data starts like compressed data, but cannot be decompressed: it is damaged or cut off');
  }
}

function tooLarge(): IngestFailure {
  return new IngestFailure(413, `the event is larger than the ${STORE_LIMIT} bytes that are taken`);
}
