// What a server gave out or was given as a secret, and whether anything of it is kept in clear: searched after every test.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import path from 'node:path';

/** Members of JSON answers and fields of forms that hold a secret of the server. */
const MEMBERS = ['access_token', 'refresh_token', 'id_token', 'device_code', 'user_code', 'token', 'secret', 'adminToken'];
/** Members of requests that nobody may keep as they came. */
const SENT = ['password', 'password_confirmation', 'current_password', 'new_password', 'code_verifier', 'client_secret'];

const members = new RegExp(`"(${MEMBERS.join('|')})":"([^"]+)"`, 'g');
/** The authorization code in an address, or in the form that carries it to the client; a secret that a page shows once. */
const places = [
  /[?&#](code)=([^&#"\s]+)/g,
  /<input type="hidden" name="(code|user_code)" value="([^"]+)"/g,
  /<input class="mono" id="([^"]+)" type="text" value="([^"]+)" readonly/g,
  // A recovery code.
  /<(li)>([0-9a-f]{16})<\/li>/g,
  /"(url)":"[^"]*\/([\w-]{20,})"/g,
];

export interface Secrets {
  /** Looks for secrets in an answer. */
  answered(body: string, headers?: { readonly location?: string | undefined; readonly cookies?: readonly string[] }): void;
  /** Looks for secrets in what a client sends. */
  sent(values: Readonly<Record<string, unknown>>): void;
  add(name: string, value: string): void;
  /** The path of a request, without its query. */
  asked(path: string): void;
  /** Throws when one of them stands in a text; the message names the kind of secret only. */
  refuseIn(location: string, text: string): void;
}

/** Values shorter than this could stand anywhere by chance. */
const SHORTEST = 8;

export function createSecrets(): Secrets {
  const known = new Map<string, string>();
  /** What a client has also sent as something else, such as the odd values that every parameter is tried with. */
  const open = new Set<unknown>();
  /** Segments of paths: what happens to be a password elsewhere, as odd values may, is no secret there. Tokens that were handed out are. */
  const segments = new Set<string>();
  const add = (name: string, value: string): void => {
    if (value.length >= SHORTEST && !value.includes('masked')) known.set(value, name);
  };
  const find = (pattern: RegExp, text: string): void => {
    for (const [, name = '', value = ''] of text.matchAll(pattern)) add(name, value);
  };
  return {
    add,
    answered: (body, { location, cookies = [] } = {}) => {
      for (const text of location === undefined ? [body] : [body, location]) {
        for (const pattern of [members, ...places]) find(pattern, text);
      }
      for (const cookie of cookies) find(/^(_signalbox_session)_[^=]*=([^;]+)/g, cookie);
    },
    sent: (values) => {
      for (const [name, value] of Object.entries(values)) {
        if (!SENT.includes(name)) open.add(value);
        else if (typeof value === 'string') add(name, value);
      }
    },
    asked: (path) => {
      for (const segment of path.split('/')) segments.add(segment).add(decoded(segment));
    },
    refuseIn: (location, text) => {
      for (const [value, name] of known) {
        const isOpen = open.has(value) || (SENT.includes(name) && segments.has(value));
        assert.ok(isOpen || !text.includes(value), `${location} holds a secret (${name}) in clear`);
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

/** Reads along with everything that a server in this process answers. */
export function readAlong(server: Server, secrets: Secrets): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    const parts: string[] = [];
    const { end } = response;
    // Koa sends a body with its last call.
    response.end = ((...given: Parameters<typeof end>) => {
      const [chunk] = given as readonly unknown[];
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk).toString('utf8'));
      secrets.answered(parts.join(''), {
        location: String(response.getHeader('location') ?? ''),
        cookies: [response.getHeader('set-cookie') ?? []].flat().map(String),
      });
      return end.apply(response, given);
    }) as typeof end;
  });
}

/** Reads along with what `fetch` in this process receives from an origin, until it is stopped. */
export function readAlongFetch(origin: string, secrets: Secrets): { readonly stop: () => void } {
  const bodies = new WeakMap<object, string>();
  const received = (message: unknown): void => {
    if (!isChunk(message) || message.request.origin !== origin) return;
    const body = (bodies.get(message.request) ?? '') + message.chunk.toString('utf8');
    bodies.set(message.request, body);
    secrets.answered(body);
  };
  subscribe('undici:request:bodyChunkReceived', received);
  return { stop: () => unsubscribe('undici:request:bodyChunkReceived', received) };
}

function isChunk(message: unknown): message is { readonly request: { readonly origin: string }; readonly chunk: Buffer } {
  return typeof message === 'object' && message !== null && 'request' in message && 'chunk' in message;
}

/** Everything that stands in a folder and below it; nothing when a test has removed it. */
export function contentsOf(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
