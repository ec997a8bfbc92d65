import { takeIid } from '../projects/projects.ts';
import { labelledSql, type RequestedLabels } from '../labels/labels.ts';
import { milestoneSql, type RequestedMilestone } from '../milestones/milestones.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** A merge request with its project and its current version. */
export interface MergeRequestRow {
  readonly id: number;
  /** Target project. */
  readonly project_id: number;
  readonly iid: number;
  /** Null if the fork was deleted. */
  readonly source_project_id: number | null;
  readonly source_branch: string;
  readonly target_branch: string;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed' | 'locked' | 'merged';
  readonly draft: 0 | 1;
  readonly author_id: number;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly squash: 0 | 1;
  readonly force_remove_source_branch: 0 | 1 | null;
  readonly should_remove_source_branch: 0 | 1 | null;
  readonly discussion_locked: 0 | 1 | null;
  readonly allow_collaboration: 0 | 1;
  readonly milestone_id: number | null;
  readonly auto_merge: 0 | 1;
  readonly auto_merge_user_id: number | null;
  readonly auto_merge_message: string | null;
  readonly auto_merge_squash_message: string | null;
  readonly checked_head: string | null;
  readonly checked_target: string | null;
  readonly conflicts: 0 | 1 | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly merged_at: number | null;
  readonly merged_by: number | null;
  readonly closed_at: number | null;
  readonly closed_by: number | null;
  readonly project_path: string;
  readonly version_id: number;
  readonly head_sha: string;
  readonly start_sha: string;
  /** Null until computed, like the counts. */
  readonly base_sha: string | null;
  readonly commits_count: number | null;
  readonly changes_count: number | null;
  /** Current heads of the branches; null if a branch was deleted. */
  readonly source_head: string | null;
  readonly target_head: string | null;
}

const COLUMNS = `r.id, r.project_id, r.iid, r.source_project_id, r.source_branch, r.target_branch, r.title, r.description, r.state, r.draft,
  r.author_id, r.merge_commit_sha, r.squash_commit_sha, r.squash, r.force_remove_source_branch, r.should_remove_source_branch,
  r.discussion_locked, r.allow_collaboration, r.milestone_id, r.auto_merge, r.auto_merge_user_id, r.auto_merge_message,
  r.auto_merge_squash_message, r.checked_head, r.checked_target, r.conflicts, r.created_at, r.updated_at, r.merged_at, r.merged_by, r.closed_at, r.closed_by, p.full_path AS project_path,
  r.version_id, v.head_sha, v.start_sha, v.base_sha, v.commits_count, v.changes_count,
  (SELECT b.commit_id FROM repository_refs_view b
     WHERE b.project_id = r.source_project_id AND b.kind = 'branch' AND b.name = r.source_branch) AS source_head,
  (SELECT b.commit_id FROM repository_refs_view b
     WHERE b.project_id = r.project_id AND b.kind = 'branch' AND b.name = r.target_branch) AS target_head`;
const FROM = `FROM merge_requests r
  JOIN projects_view p ON p.id = r.project_id
  JOIN merge_request_versions v ON v.id = r.version_id
  LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer`;

export type MergeRequestOrder = 'created_at' | 'updated_at' | 'title' | 'merged_at';

/** A filter by user id or username, or by the presence of any user. */
export type PersonFilter = number | 'None' | 'Any' | { readonly username: string };

