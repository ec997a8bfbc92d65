import { skipIssueIid } from '../projects/projects.ts';
import { issuePrioritySql } from '../labels/labels.ts';
import { countRowsInReader } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { conditions, type IssueFilter } from './filters.ts';
import { dueNoticeAt, type IssueType } from './rules.ts';

/** An issue with some columns of its project. */
export interface IssueRow {
  readonly id: number;
  readonly project_id: number;
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly author_id: number;
  readonly confidential: 0 | 1;
  /** `YYYY-MM-DD` */
  readonly due_date: string | null;
  readonly milestone_id: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly closed_by: number | null;
  readonly issue_type: IssueType;
  readonly weight: number | null;
  readonly relative_position: number | null;
  /** In seconds. */
  readonly time_estimate: number;
  readonly time_spent: number;
  readonly discussion_locked: 0 | 1 | null;
  readonly moved_to_id: number | null;
  readonly project_path: string;
}

const COLUMNS = `i.id, i.project_id, i.iid, i.title, i.description, i.state, i.author_id, i.confidential, i.due_date, i.milestone_id,
  i.created_at, i.updated_at, i.closed_at, i.closed_by, i.issue_type, i.weight, i.relative_position, i.time_estimate, i.time_spent, i.discussion_locked,
  i.moved_to_id, p.full_path AS project_path`;
/** Distance between the positions of two neighbors, so that issues can be moved between them. */
export const POSITION_GAP = 500;

const FROM = `FROM issues i
  JOIN projects_view p ON p.id = i.project_id
  LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer`;

/** Returns by issue the number of visible merge requests into the default branch that close it when they are merged. */
export function closingCounts(
  store: Store,
  ids: readonly number[],
  { viewer, readable }: { readonly viewer: number; readonly readable: string },
): { readonly issue_id: number; readonly n: number }[] {
  return store.all(
    `SELECT x.issue_id, count(*) AS n FROM merge_request_issues_view x
     JOIN merge_requests_view r ON r.id = x.merge_request_id
     JOIN projects_view p ON p.id = r.project_id
     LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
     WHERE x.issue_id IN (SELECT value FROM json_each($ids)) AND x.closes = 1 AND r.target_branch = p.default_branch AND ${readable}
     GROUP BY x.issue_id`,
    { ids: JSON.stringify(ids), viewer },
  );
}

// Filters can be selective and some orders need all rows, so lists are read with `runInReader`, in a separate thread.

export async function countIssues(store: Store, filter: IssueFilter, cap: number): Promise<number> {
  const { where, params } = conditions(filter);
  return countRowsInReader(store, `${FROM} WHERE ${where}`, params, cap);
}

/** Counts the open and closed issues that match a filter. */
export async function countStates(
  store: Store,
  filter: IssueFilter,
): Promise<{ readonly opened: number; readonly closed: number }> {
  const { where, params } = conditions(filter);
  const [row] = await store.runInReader<{ opened: number; closed: number }>(
    `SELECT count(*) FILTER (WHERE i.state = 'opened') AS opened, count(*) FILTER (WHERE i.state = 'closed') AS closed
     ${FROM} WHERE ${where}`,
    params,
  );
  return row ?? { opened: 0, closed: 0 };
}

/** Sort orders for keyset pagination; each is an indexed column. */
export const keysetOrders = ['created_at', 'updated_at', 'title', 'id', 'weight', 'due_date', 'relative_position'] as const;
export type KeysetOrder = (typeof keysetOrders)[number];
export type IssueOrder = KeysetOrder | 'label_priority' | 'milestone_due' | 'popularity' | 'priority';

const MILESTONE_DUE = '(SELECT due_date FROM milestones_view WHERE id = i.milestone_id)';
const orderColumns: Readonly<Record<IssueOrder, readonly string[]>> = {
  id: [],
  // There are no reactions, so all issues are equally popular.
  popularity: [],
  created_at: ['i.created_at'],
  updated_at: ['i.updated_at'],
  title: ['i.title'],
  weight: ['i.weight'],
  due_date: ['i.due_date'],
  relative_position: ['i.relative_position'],
  label_priority: [issuePrioritySql],
  milestone_due: [MILESTONE_DUE],
  priority: [MILESTONE_DUE, issuePrioritySql],
};

