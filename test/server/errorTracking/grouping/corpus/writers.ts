import type { IncomingHttpHeaders } from 'node:http';
import { deflateSync } from 'node:zlib';

/** A request as an SDK sends it. */
export interface Sample {
  readonly name: string;
  readonly endpoint: 'envelope' | 'store';
  readonly query?: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Types of the items in an envelope, in order. */
  readonly items?: readonly string[];
  /** Members of the normalised first event. Undefined members are not compared. */
  readonly event?: EventSummary;
}

export interface EventSummary {
  readonly id?: string;
  readonly platform?: string;
  readonly level?: string;
  /** ISO 8601. */
  readonly occurredAt?: string;
  /** `Type: value` of each exception, causes first. */
  readonly exceptions?: readonly string[];
  /** Frames of the last exception: `function file:line`, with a `*` for application frames. */
  readonly frames?: readonly string[];
  readonly message?: readonly [template: string, text: string];
  readonly threadFrames?: number;
  readonly eventFrames?: number;
  readonly breadcrumbs?: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly release?: string;
  readonly fingerprint?: readonly string[];
  readonly handled?: boolean;
  /** Names of the contexts. */
  readonly contexts?: readonly string[];
}

export const KEY = 'glet_00112233445566778899aabbccddeeff';
export const ID = '9ec79c33ec9942ab8353589fcb2e04dc';
export const DASHED_ID = '9ec79c33-ec99-42ab-8353-589fcb2e04dc';
export const DSN = `http://${KEY}@127.0.0.1:8080/api/v4/error_tracking/collector/7`;
/** Time at which the requests of the corpus were sent. */
export const SENT_AT = '2026-03-04T05:06:08.000Z';
/** Time of the events, in seconds. */
export const HAPPENED = 1772600767.25;
export const HAPPENED_AT = '2026-03-04T05:06:07.250Z';

export interface Item {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
}

/** Envelope without lengths and final newline: JavaScript, PHP, Ruby. */
export function withoutLengths(header: unknown, items: readonly Item[]): Buffer {
  const lines = [header, ...items.flatMap((item) => [item.header, item.payload])];
  return Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** Envelope with the length of each payload and a newline after it: Python, Java, Go, Rust. */
export function withLengths(header: unknown, items: readonly Item[], write: (value: unknown) => string = JSON.stringify): Buffer {
  const parts = items.flatMap((item) => {
    const payload = write(item.payload);
    return [write({ ...item.header, length: Buffer.byteLength(payload) }), payload];
  });
  return Buffer.from([write(header), ...parts, ''].join('\n'));
}

/** JSON in ASCII, as Python writes it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Format of SDKs before there were envelopes. */
export function base64Json(value: unknown): Buffer {
  return Buffer.from(deflateSync(json(value)).toString('base64'));
}
