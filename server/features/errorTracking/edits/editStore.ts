import * as z from 'zod';
import type { Store } from '../../../store/open.ts';

/** Statements of changes that users make and undo. */

const storedStateSchema = z.strictObject({
  status: z.enum(['unresolved', 'resolved', 'resolved_in_next_release', 'ignored']),
  status_at: z.int().nullable(),
  status_releases: z.string().nullable(),
  ignored_until: z.enum(['next_occurrence', 'occurrences', 'occurrences_per_hour', 'date']).nullable(),
  ignored_number: z.int().nullable(),
  counted_events: z.int(),
  counted_hour: z.int(),
  counted_of_hour: z.int(),
  is_regression: z.literal([0, 1]),
});

const responsibilitySchema = z.strictObject({ assignee_id: z.int().nullable(), issue_id: z.int().nullable() });

const mergedErrorSchema = z.strictObject({
  fingerprint: z.int(),
  state: storedStateSchema,
  responsibility: responsibilitySchema,
  eventCount: z.int(),
  groupingIds: z.array(z.int()),
  /** Errors that had been merged into it. Former versions did not store them. */
  mergedFingerprints: z.array(z.int()).default([]),
});

/**
 * A change with the values that it replaced. `closedIssueIds` are the issues that were closed together with a status, `from` is the error that
 * was split.
 */
const editSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), state: storedStateSchema, closedIssueIds: z.array(z.int()) }),
  z.strictObject({ kind: z.literal('assignee'), assigneeId: z.int().nullable() }),
  z.strictObject({ kind: z.literal('issue'), issueId: z.int().nullable() }),
  z.strictObject({ kind: z.literal('merge'), responsibility: responsibilitySchema, merged: z.array(mergedErrorSchema) }),
  z.strictObject({ kind: z.literal('split'), from: z.int() }),
]);

/** Status of an error as it is stored, with the counters at its start. */
export type StoredState = z.infer<typeof storedStateSchema>;
/** Who is responsible for an error, and the issue about it. */
export type Responsibility = z.infer<typeof responsibilitySchema>;
/** An error that was deleted when it was merged into another one. */
export type MergedError = z.infer<typeof mergedErrorSchema>;
export type Edit = z.infer<typeof editSchema>;
export type EditKind = Edit['kind'];

/** Maximum number of changes that are kept per error. */
const MAX_EDITS = 50;

export function insertEdit(store: Store, errorId: number, { kind, ...previous }: Edit, at: number): void {
  store.run('INSERT INTO tracked_edits (error_id, kind, previous, made_at) VALUES ($errorId, $kind, $previous, $at)', {
    errorId,
    kind,
    previous: JSON.stringify(previous),
    at,
  });
  store.run(
    `DELETE FROM tracked_edits WHERE error_id = $errorId AND id <=
       (SELECT id FROM tracked_edits WHERE error_id = $errorId ORDER BY id DESC LIMIT 1 OFFSET ${MAX_EDITS})`,
    { errorId },
  );
}

/** Returns the latest change of an error that can be undone, with its ID. */
export function latestEdit(store: Store, errorId: number): { readonly id: number; readonly edit: Edit } | undefined {
  const row = store.get<{ readonly id: number; readonly kind: EditKind; readonly previous: string }>(
    'SELECT id, kind, previous FROM tracked_edits WHERE error_id = $errorId ORDER BY id DESC LIMIT 1',
    { errorId },
  );
  if (row === undefined) return undefined;
  const previous: unknown = JSON.parse(row.previous);
  return { id: row.id, edit: editSchema.parse({ kind: row.kind, ...z.looseObject({}).parse(previous) }) };
}

export function removeEdit(store: Store, id: number): void {
  store.run('DELETE FROM tracked_edits WHERE id = $id', { id });
}

export function storedState(store: Store, errorId: number): StoredState {
  const row = store.get<StoredState>(
    `SELECT status, status_at, status_releases, ignored_until, ignored_number, counted_events, counted_hour, counted_of_hour,
       is_regression FROM tracked_errors WHERE id = $errorId`,
    { errorId },
  );
  if (row === undefined) throw new Error(`error ${errorId} does not exist`);
  return row;
}

export function responsibilityOf(store: Store, errorId: number): Responsibility {
  const row = store.get<Responsibility>('SELECT assignee_id, issue_id FROM tracked_errors WHERE id = $errorId', { errorId });
  if (row === undefined) throw new Error(`error ${errorId} does not exist`);
  return row;
}

/** Users and issues that were deleted meanwhile are left out. */
export function setResponsibility(store: Store, errorId: number, { assignee_id, issue_id }: Responsibility): void {
  store.run(
    `UPDATE tracked_errors SET assignee_id = (SELECT id FROM users_view WHERE id = $assignee_id),
       issue_id = (SELECT id FROM issues_view WHERE id = $issue_id) WHERE id = $errorId`,
    { assignee_id, issue_id, errorId },
  );
}

export function groupingIdsOf(store: Store, errorId: number): number[] {
  return store
    .all<{ readonly id: number }>('SELECT id FROM tracked_groupings WHERE error_id = $errorId ORDER BY id', { errorId })
    .map(({ id }) => id);
}
