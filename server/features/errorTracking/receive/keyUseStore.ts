import { DAY } from '../../../core/clock.ts';
import type { Store } from '../../../store/open.ts';

/** Identifies a program that uses a key. Members that it does not send are empty. */
export interface Program {
  readonly release: string;
  readonly serverName: string;
  /** Name and version of the SDK, such as `sentry.javascript.node/10.78.0`. */
  readonly sdk: string;
}

export interface ProgramRow {
  readonly release_version: string;
  readonly server_name: string;
  readonly sdk: string;
  readonly events: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** Latest use of a client key, and the last refused request with it. */
export interface KeyStateRow {
  readonly used_at: number | null;
  readonly refused_at: number | null;
  readonly refused_code: string | null;
  readonly refused_status: number | null;
  readonly refused_reason: string | null;
}

export interface KeyRefusal {
  readonly at: number;
  readonly code: string;
  readonly status: number;
  readonly reason: string;
}

/** Maximum number of programs per key. Those that sent longest ago are forgotten, because anyone with a key can invent names. */
export const MAX_PROGRAMS = 5000;
/** Maximum number of programs that responses name. */
export const MAX_NAMED_PROGRAMS = 1000;

export function writeUse(store: Store, keyId: number, at: number): void {
  store.run(
    `INSERT INTO tracked_key_states (key_id, used_at) VALUES ($keyId, $at)
     ON CONFLICT (key_id) DO UPDATE SET used_at = max(ifnull(used_at, 0), $at)`,
    { keyId, at },
  );
}

export function writeKeyRefusal(store: Store, keyId: number, refusal: KeyRefusal): void {
  store.run(
    `INSERT INTO tracked_key_states (key_id, refused_at, refused_code, refused_status, refused_reason)
     VALUES ($keyId, $at, $code, $status, $reason)
     ON CONFLICT (key_id) DO UPDATE SET refused_at = $at, refused_code = $code, refused_status = $status, refused_reason = $reason`,
    { keyId, ...refusal },
  );
}

export function addToKeyDay(store: Store, keyId: number, day: number, events: number): void {
  store.run(
    `INSERT INTO tracked_key_days (key_id, day, events) VALUES ($keyId, $day, $events)
     ON CONFLICT (key_id, day) DO UPDATE SET events = events + $events`,
    { keyId, day, events },
  );
}

export function addToProgram(store: Store, keyId: number, program: Program, events: number, at: number): void {
  store.run(
    `INSERT INTO tracked_key_programs (key_id, release_version, server_name, sdk, events, first_at, last_at)
     VALUES ($keyId, $release, $serverName, $sdk, $events, $at, $at)
     ON CONFLICT (key_id, release_version, server_name, sdk)
       DO UPDATE SET events = events + $events, last_at = max(last_at, $at)`,
    { keyId, ...program, events, at },
  );
}

/** Deletes the programs of a key beyond the maximum number, the longest silent ones first. */
export function removeSurplusPrograms(store: Store, keyId: number): void {
  store.run(
    `DELETE FROM tracked_key_programs WHERE key_id = $keyId AND (release_version, server_name, sdk) NOT IN (
       SELECT release_version, server_name, sdk FROM tracked_key_programs WHERE key_id = $keyId
       ORDER BY last_at DESC, release_version, server_name, sdk LIMIT ${MAX_PROGRAMS})`,
    { keyId },
  );
}

export function keyState(store: Store, keyId: number): KeyStateRow | undefined {
  return store.get<KeyStateRow>(
    'SELECT used_at, refused_at, refused_code, refused_status, refused_reason FROM tracked_key_states WHERE key_id = $keyId',
    { keyId },
  );
}

/** Returns the numbers of events by day, the newest day first. Uses the primary key. */
export function keyDays(store: Store, keyId: number, sinceDay: number): { readonly day: number; readonly events: number }[] {
  return store.all('SELECT day, events FROM tracked_key_days WHERE key_id = $keyId AND day >= $sinceDay ORDER BY day DESC', {
    keyId,
    sinceDay,
  });
}

/** Returns the programs of a key, those that sent last first. */
export function keyPrograms(store: Store, keyId: number, since: number): readonly ProgramRow[] {
  const rows = store.all<ProgramRow>(
    `SELECT release_version, server_name, sdk, events, first_at, last_at FROM tracked_key_programs
     WHERE key_id = $keyId AND last_at >= $since ORDER BY last_at DESC, release_version, server_name, sdk`,
    { keyId, since },
  );
  return withoutCovered(rows);
}

/**
 * Leaves out rows of sessions and reports, which name fewer members, if events that were sent later name the same program with all members.
 */
function withoutCovered(rows: readonly ProgramRow[]): readonly ProgramRow[] {
  const latest = new Map<string, number>();
  for (const { events, release_version: release, sdk, last_at: at } of rows) {
    if (events === 0) continue;
    for (const key of [sdk, `${release}\n${sdk}`]) latest.set(key, Math.max(latest.get(key) ?? 0, at));
  }
  return rows.filter(({ events, release_version: release, sdk, last_at: at }) => {
    const covering = latest.get(release === '' ? sdk : `${release}\n${sdk}`);
    return events > 0 || covering === undefined || covering < at;
  });
}

/** Returns the first day, since 1970, on which a key or a program was used, or null. Uses an index of each table. */
export function oldestKeyUseDay(store: Store): number | null {
  const sql = `SELECT min(day) AS day FROM (
    SELECT min(day) AS day FROM tracked_key_days UNION ALL SELECT min(last_at) / ${DAY} FROM tracked_key_programs)`;
  return store.get<{ day: number | null }>(sql)?.day ?? null;
}

/** Deletes up to `most` counters and as many programs of earlier days. Returns the larger of both numbers. */
export function deleteKeyUseBefore(store: Store, day: number, most: number): number {
  return store.transaction(() => {
    const { changes: days } = store.run('DELETE FROM tracked_key_days WHERE day < $day ORDER BY day LIMIT $most', { day, most });
    const { changes: programs } = store.run(
      `DELETE FROM tracked_key_programs WHERE last_at < $before ORDER BY last_at LIMIT $most`,
      { before: day * DAY, most },
    );
    return Math.max(days, programs);
  });
}