/** Returns issues in the given order. Null values come last in both directions; ties are sorted by ID. */
export async function listIssues(
  store: Store,
  filter: IssueFilter,
  page: { readonly order: IssueOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): Promise<IssueRow[]> {
  const { where, params } = conditions(filter);
  const order = [...orderColumns[page.order].map((column) => `${column} ${page.sort} NULLS LAST`), `i.id ${page.sort}`].join(
    ', ',
  );
  // Only IDs are sorted and skipped; the other columns are read for the rows of the page.
  const sql = `SELECT ${COLUMNS} ${FROM} WHERE i.id IN (SELECT i.id ${FROM} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset)
    ORDER BY ${order}`;
  return store.runInReader<IssueRow>(sql, { ...params, limit: page.limit, offset: page.offset });
}

/**
 * Returns the rows after a given one in the same order. Rows with and without a value are read separately, so that each query reads a
 * contiguous range of the index at any depth. Without a filter, and if the viewer can read every issue of the project (`isWholeProject`),
 * each row of the range is one of the page, so the queries are fast and need no other thread.
 */
export async function listIssuesAfter(
  store: Store,
  filter: IssueFilter,
  page: {
    readonly order: KeysetOrder;
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly after?: { readonly value: string | number | null; readonly id: number } | undefined;
  },
  isWholeProject = false,
): Promise<IssueRow[]> {
  const { order, sort, limit, after } = page;
  const { where, params } = conditions(filter);
  const { viewer, readable, projectId } = filter;
  const isFast = isWholeProject && where === conditions({ viewer, readable, projectId }).where;
  const beyond = sort === 'asc' ? '>' : '<';
  const part = async (condition: string, by: string, size: number): Promise<IssueRow[]> => {
    const sql = `SELECT ${COLUMNS} ${FROM} WHERE ${where} AND ${condition} ORDER BY ${by} LIMIT $size`;
    const values = { ...params, size, ...(after === undefined ? {} : { afterValue: after.value, afterId: after.id }) };
    return isFast ? store.all<IssueRow>(sql, values) : await store.runInReader<IssueRow>(sql, values);
  };
  if (order === 'id') return part(after === undefined ? 'true' : `i.id ${beyond} $afterId`, `i.id ${sort}`, limit);
  const column = `i.${order}`;
  const isPastValues = after !== undefined && after.value === null;
  const behind = after === undefined ? '' : `AND (${column}, i.id) ${beyond} ($afterValue, $afterId)`;
  const valued = isPastValues ? [] : await part(`${column} IS NOT NULL ${behind}`, `${column} ${sort}, i.id ${sort}`, limit);
  if (valued.length === limit) return valued;
  const rest = isPastValues ? `AND i.id ${beyond} $afterId` : '';
  return [...valued, ...(await part(`${column} IS NULL ${rest}`, `i.id ${sort}`, limit - valued.length))];
}

/** Returns an issue by IID if it matches the condition. */
export function issueByIid(
  store: Store,
  projectId: number,
  iid: number,
  seen: { readonly viewer: number; readonly readable: string },
): IssueRow | undefined {
  return store.get<IssueRow>(`SELECT ${COLUMNS} ${FROM} WHERE i.project_id = $projectId AND i.iid = $iid AND ${seen.readable}`, {
    projectId,
    iid,
    viewer: seen.viewer,
  });
}

export function issueById(store: Store, id: number): IssueRow | undefined {
  return store.get<IssueRow>(`SELECT ${COLUMNS} ${FROM} WHERE i.id = $id`, { id, viewer: 0 });
}

export function issuesByIds(store: Store, ids: readonly number[]): IssueRow[] {
  return store.all<IssueRow>(`SELECT ${COLUMNS} ${FROM} WHERE i.id IN (SELECT value FROM json_each($ids))`, {
    ids: JSON.stringify(ids),
    viewer: 0,
  });
}

/** Reserves a requested IID. Returns false if an issue or a requirement has it. */
export function reserveIid(store: Store, projectId: number, iid: number): boolean {
  const taken = `SELECT 1 FROM issues WHERE project_id = $projectId AND iid = $iid
    UNION ALL SELECT 1 FROM requirements_view WHERE project_id = $projectId AND work_item_iid = $iid`;
  if (store.get(taken, { projectId, iid }) !== undefined) return false;
  skipIssueIid(store, projectId, iid);
  return true;
}

export interface NewIssueRow {
  readonly projectId: number;
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly authorId: number;
  readonly confidential: boolean;
  readonly dueDate: string | null;
  readonly milestoneId: number | null;
  readonly issueType: IssueType;
  readonly weight: number | null;
  readonly createdAt: number;
  readonly now: number;
}

export function insertIssue(store: Store, issue: NewIssueRow): number {
  return store.run(
    `INSERT INTO issues (project_id, iid, title, description, author_id, confidential, due_date, milestone_id, issue_type, weight,
       due_notice_at, relative_position, created_at, updated_at)
     VALUES ($projectId, $iid, $title, $description, $authorId, $confidential, $dueDate, $milestoneId, $issueType, $weight,
       $dueNoticeAt, (SELECT coalesce(max(relative_position), 0) + ${POSITION_GAP} FROM issues WHERE project_id = $projectId), $createdAt, $now)`,
    { ...issue, confidential: issue.confidential ? 1 : 0, dueNoticeAt: dueNoticeAt(issue.dueDate, issue.now) },
  ).lastId;
}

export type IssueValues = Pick<
  IssueRow,
  | 'title'
  | 'description'
  | 'state'
  | 'confidential'
  | 'due_date'
  | 'milestone_id'
  | 'closed_at'
  | 'closed_by'
  | 'issue_type'
  | 'weight'
  | 'discussion_locked'
>;

export function writeIssue(store: Store, id: number, values: IssueValues, now: number): void {
  const { title, description, state, confidential, due_date, milestone_id, closed_at, closed_by } = values;
  const { issue_type, weight, discussion_locked } = values;
  store.run(
    `UPDATE issues SET title = $title, description = $description, state = $state, confidential = $confidential,
       due_date = $due_date, due_notice_at = CASE WHEN due_date IS $due_date THEN due_notice_at ELSE $dueNoticeAt END,
       milestone_id = $milestone_id, closed_at = $closed_at, closed_by = $closed_by,
       issue_type = $issue_type, weight = $weight, discussion_locked = $discussion_locked, updated_at = $now
     WHERE id = $id`,
    {
      id,
      now,
      title,
      description,
      state,
      confidential,
      due_date,
      dueNoticeAt: dueNoticeAt(due_date, now),
      milestone_id,
      closed_at,
      closed_by,
      issue_type,
      weight,
      discussion_locked,
    },
  );
}

/** Returns the issues whose due date is to be announced at `now`, the longest due first. */
export function issuesToAnnounce(store: Store, now: number, limit: number): IssueRow[] {
  return store.all<IssueRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE i.due_notice_at <= $now ORDER BY i.due_notice_at, i.id LIMIT $limit`,
    { now, limit, viewer: 0 },
  );
}

/** Returns the time of the next announcement of a due date; null if there is none. */
export function nextDueNotice(store: Store): number | null {
  const sql = 'SELECT min(due_notice_at) AS at FROM issues WHERE due_notice_at IS NOT NULL';
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

export function clearDueNotices(store: Store, until: number): void {
  store.run('UPDATE issues SET due_notice_at = NULL WHERE due_notice_at <= $until', { until });
}

export function clearDueNotice(store: Store, id: number): void {
  store.run('UPDATE issues SET due_notice_at = NULL WHERE id = $id', { id });
}

/** Writes the time estimate and the time spent, in seconds. */
export function writeTimes(store: Store, id: number, times: Pick<IssueRow, 'time_estimate' | 'time_spent'>, now: number): void {
  const { time_estimate, time_spent } = times;
  store.run('UPDATE issues SET time_estimate = $time_estimate, time_spent = $time_spent, updated_at = $now WHERE id = $id', {
    id,
    now,
    time_estimate,
    time_spent,
  });
}

export function writeMovedTo(store: Store, id: number, targetId: number): void {
  store.run('UPDATE issues SET moved_to_id = $targetId WHERE id = $id', { id, targetId });
}

export function touchIssue(store: Store, id: number, now: number): void {
  store.run('UPDATE issues SET updated_at = $now WHERE id = $id', { id, now });
}

export function deleteIssueRow(store: Store, id: number): void {
  store.run('DELETE FROM issues WHERE id = $id', { id });
}

/** Returns the assignees of some issues, sorted by user ID. */
export function assigneesOf(store: Store, ids: readonly number[]): { issue_id: number; user_id: number }[] {
  return store.all(
    `SELECT issue_id, user_id FROM issue_assignees WHERE issue_id IN (SELECT value FROM json_each($ids))
     ORDER BY issue_id, user_id`,
    { ids: JSON.stringify(ids) },
  );
}

export function writeAssignees(store: Store, id: number, userIds: readonly number[]): void {
  store.run('DELETE FROM issue_assignees WHERE issue_id = $id', { id });
  for (const userId of userIds) {
    store.run('INSERT OR IGNORE INTO issue_assignees (issue_id, user_id) VALUES ($id, $userId)', { id, userId });
  }
}

/** Returns the participants of an issue: author, assignees and commenters; authors of internal notes if `withInternal` is set. */
export function participantIds(store: Store, issueId: number, withInternal: boolean): number[] {
  return store
    .all<{ id: number }>(
      `SELECT author_id AS id FROM issues WHERE id = $issueId
       UNION SELECT user_id FROM issue_assignees WHERE issue_id = $issueId
       UNION SELECT author_id FROM notes_view WHERE noteable_type = 'Issue' AND noteable_id = $issueId AND system = 0
         ${withInternal ? '' : 'AND internal = 0'}
       ORDER BY id`,
      { issueId },
    )
    .map(({ id }) => id);
}

/** Renumbers the positions of a project's issues with gaps between them; issues without a position come last. */
export function renumberPositions(store: Store, projectId: number): void {
  store.run(
    `UPDATE issues SET relative_position = numbered.place * ${POSITION_GAP} FROM (
       SELECT id, row_number() OVER (ORDER BY relative_position NULLS LAST, id) AS place FROM issues WHERE project_id = $projectId
     ) numbered WHERE issues.id = numbered.id`,
    { projectId },
  );
}

/** Returns the next position in a project before or after the given one, ignoring an issue; null if there is none. */
export function nextPosition(
  store: Store,
  projectId: number,
  position: number,
  side: 'before' | 'after',
  exceptId: number,
): number | null {
  const sql =
    side === 'before'
      ? 'SELECT max(relative_position) AS at FROM issues WHERE project_id = $projectId AND relative_position < $position AND id <> $exceptId'
      : 'SELECT min(relative_position) AS at FROM issues WHERE project_id = $projectId AND relative_position > $position AND id <> $exceptId';
  return store.get<{ at: number | null }>(sql, { projectId, position, exceptId })?.at ?? null;
}

export function writePosition(store: Store, id: number, position: number): void {
  store.run('UPDATE issues SET relative_position = $position WHERE id = $id', { id, position });
}

/** Makes another user the author of the issues of a user. */
export function handOverIssues(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE issues SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
}

/** Forgets which issues a user has closed. */
export function forgetCloser(store: Store, userId: number): void {
  store.run('UPDATE issues SET closed_by = NULL WHERE closed_by = $userId', { userId });
}

export function issuesByAuthor(store: Store, authorId: number): IssueRow[] {
  return store.all<IssueRow>(
    `SELECT ${COLUMNS} FROM issues i JOIN projects_view p ON p.id = i.project_id WHERE i.author_id = $authorId`,
    {
      authorId,
    },
  );
}
