// Collects the secrets that a server returned or received, and searches everything it stored for them after every test: none may be stored
// in plain text.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import path from 'node:path';

/** Members of JSON responses and form fields that contain a secret of the server. */
const MEMBERS = [
  'access_token',
  'refresh_token',
  'id_token',
  'device_code',
  'user_code',
  'token',
  'secret',
  'adminToken',
  'runners_token',
  'ephemeralAuthenticationToken',
];
/** Members of requests that must not be stored in plain text. */
const SENT = ['password', 'password_confirmation', 'current_password', 'new_password', 'code_verifier', 'client_secret'];

const members = new RegExp(`"(${MEMBERS.join('|')})":"([^"]+)"`, 'g');
/**
 * Patterns for the authorization code in an address or in the form that carries it to the client, and for secrets that a page shows once.
 */
const places = [
  /[?&#](code)=([^&#"\s]+)/g,
  /<input type="hidden" name="(code|user_code)" value="([^"]+)"/g,
  /<input class="mono" id="([^"]+)" type="text" value="([^"]+)" readonly/g,
  // Recovery code.
  /<(li)>([0-9a-f]{16})<\/li>/g,
  /"(url)":"[^"]*\/([\w-]{20,})"/g,
];

export interface Secrets {
  /** Collects secrets from a response. */
  addResponse(body: string, headers?: { readonly location?: string | undefined; readonly cookies?: readonly string[] }): void;
  /** Collects secrets from what a client sends. */
  addRequestValues(values: Readonly<Record<string, unknown>>): void;
  add(name: string, value: string): void;
  /** Collects the path of a request, without its query. */
  addPath(path: string): void;
  /** Throws if a text contains one of the secrets; the message names only the kind of secret. */
  assertAbsentFrom(location: string, text: string | Iterable<string>): void;
}

/** Minimum length of a secret; shorter values could appear anywhere by chance. */
const MIN_LENGTH = 8;

export function createSecrets(): Secrets {
  const known = new Map<string, string>();
  /** Values that a client has also sent in a non-secret parameter, such as the unusual values that every parameter is tested with. */
  const publicValues = new Set<unknown>();
  /** Path segments. A password that also occurs in a path, as unusual values may, does not count as a secret; issued tokens do. */
  const segments = new Set<string>();
  const add = (name: string, value: string): void => {
    if (value.length >= MIN_LENGTH && !value.includes('masked')) known.set(value, name);
  };
  const find = (pattern: RegExp, text: string): void => {
    for (const [, name = '', value = ''] of text.matchAll(pattern)) add(name, value);
  };
  return {
    add,
    addResponse: (body, { location, cookies = [] } = {}) => {
      for (const text of location === undefined ? [body] : [body, location]) {
        for (const pattern of [members, ...places]) find(pattern, text);
      }
      for (const cookie of cookies) find(/^(_signalbox_session)_[^=]*=([^;]+)/g, cookie);
    },
    addRequestValues: (values) => {
      for (const [name, value] of Object.entries(values)) {
        if (!SENT.includes(name)) publicValues.add(value);
        else if (typeof value === 'string') add(name, value);
      }
    },
    addPath: (path) => {
      for (const segment of path.split('/')) segments.add(segment).add(decoded(segment));
    },
    assertAbsentFrom: (location, text) => {
      for (const part of typeof text === 'string' ? [text] : text) {
        for (const [value, name] of known) {
          const isPublic = publicValues.has(value) || (SENT.includes(name) && segments.has(value));
          assert.ok(isPublic || !part.includes(value), `${location} contains a secret (${name}) in plain text`);
        }
      }
    },
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Collects the secrets of all responses of a server in this process. */
export function collectSecrets(server: Server, secrets: Secrets): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    const parts: string[] = [];
    const { end } = response;
    // Koa sends the body with the last call.
    response.end = ((...given: Parameters<typeof end>) => {
      const [chunk] = given as readonly unknown[];
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk).toString('utf8'));
      secrets.addResponse(parts.join(''), {
        location: String(response.getHeader('location') ?? ''),
        cookies: [response.getHeader('set-cookie') ?? []].flat().map(String),
      });
      return end.apply(response, given);
    }) as typeof end;
  });
}

/** Collects the secrets of what `fetch` in this process receives from an origin, until it is stopped. */
export function collectFetchedSecrets(origin: string, secrets: Secrets): { readonly stop: () => void } {
  const bodies = new WeakMap<object, string>();
  const received = (message: unknown): void => {
    if (!isChunk(message) || message.request.origin !== origin) return;
    const body = (bodies.get(message.request) ?? '') + message.chunk.toString('utf8');
    bodies.set(message.request, body);
    secrets.addResponse(body);
  };
  subscribe('undici:request:bodyChunkReceived', received);
  return { stop: () => unsubscribe('undici:request:bodyChunkReceived', received) };
}

function isChunk(message: unknown): message is { readonly request: { readonly origin: string }; readonly chunk: Buffer } {
  return typeof message === 'object' && message !== null && 'request' in message && 'chunk' in message;
}

/** Maximum number of bytes that are searched at a time. Consecutive parts overlap by more than the length of a secret. */
const PART_BYTES = 16 * 1024 * 1024;
const OVERLAP_BYTES = 65_536;

/** Yields the contents of all files in a folder and its subfolders in parts; nothing if a test has removed the folder. */
export function* contentsOf(folder: string): Generator<string> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) yield* partsOf(path.join(entry.parentPath, entry.name));
  }
}

function* partsOf(file: string): Generator<string> {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(PART_BYTES, fstatSync(handle).size));
    for (let position = 0; ; position += PART_BYTES - OVERLAP_BYTES) {
      const length = readSync(handle, bytes, 0, bytes.length, position);
      if (length > 0) yield bytes.toString('latin1', 0, length);
      if (length < PART_BYTES) return;
    }
  } finally {
    closeSync(handle);
  }
}