export interface MergeRequestFilter {
  /** User id, 0 for anonymous callers. */
  readonly viewer: number;
  /** Condition of `readableCodeSql`. */
  readonly readable: string;
  readonly projectId?: number | undefined;
  /** Limits the list to this group and its subgroups at any depth. */
  readonly groupId?: number | undefined;
  readonly withoutArchived?: boolean | undefined;
  readonly state?: MergeRequestRow['state'] | undefined;
  readonly iids?: readonly number[] | undefined;
  /** Conditions to include; `not` lists those to exclude. */
  readonly is: MergeRequestMetadata;
  readonly not: MergeRequestMetadata;
  readonly search?: string | undefined;
  readonly searchIn?: readonly ('title' | 'description')[] | undefined;
  readonly draft?: boolean | undefined;
  readonly sourceProjectId?: number | undefined;
  /** Approved by all of these users. */
  readonly approvedByIds?: readonly number[] | 'None' | 'Any' | undefined;
  readonly approved?: boolean | undefined;
  /** `YYYY-MM-DD`, for milestone filters such as `Started`. */
  readonly today: string;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
  readonly mergedAfter?: number | undefined;
  readonly mergedBefore?: number | undefined;
  readonly mergedBy?: PersonFilter | undefined;
}

/** Conditions that a list includes or excludes. */
export interface MergeRequestMetadata {
  readonly author?: PersonFilter | undefined;
  readonly assignee?: PersonFilter | undefined;
  readonly reviewer?: PersonFilter | undefined;
  readonly sourceBranch?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly labels?: RequestedLabels;
  readonly milestone?: RequestedMilestone;
}

type Params = Record<string, string | number>;

const personSql = (name: string): string => `(SELECT id FROM users_view WHERE username = $${name})`;

/** Returns a condition on a column with a user id. */
function byPerson(name: string, column: string, person: PersonFilter, params: Params): string {
  if (person === 'None') return `${column} IS NULL`;
  if (person === 'Any') return `${column} IS NOT NULL`;
  params[name] = typeof person === 'number' ? person : person.username;
  return `${column} = ${typeof person === 'number' ? `$${name}` : personSql(name)}`;
}

/** Returns a condition on a table of merge request users. */
function byPeople(name: string, table: string, person: PersonFilter, params: Params): string {
  const any = `SELECT 1 FROM ${table} x WHERE x.merge_request_id = r.id`;
  if (person === 'None') return `NOT EXISTS (${any})`;
  if (person === 'Any') return `EXISTS (${any})`;
  return `EXISTS (${any} AND ${byPerson(name, 'x.user_id', person, params)})`;
}

function factConditions(metadata: MergeRequestMetadata, prefix: string, today: string, params: Params): string[] {
  const parts: string[] = [];
  for (const condition of [
    labelledSql('MergeRequest', 'r.id', metadata.labels, `${prefix}Labels`),
    milestoneSql('r.milestone_id', metadata.milestone, today, `${prefix}Milestone`),
  ]) {
    if (condition === undefined) continue;
    parts.push(condition.sql);
    Object.assign(params, condition.params);
  }
  if (metadata.author !== undefined) parts.push(byPerson(`${prefix}Author`, 'r.author_id', metadata.author, params));
  if (metadata.assignee !== undefined) {
    parts.push(byPeople(`${prefix}Assignee`, 'merge_request_assignees', metadata.assignee, params));
  }
  if (metadata.reviewer !== undefined) {
    parts.push(byPeople(`${prefix}Reviewer`, 'merge_request_reviewers', metadata.reviewer, params));
  }
  for (const [name, column, value] of [
    ['Source', 'r.source_branch', metadata.sourceBranch],
    ['Target', 'r.target_branch', metadata.targetBranch],
  ] as const) {
    if (value === undefined) continue;
    parts.push(`${column} = $${prefix}${name}`);
    params[`${prefix}${name}`] = value;
  }
  return parts;
}

