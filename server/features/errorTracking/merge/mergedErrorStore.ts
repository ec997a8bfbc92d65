import type { Store } from '../../../store/open.ts';

/** An error that was merged into another one and no longer exists. */
export interface MergedAddress {
  readonly fingerprint: number;
  readonly assignee_id: number | null;
  readonly issue_id: number | null;
}

/** Records that an error becomes part of another one, and with it all that had become part of it. Must be called before it is deleted. */
export function insertMerged(store: Store, errorId: number, intoId: number): void {
  store.run('UPDATE tracked_merged_errors SET error_id = $intoId WHERE error_id = $errorId', { errorId, intoId });
  store.run(
    `INSERT INTO tracked_merged_errors (project_id, fingerprint, error_id, assignee_id, issue_id)
     SELECT project_id, fingerprint, $intoId, assignee_id, issue_id FROM tracked_errors WHERE id = $errorId`,
    { errorId, intoId },
  );
}

/** Removes the record of a merged error that becomes an error again, and returns it. */
export function takeMerged(store: Store, errorId: number, fingerprint: number): MergedAddress | undefined {
  return store.get<MergedAddress>(
    `DELETE FROM tracked_merged_errors WHERE error_id = $errorId AND fingerprint = $fingerprint
     RETURNING fingerprint, assignee_id, issue_id`,
    { errorId, fingerprint },
  );
}

/** Moves records of merged errors to another error. */
export function repointMerged(store: Store, fromId: number, toId: number, fingerprints: readonly number[]): void {
  store.run(
    `UPDATE tracked_merged_errors SET error_id = $toId
     WHERE error_id = $fromId AND fingerprint IN (SELECT value FROM json_each($fingerprints))`,
    { fromId, toId, fingerprints: JSON.stringify(fingerprints) },
  );
}

/** Returns the fingerprints of the errors that were merged into an error. */
export function mergedFingerprints(store: Store, errorId: number): number[] {
  return store
    .all<{ readonly fingerprint: number }>(
      'SELECT fingerprint FROM tracked_merged_errors WHERE error_id = $errorId ORDER BY id',
      {
        errorId,
      },
    )
    .map(({ fingerprint }) => fingerprint);
}

/** Returns the fingerprint of the error that a merged one is part of; undefined if none was merged. */
export function remainingFingerprint(store: Store, projectId: number, fingerprint: number): number | undefined {
  return store.get<{ readonly fingerprint: number }>(
    `SELECT error.fingerprint FROM tracked_merged_errors AS merged JOIN tracked_errors AS error ON error.id = merged.error_id
     WHERE merged.project_id = $projectId AND merged.fingerprint = $fingerprint`,
    { projectId, fingerprint },
  )?.fingerprint;
}

/** Returns the issues about an error: its own first, then those of the errors that were merged into it. */
export function issueIdsOf(store: Store, errorId: number): number[] {
  return store
    .all<{ readonly id: number }>(
      `SELECT issue_id AS id, 0 AS position FROM tracked_errors WHERE id = $errorId AND issue_id IS NOT NULL
       UNION ALL SELECT issue_id, id FROM tracked_merged_errors WHERE error_id = $errorId AND issue_id IS NOT NULL ORDER BY position`,
      { errorId },
    )
    .map(({ id }) => id);
}

/** Removes the issues of the errors that were merged into an error. */
export function forgetMergedIssues(store: Store, errorId: number): void {
  store.run('UPDATE tracked_merged_errors SET issue_id = NULL WHERE error_id = $errorId', { errorId });
}
