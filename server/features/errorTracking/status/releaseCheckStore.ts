import type { Store } from '../../../store/open.ts';
import { WRITTEN, type WrittenError } from './statusStore.ts';

/** A release that only the repository can compare with the releases in which an error was resolved. */
export interface ReleaseCheck {
  readonly error_id: number;
  readonly release: string;
}

/** Adds a check, unless it is pending or done. */
export function addReleaseCheck(store: Store, errorId: number, release: string, at: number): void {
  store.run(
    'INSERT INTO tracked_release_checks (error_id, release, added_at) VALUES ($errorId, $release, $at) ON CONFLICT DO NOTHING',
    { errorId, release, at },
  );
}

/** Returns true if a check has shown that a release is not newer. */
export function isKnownOlder(store: Store, errorId: number, release: string): boolean {
  const sql = 'SELECT 1 FROM tracked_release_checks WHERE error_id = $errorId AND release = $release AND is_older = 1';
  return store.get(sql, { errorId, release }) !== undefined;
}

export function setKnownOlder(store: Store, { error_id: errorId, release }: ReleaseCheck): void {
  store.run('UPDATE tracked_release_checks SET is_older = 1 WHERE error_id = $errorId AND release = $release', {
    errorId,
    release,
  });
}

/** Returns the first pending check; undefined if there is none. */
export function firstReleaseCheck(store: Store): ReleaseCheck | undefined {
  return store.get<ReleaseCheck>(
    'SELECT error_id, release FROM tracked_release_checks WHERE is_older = 0 ORDER BY added_at LIMIT 1',
  );
}

/** Returns the error of a check; undefined if the check no longer exists. */
export function checkedError(store: Store, { error_id: errorId, release }: ReleaseCheck): WrittenError | undefined {
  return store.get<WrittenError>(
    `SELECT ${WRITTEN} FROM tracked_errors WHERE id =
       (SELECT error_id FROM tracked_release_checks WHERE error_id = $errorId AND release = $release)`,
    { errorId, release },
  );
}

/** Returns when the first pending check was added, in milliseconds since 1970; null if there is none. */
export function firstReleaseCheckAt(store: Store): number | null {
  const row = store.get<{ readonly at: number | null }>(
    'SELECT MIN(added_at) AS at FROM tracked_release_checks WHERE is_older = 0',
  );
  return row?.at ?? null;
}
