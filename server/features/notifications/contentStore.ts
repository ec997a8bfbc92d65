import type { Store } from '../../store/open.ts';

/** A project or group, as mails show it. */
export interface ContainerRow {
  readonly id: number;
  readonly name: string;
  readonly full_path: string;
}

export function containerById(store: Store, kind: 'project' | 'group', id: number): ContainerRow | undefined {
  return store.get<ContainerRow>(
    `SELECT id, name, full_path FROM ${kind === 'project' ? 'projects_view' : 'namespaces_view'} WHERE id = $id`,
    { id },
  );
}

/** An issue or merge request, as mails show it. */
export interface IssuableRow {
  readonly id: number;
  readonly iid: number;
  /** ID of the project. */
  readonly container_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
}

export type IssueTargetRow = IssuableRow & { readonly confidential: 0 | 1; readonly due_date: string | null };

export function issueById(store: Store, id: number): IssueTargetRow | undefined {
  return store.get<IssueTargetRow>(
    `SELECT id, iid, project_id AS container_id, title, description, state, confidential, due_date FROM issues_view WHERE id = $id`,
    { id },
  );
}

export type MergeRequestTargetRow = IssuableRow & { readonly source_branch: string; readonly target_branch: string };

export function mergeRequestById(store: Store, id: number): MergeRequestTargetRow | undefined {
  return store.get<MergeRequestTargetRow>(
    `SELECT id, iid, project_id AS container_id, title, description, state, source_branch, target_branch
     FROM merge_requests_view WHERE id = $id`,
    { id },
  );
}

/** Returns the names of users, in the order of their IDs. */
export function namesOf(store: Store, ids: readonly number[]): string[] {
  return store
    .all<{ name: string }>('SELECT name FROM users_view WHERE id IN (SELECT value FROM json_each($ids)) ORDER BY id', {
      ids: JSON.stringify(ids),
    })
    .map(({ name }) => name);
}

const people = {
  issue_assignees_view: 'issue_id',
  merge_request_assignees_view: 'merge_request_id',
  merge_request_reviewers_view: 'merge_request_id',
} as const;

/** Returns the names of assignees or reviewers. */
export function peopleOn(store: Store, table: keyof typeof people, id: number): string[] {
  const sql = `SELECT u.name FROM ${table} p JOIN users_view u ON u.id = p.user_id WHERE p.${people[table]} = $id ORDER BY u.id`;
  return store.all<{ name: string }>(sql, { id }).map(({ name }) => name);
}

/**
 * Returns the IDs of the comments of a thread before a comment, oldest first. The `+` keeps the query from the index of all comments of the
 * issue or merge request.
 */
export function notesBefore(
  store: Store,
  note: { readonly id: number; readonly type: string; readonly noteableId: number; readonly discussionId: string },
  limit: number,
): number[] {
  return store
    .all<{ id: number }>(
      `SELECT id FROM notes_view WHERE noteable_type = $type AND noteable_id = $noteableId AND discussion_id = $discussionId
         AND +id < $id AND system = 0 ORDER BY +id DESC LIMIT $limit`,
      { ...note, limit },
    )
    .map(({ id }) => id)
    .reverse();
}
