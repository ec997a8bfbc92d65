import { integerMember, isJsonObject, stringMember } from './json.ts';

/** The one line a supervising program writes to the server's standard input (`--stdin-handshake`). */
export interface HandshakeInput {
  /** Becomes a personal access token of user `root` with every scope, and opens `/_local/`. */
  readonly adminToken: string;
}

/** The one line the server writes to standard output. */
export type HandshakeLine =
  | {
      readonly event: 'listening';
      readonly origin: string;
      readonly pid: number;
      readonly instanceId: string;
      readonly version: string;
    }
  /** Another server owns the data folder. */
  | { readonly event: 'busy'; readonly origin: string; readonly instanceId: string }
  | { readonly event: 'fatal'; readonly code: string; readonly message: string; readonly hint: string };

/** A line that the server writes to standard error while it prepares itself, for the program that has started it. */
export interface ProgressLine {
  readonly event: 'progress';
  /** What it does, in English. */
  readonly message: string;
  /** Steps that are done, of `total`; absent where they are not counted. */
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

/** Answer of `POST /_local/sign-in-links`. */
export interface SignInLink {
  /** Opens once and signs the person in. */
  readonly url: string;
}

/** Windows opens a device for these names, in any case and with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Names of snapshots. A name has no separator and does not begin with a dot, so it leads to no other folder. It is a file name on every
 * system: no name of a device, and no dot at the end, which Windows drops.
 */
export function isSnapshotName(name: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(name) && !DEVICE_NAME.test(name);
}

export function readHandshakeLine(value: unknown): HandshakeLine | undefined {
  if (!isJsonObject(value)) return undefined;
  const origin = stringMember(value, 'origin');
  const instanceId = stringMember(value, 'instanceId') ?? '';
  switch (value.event) {
    case 'listening': {
      const pid = integerMember(value, 'pid');
      if (origin === undefined || pid === undefined) return undefined;
      return { event: 'listening', origin, pid, instanceId, version: stringMember(value, 'version') ?? '' };
    }
    case 'busy':
      return origin === undefined ? undefined : { event: 'busy', origin, instanceId };
    case 'fatal': {
      const message = stringMember(value, 'message') ?? 'no reason given';
      return { event: 'fatal', code: stringMember(value, 'code') ?? 'unknown', message, hint: stringMember(value, 'hint') ?? '' };
    }
    default:
      return undefined;
  }
}

export function readProgressLine(value: unknown): ProgressLine | undefined {
  if (!isJsonObject(value) || value.event !== 'progress') return undefined;
  const message = stringMember(value, 'message');
  if (message === undefined) return undefined;
  return { event: 'progress', message, done: integerMember(value, 'done'), total: integerMember(value, 'total') };
}

export function readSignInLink(value: unknown): SignInLink | undefined {
  const url = isJsonObject(value) ? stringMember(value, 'url') : undefined;
  return url === undefined ? undefined : { url };
}

/** The platform's time in an answer of `/_local/clock`, in milliseconds since the epoch. */
export function readClock(value: unknown): number | undefined {
  const time = isJsonObject(value) ? Date.parse(stringMember(value, 'now') ?? '') : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