function conditions(filter: MergeRequestFilter): { where: string; params: SqlParams } {
  const params: Params = { viewer: filter.viewer };
  const { add, addSearch, also, whole } = beginCondition(params);
  also(filter.readable);
  for (const condition of factConditions(filter.is, 'is', filter.today, params)) also(condition);
  for (const condition of factConditions(filter.not, 'not', filter.today, params)) also(`coalesce(NOT (${condition}), true)`);
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  add('projectId', 'r.project_id = $projectId', filter.projectId);
  add(
    'groupId',
    'p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)',
    filter.groupId,
  );
  if (filter.withoutArchived === true) also('p.archived = 0');
  add('state', 'r.state = $state', filter.state);
  add('iids', 'r.iid IN (SELECT value FROM json_each($iids))', json(filter.iids));
  const searched = (filter.searchIn ?? ['title', 'description']).map((field) => `r.${field}`);
  addSearch('search', searched, filter.search);
  add('draft', 'r.draft = $draft', filter.draft === undefined ? undefined : Number(filter.draft));
  add('sourceProjectId', 'r.source_project_id = $sourceProjectId', filter.sourceProjectId);
  const approval = 'SELECT 1 FROM merge_request_approvals x WHERE x.merge_request_id = r.id';
  const approved = filter.approvedByIds;
  if (filter.approved === true || approved === 'Any') also(`EXISTS (${approval})`);
  if (filter.approved === false || approved === 'None') also(`NOT EXISTS (${approval})`);
  if (typeof approved === 'object') {
    const missing = `SELECT 1 FROM json_each($approvedBy) wished WHERE NOT EXISTS (${approval} AND x.user_id = wished.value)`;
    add('approvedBy', `NOT EXISTS (${missing})`, json(approved));
  }
  add('createdAfter', 'r.created_at >= $createdAfter', filter.createdAfter);
  add('createdBefore', 'r.created_at <= $createdBefore', filter.createdBefore);
  add('updatedAfter', 'r.updated_at >= $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'r.updated_at <= $updatedBefore', filter.updatedBefore);
  add('mergedAfter', 'r.merged_at >= $mergedAfter', filter.mergedAfter);
  add('mergedBefore', 'r.merged_at <= $mergedBefore', filter.mergedBefore);
  if (filter.mergedBy !== undefined) also(byPerson('mergedBy', 'r.merged_by', filter.mergedBy, params));
  return whole();
}

export function countMergeRequests(store: Store, filter: MergeRequestFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

/** Sorting by creation time uses the id; every other order uses the id to break ties (docs/interface.md#pagination). */
const orderColumns: Readonly<Record<MergeRequestOrder, string | undefined>> = {
  created_at: undefined,
  updated_at: 'r.updated_at',
  title: 'r.title',
  merged_at: 'r.merged_at',
};

export function listMergeRequests(
  store: Store,
  filter: MergeRequestFilter,
  page: {
    readonly order: MergeRequestOrder;
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly offset: number;
  },
): MergeRequestRow[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  // Merge requests without a merge time are last in both directions.
  const order = column === undefined ? `r.id ${page.sort}` : `${column} ${page.sort} NULLS LAST, r.id ${page.sort}`;
  return store.all<MergeRequestRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

export function mergeRequestByIid(store: Store, projectId: number, iid: number): MergeRequestRow | undefined {
  return store.get<MergeRequestRow>(`SELECT ${COLUMNS} ${FROM} WHERE r.project_id = $projectId AND r.iid = $iid`, {
    projectId,
    iid,
    viewer: 0,
  });
}

export function mergeRequestById(store: Store, id: number): MergeRequestRow | undefined {
  return store.get<MergeRequestRow>(`SELECT ${COLUMNS} ${FROM} WHERE r.id = $id`, { id, viewer: 0 });
}

/** Returns the open merge requests from or into a branch. */
export function openOfBranch(store: Store, end: 'source' | 'target', projectId: number, branch: string): MergeRequestRow[] {
  const column = end === 'source' ? 'r.source_project_id' : 'r.project_id';
  return store.all<MergeRequestRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${column} = $projectId AND r.${end}_branch = $branch AND r.state = 'opened' ORDER BY r.id`,
    { projectId, branch, viewer: 0 },
  );
}

/** Returns the open merge requests from a project into others; null for a deleted project. */
export function openOfFork(store: Store, projectId: number | null): MergeRequestRow[] {
  return store.all<MergeRequestRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE r.source_project_id IS $projectId AND r.project_id IS NOT $projectId AND r.state = 'opened'
     ORDER BY r.id`,
    { projectId, viewer: 0 },
  );
}

export interface NewMergeRequestRow {
  readonly projectId: number;
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string | null;
  readonly draft: 0 | 1;
  readonly squash: 0 | 1;
  readonly removeSourceBranch: 0 | 1 | null;
  readonly allowCollaboration: 0 | 1;
  readonly milestoneId: number | null;
  readonly authorId: number;
  readonly now: number;
}

export function insertMergeRequest(
  store: Store,
  row: NewMergeRequestRow,
  version: { readonly head: string; readonly start: string },
): number {
  const { lastId: id } = store.run(
    `INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch, title, description, draft, squash,
       force_remove_source_branch, allow_collaboration, milestone_id, author_id, created_at, updated_at)
     VALUES ($projectId, $iid, $sourceProjectId, $sourceBranch, $targetBranch, $title, $description, $draft, $squash,
       $removeSourceBranch, $allowCollaboration, $milestoneId, $authorId, $now, $now)`,
    { ...row, iid: takeIid(store, row.projectId, 'merge_request') },
  );
  insertVersion(store, id, version, row.now);
  return id;
}

/** Adds a version, which the merge request shows from now on. */
export function insertVersion(
  store: Store,
  mergeRequestId: number,
  version: { readonly head: string; readonly start: string },
  now: number,
): void {
  const { lastId } = store.run(
    `INSERT INTO merge_request_versions (merge_request_id, head_sha, start_sha, created_at) VALUES ($mergeRequestId, $head, $start, $now)`,
    { mergeRequestId, ...version, now },
  );
  store.run('UPDATE merge_requests SET version_id = $lastId WHERE id = $mergeRequestId', { mergeRequestId, lastId });
}

export interface VersionRow {
  readonly id: number;
  readonly head_sha: string;
  readonly start_sha: string;
  readonly base_sha: string | null;
  readonly commits_count: number | null;
  readonly changes_count: number | null;
  readonly created_at: number;
}

/** Returns the versions, newest first. */
export function listVersions(store: Store, mergeRequestId: number): VersionRow[] {
  return store.all<VersionRow>(
    `SELECT id, head_sha, start_sha, base_sha, commits_count, changes_count, created_at FROM merge_request_versions
     WHERE merge_request_id = $mergeRequestId ORDER BY id DESC`,
    { mergeRequestId },
  );
}

export function writeVersion(
  store: Store,
  id: number,
  found: { readonly base: string; readonly commits: number; readonly changes: number },
): void {
  store.run(
    'UPDATE merge_request_versions SET base_sha = $base, commits_count = $commits, changes_count = $changes WHERE id = $id',
    { id, ...found },
  );
}

export type MergeRequestValues = Pick<
  MergeRequestRow,
  | 'title'
  | 'description'
  | 'state'
  | 'draft'
  | 'target_branch'
  | 'squash'
  | 'force_remove_source_branch'
  | 'should_remove_source_branch'
  | 'discussion_locked'
  | 'allow_collaboration'
  | 'milestone_id'
  | 'auto_merge'
  | 'auto_merge_user_id'
  | 'auto_merge_message'
  | 'auto_merge_squash_message'
  | 'merge_commit_sha'
  | 'squash_commit_sha'
  | 'merged_at'
  | 'merged_by'
  | 'closed_at'
  | 'closed_by'
>;

export function writeMergeRequest(store: Store, id: number, values: MergeRequestValues, now: number): void {
  store.run(
    `UPDATE merge_requests SET title = $title, description = $description, state = $state, draft = $draft,
       target_branch = $target_branch, squash = $squash, force_remove_source_branch = $force_remove_source_branch,
       should_remove_source_branch = $should_remove_source_branch, discussion_locked = $discussion_locked,
       allow_collaboration = $allow_collaboration, milestone_id = $milestone_id, auto_merge = $auto_merge, auto_merge_user_id = $auto_merge_user_id,
       auto_merge_message = $auto_merge_message, auto_merge_squash_message = $auto_merge_squash_message, merge_commit_sha = $merge_commit_sha, squash_commit_sha = $squash_commit_sha,
       merged_at = $merged_at, merged_by = $merged_by, closed_at = $closed_at, closed_by = $closed_by, updated_at = $now
     WHERE id = $id`,
    {
      id,
      now,
      title: values.title,
      description: values.description,
      state: values.state,
      draft: values.draft,
      target_branch: values.target_branch,
      squash: values.squash,
      force_remove_source_branch: values.force_remove_source_branch,
      should_remove_source_branch: values.should_remove_source_branch,
      discussion_locked: values.discussion_locked,
      allow_collaboration: values.allow_collaboration,
      milestone_id: values.milestone_id,
      auto_merge: values.auto_merge,
      auto_merge_user_id: values.auto_merge_user_id,
      auto_merge_message: values.auto_merge_message,
      auto_merge_squash_message: values.auto_merge_squash_message,
      merge_commit_sha: values.merge_commit_sha,
      squash_commit_sha: values.squash_commit_sha,
      merged_at: values.merged_at,
      merged_by: values.merged_by,
      closed_at: values.closed_at,
      closed_by: values.closed_by,
    },
  );
}

export function touchMergeRequest(store: Store, id: number, now: number): void {
  store.run('UPDATE merge_requests SET updated_at = $now WHERE id = $id', { id, now });
}

/** Caches the result of the conflict check of two heads. */
export function writeConflicts(
  store: Store,
  id: number,
  found: { readonly head: string; readonly target: string; readonly conflicts: boolean },
): void {
  store.run('UPDATE merge_requests SET checked_head = $head, checked_target = $target, conflicts = $conflicts WHERE id = $id', {
    id,
    ...found,
    conflicts: found.conflicts ? 1 : 0,
  });
}

export function deleteMergeRequestRow(store: Store, id: number): void {
  store.run('DELETE FROM merge_requests WHERE id = $id', { id });
}

interface PersonOf {
  readonly merge_request_id: number;
  readonly user_id: number;
}

/** Returns the assignees of some merge requests, in the order of their ids. */
export function assigneesOf(store: Store, ids: readonly number[]): PersonOf[] {
  return store.all(
    `SELECT merge_request_id, user_id FROM merge_request_assignees
     WHERE merge_request_id IN (SELECT value FROM json_each($ids)) ORDER BY merge_request_id, user_id`,
    { ids: JSON.stringify(ids) },
  );
}

export type ReviewState = 'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved' | 'review_started';

export interface ReviewerRow extends PersonOf {
  readonly state: ReviewState;
  readonly created_at: number;
}

export function reviewersOf(store: Store, ids: readonly number[]): ReviewerRow[] {
  return store.all<ReviewerRow>(
    `SELECT merge_request_id, user_id, state, created_at FROM merge_request_reviewers
     WHERE merge_request_id IN (SELECT value FROM json_each($ids)) ORDER BY merge_request_id, user_id`,
    { ids: JSON.stringify(ids) },
  );
}

export function writeAssignees(store: Store, id: number, userIds: readonly number[]): void {
  store.run('DELETE FROM merge_request_assignees WHERE merge_request_id = $id', { id });
  for (const userId of userIds) {
    store.run('INSERT OR IGNORE INTO merge_request_assignees (merge_request_id, user_id) VALUES ($id, $userId)', { id, userId });
  }
}

/** Replaces the reviewers. Reviewers who stay keep their review state. */
export function writeReviewers(store: Store, id: number, userIds: readonly number[], now: number): void {
  const ids = JSON.stringify(userIds);
  store.run(
    `DELETE FROM merge_request_reviewers WHERE merge_request_id = $id AND user_id NOT IN (SELECT value FROM json_each($ids))`,
    { id, ids },
  );
  store.run(
    `INSERT OR IGNORE INTO merge_request_reviewers (merge_request_id, user_id, created_at)
     SELECT $id, value, $now FROM json_each($ids)`,
    { id, ids, now },
  );
}

export function writeReview(store: Store, id: number, userId: number, state: ReviewState): void {
  store.run('UPDATE merge_request_reviewers SET state = $state WHERE merge_request_id = $id AND user_id = $userId', {
    id,
    userId,
    state,
  });
}

export interface ApprovalRow {
  readonly user_id: number;
  readonly created_at: number;
}

export function approvalsOf(store: Store, id: number): ApprovalRow[] {
  return store.all<ApprovalRow>(
    'SELECT user_id, created_at FROM merge_request_approvals WHERE merge_request_id = $id ORDER BY created_at, user_id',
    { id },
  );
}

/** Returns false if the user had already approved. */
export function insertApproval(store: Store, id: number, userId: number, now: number): boolean {
  const sql = 'INSERT OR IGNORE INTO merge_request_approvals (merge_request_id, user_id, created_at) VALUES ($id, $userId, $now)';
  return store.run(sql, { id, userId, now }).changes > 0;
}

/** Returns false if the user had not approved. */
export function deleteApproval(store: Store, id: number, userId: number): boolean {
  const sql = 'DELETE FROM merge_request_approvals WHERE merge_request_id = $id AND user_id = $userId';
  return store.run(sql, { id, userId }).changes > 0;
}

/** Replaces the issues that a merge request references. */
export function writeIssues(
  store: Store,
  id: number,
  issues: readonly { readonly issueId: number; readonly closes: boolean }[],
): void {
  store.run('DELETE FROM merge_request_issues WHERE merge_request_id = $id', { id });
  for (const { issueId, closes } of issues) {
    store.run(
      `INSERT INTO merge_request_issues (merge_request_id, issue_id, closes) VALUES ($id, $issueId, $closes)
       ON CONFLICT DO UPDATE SET closes = max(closes, $closes)`,
      { id, issueId, closes: closes ? 1 : 0 },
    );
  }
}

/** Returns the issues that a merge request closes. */
export function closedIssues(store: Store, id: number): { readonly project_id: number; readonly iid: number }[] {
  return store.all(
    `SELECT i.project_id, i.iid FROM merge_request_issues x JOIN issues_view i ON i.id = x.issue_id
     WHERE x.merge_request_id = $id AND x.closes = 1 ORDER BY i.id`,
    { id },
  );
}

/** Returns the merge requests that mention an issue, or only those that close it, as far as they are visible to the user. */
export function naming(
  store: Store,
  issueId: number,
  filter: { readonly viewer: number; readonly readable: string; readonly closing: boolean },
): MergeRequestRow[] {
  return store.all<MergeRequestRow>(
    `SELECT ${COLUMNS} ${FROM} JOIN merge_request_issues x ON x.merge_request_id = r.id
     WHERE x.issue_id = $issueId AND ($closing = 0 OR (x.closes = 1 AND r.target_branch = p.default_branch)) AND ${filter.readable}
     ORDER BY r.id`,
    { issueId, viewer: filter.viewer, closing: filter.closing ? 1 : 0 },
  );
}

/** Returns the newest commit of each merge request of a project. */
export function headsOf(
  store: Store,
  projectId: number,
): { readonly iid: number; readonly head: string; readonly sourceProjectId: number | null }[] {
  return store.all(
    `SELECT r.iid, v.head_sha AS head, r.source_project_id AS sourceProjectId
     FROM merge_requests r JOIN merge_request_versions v ON v.id = r.version_id WHERE r.project_id = $projectId`,
    { projectId },
  );
}

/** Makes another user the author of the merge requests of a user, and the person who merged those that the user merged. */
export function handOverMergeRequests(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE merge_requests SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
  store.run('UPDATE merge_requests SET merged_by = $toUserId WHERE merged_by = $fromUserId', { fromUserId, toUserId });
}

export function mergeRequestsByAuthor(
  store: Store,
  authorId: number,
): readonly { readonly id: number; readonly iid: number; readonly project_id: number }[] {
  return store.all('SELECT id, iid, project_id FROM merge_requests WHERE author_id = $authorId', { authorId });
}
