import { integerMember, isJsonObject, listOf, stringMember } from './json.ts';

/** Line that a supervising program writes to the server's standard input (`--stdin-handshake`). */
export interface HandshakeInput {
  /** Becomes a personal access token of user `root` with every scope. It also authenticates requests to `/_local/`. */
  readonly adminToken: string;
}

/** The only line that the server writes to standard output. */
export type HandshakeLine =
  | {
      readonly event: 'listening';
      readonly origin: string;
      readonly pid: number;
      readonly instanceId: string;
      readonly version: string;
    }
  /** Another server is using the data folder. */
  | { readonly event: 'busy'; readonly origin: string; readonly instanceId: string }
  | { readonly event: 'fatal'; readonly code: string; readonly message: string; readonly hint: string };

/** Line that the server writes to standard error during startup, for the program that started it. */
export interface ProgressLine {
  readonly event: 'progress';
  /** Current step, in English. */
  readonly message: string;
  /** Number of completed steps out of `total`; absent if steps are not counted. */
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

/** Response of `POST /_local/sign-in-links`. */
export interface SignInLink {
  /** Signs the user in. Can be opened once. */
  readonly url: string;
}

/** Device names of Windows, reserved in upper and lower case and with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Returns true if the name is valid for a snapshot. It must be a valid file name on every system: no separator, no leading dot, no
 * trailing dot (Windows drops it) and no device name.
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

/** Returns the server's time from a response of `/_local/clock`, in milliseconds since the epoch. */
export function readClock(value: unknown): number | undefined {
  const time = isJsonObject(value) ? Date.parse(stringMember(value, 'now') ?? '') : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** State of the server's clock, from a response of `/_local/clock`. */
export interface ClockState {
  /** The server's time in milliseconds since the epoch. */
  readonly now: number;
  /** True while the time stands still. */
  readonly isFrozen: boolean;
  /** Seconds by which the time differs from that of the machine. */
  readonly offset: number;
}

export function readClockState(value: unknown): ClockState | undefined {
  const now = readClock(value);
  if (now === undefined || !isJsonObject(value) || typeof value.frozen !== 'boolean') return undefined;
  return { now, isFrozen: value.frozen, offset: typeof value.offset_seconds === 'number' ? value.offset_seconds : 0 };
}

/** Returns true if the clock does not show the time of the machine. */
export function isMovedClock({ isFrozen, offset }: ClockState): boolean {
  return isFrozen || Math.abs(offset) >= 1;
}

/** A change of the clock, as `POST /_local/clock` takes it. */
export type ClockChange = { readonly advance_seconds: number } | { readonly freeze_at: string } | { readonly reset: true };

/** Result of applying a seed file: the number of created objects of each kind, and the secrets, which are shown only once. */
export interface AppliedSeedFile {
  readonly counts: Readonly<Record<string, number>>;
  /** One line each: what it is for, and the secret. */
  readonly secrets: readonly string[];
}

/** Returns what a response of `POST /_local/seeds` says, or undefined if the response is not one. */
export function readAppliedSeed(value: unknown): AppliedSeedFile | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.counts)) return undefined;
  const counts = Object.fromEntries(
    Object.entries(value.counts).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
  const lines = (list: unknown, line: (member: (name: string) => string) => string): readonly string[] =>
    (Array.isArray(list) ? list : []).filter(isJsonObject).map((item) => line((name) => stringMember(item, name) ?? ''));
  return {
    counts,
    secrets: [
      ...lines(value.passwords, (of) => `${of('username')}: ${of('password')}`),
      ...lines(value.tokens, (of) => `${of('username')}, ${of('name')}: ${of('token')}`),
      ...lines(value.applications, (of) => [`${of('name')}: ${of('application_id')}`, of('secret')].filter(Boolean).join(' ')),
    ],
  };
}

/** Members of a storage in a response of `/_local/storages`. */
export interface LocalStorage {
  readonly snippets: number;
  readonly groups: number;
  readonly bytes: number;
}

/** Returns the storages of a response of `/_local/storages` by name. */
export function readLocalStorages(value: unknown): ReadonlyMap<string, LocalStorage> {
  return new Map(
    listOf(value, (storage) => {
      if (!isJsonObject(storage)) return undefined;
      const name = stringMember(storage, 'name');
      const [snippets, groups] = [integerMember(storage, 'snippets'), integerMember(storage, 'groups')];
      const bytes = integerMember(storage, 'bytes');
      return name === undefined || snippets === undefined || groups === undefined || bytes === undefined
        ? undefined
        : ([name, { snippets, groups, bytes }] as const);
    }),
  );
}

/** Copy of all data of a local server. */
export interface Snapshot {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Returns the snapshots of a response of `/_local/snapshots`, newest first. */
export function readSnapshots(value: unknown): readonly Snapshot[] {
  return listOf(value, (snapshot) => {
    if (!isJsonObject(snapshot)) return undefined;
    const [name, size] = [stringMember(snapshot, 'name'), integerMember(snapshot, 'size')];
    const createdAt = Date.parse(stringMember(snapshot, 'created_at') ?? '');
    return name === undefined || size === undefined || Number.isNaN(createdAt) ? undefined : { name, size, createdAt };
  });
}

/** Returns the lines of a response of `/_local/log` as text, oldest first. */
export function readLogLines(value: unknown): readonly string[] {
  return listOf(value, (line) =>
    isJsonObject(line)
      ? `${stringMember(line, 'at') ?? ''} [${stringMember(line, 'level') ?? ''}] ${stringMember(line, 'text') ?? ''}`
      : undefined,
  ).toReversed();
}
