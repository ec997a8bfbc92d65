import { integerMember, isJsonObject, listOf, stringMember, timeMember } from './json.ts';

/** Program that sent something with a client key. What it does not name is null. */
export interface KeyProgram {
  readonly release: string | null;
  readonly serverName: string | null;
  /** Name and version of the SDK. */
  readonly sdk: string | null;
  /** Number of events. */
  readonly count: number;
  /** Milliseconds since the epoch, by the clock of the instance. */
  readonly lastAt: number;
}

export interface KeyRefusal {
  /** Milliseconds since the epoch, by the clock of the instance. */
  readonly at: number;
  readonly status: number;
  readonly words: string;
}

/** Use of a client key, which only Signalbox servers report (docs/interface.md#client-keys). */
export interface ClientKeyUse {
  /** Milliseconds since the epoch, by the clock of the instance. */
  readonly createdAt: number;
  /** Null if the key was never used. */
  readonly lastUsedAt: number | null;
  readonly lastRefused: KeyRefusal | null;
  /** Numbers of events by UTC day such as `2026-11-26`, the newest day first. Days without events are left out. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  /** The one that sent last comes first. */
  readonly programs: readonly KeyProgram[];
  /** Number of programs that are not in the list, because they sent earlier. */
  readonly morePrograms: number;
}

/** Reads the use of a client key from the resource of a single key. */
export function readClientKeyUse(value: unknown): ClientKeyUse | undefined {
  if (!isJsonObject(value)) return undefined;
  const createdAt = millisecondsOf(timeMember(value, 'created_at'));
  if (createdAt === null || !Array.isArray(value['programs'])) return undefined;
  return {
    createdAt,
    lastUsedAt: millisecondsOf(timeMember(value, 'last_used_at')),
    lastRefused: readRefusal(value['last_refused']) ?? null,
    days: listOf(value['events_by_day'], readDay),
    programs: listOf(value['programs'], readProgram),
    morePrograms: integerMember(value, 'more_programs') ?? 0,
  };
}

function readRefusal(value: unknown): KeyRefusal | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = millisecondsOf(timeMember(value, 'at'));
  const status = integerMember(value, 'status');
  const words = stringMember(value, 'words');
  return at === null || status === undefined || words === undefined ? undefined : { at, status, words };
}

function readDay(value: unknown): ClientKeyUse['days'][number] | undefined {
  if (!isJsonObject(value)) return undefined;
  const day = stringMember(value, 'day');
  const count = integerMember(value, 'count');
  return day === undefined || count === undefined ? undefined : { day, count };
}

function readProgram(value: unknown): KeyProgram | undefined {
  if (!isJsonObject(value)) return undefined;
  const lastAt = millisecondsOf(timeMember(value, 'last_at'));
  const count = integerMember(value, 'count');
  if (lastAt === null || count === undefined) return undefined;
  return {
    release: stringMember(value, 'release') ?? null,
    serverName: stringMember(value, 'server_name') ?? null,
    sdk: stringMember(value, 'sdk') ?? null,
    count,
    lastAt,
  };
}

/** Returns what is known of a program: release, server and SDK. */
export function nameOfProgram({ release, serverName, sdk }: KeyProgram): readonly string[] {
  return [release, serverName, sdk].filter((text) => text !== null);
}

function millisecondsOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
