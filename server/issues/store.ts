import { labelledSql, type WishedLabels } from '../labels/labels.ts';
import { milestoneSql, type WishedMilestone } from '../milestones/milestones.ts';
import type { SqlParams, Store } from '../store/open.ts';

/** An issue with what is needed of its project. */
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
  readonly project_path: string;
}

const COLUMNS = `i.id, i.project_id, i.iid, i.title, i.description, i.state, i.author_id, i.confidential, i.due_date, i.milestone_id,
  i.created_at, i.updated_at, i.closed_at, i.closed_by, p.full_path AS project_path`;
const FROM = `FROM issues i
  JOIN projects p ON p.id = i.project_id
  LEFT JOIN project_access m ON m.project_id = p.id AND m.user_id = $viewer`;

export type IssueOrder = 'created_at' | 'updated_at' | 'title';

export interface IssueFilter {
  /** A user's id, 0 for nobody. */
  readonly viewer: number;
  /** Condition of `readableIssuesSql`. */
  readonly readable: string;
  readonly projectId?: number | undefined;
  readonly withoutArchived?: boolean | undefined;
  readonly state?: 'opened' | 'closed' | undefined;
  readonly iids?: readonly number[] | undefined;
  /** All of them; or whether there are any. */
  readonly labels?: WishedLabels;
  readonly milestone?: WishedMilestone;
  /** `YYYY-MM-DD`, where the milestone or the due date is asked for in words. */
  readonly today?: string | undefined;
  readonly search?: string | undefined;
  readonly searchIn?: readonly ('title' | 'description')[] | undefined;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly assignee?: number | 'None' | 'Any' | undefined;
  /** Assigned to all of them. */
  readonly assigneeUsernames?: readonly string[] | undefined;
  readonly confidential?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

const ASSIGNED = 'SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id';

function conditions(filter: IssueFilter): { where: string; params: SqlParams } {
  const parts: string[] = [];
  const params: Record<string, string | number> = { viewer: filter.viewer };
  const add = (name: string, sql: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    parts.push(sql);
    params[name] = value;
  };
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  add('projectId', 'i.project_id = $projectId', filter.projectId);
  parts.push(filter.readable);
  if (filter.withoutArchived === true) parts.push('p.archived = 0');
  add('state', 'i.state = $state', filter.state);
  add('iids', 'i.iid IN (SELECT value FROM json_each($iids))', json(filter.iids));
  const labelled = labelledSql('Issue', 'i.id', filter.labels);
  if (labelled !== undefined) {
    parts.push(labelled.sql);
    Object.assign(params, labelled.params);
  }
  const planned = milestoneSql('i.milestone_id', filter.milestone, filter.today ?? '');
  if (planned !== undefined) {
    parts.push(planned.sql);
    Object.assign(params, planned.params);
  }
  if (filter.search !== undefined && filter.search !== '') {
    const fields = filter.searchIn ?? ['title', 'description'];
    const pattern = `%${filter.search.replaceAll(/[!%_]/g, '!$&')}%`;
    add('search', `(${fields.map((field) => `i.${field} LIKE $search ESCAPE '!'`).join(' OR ')})`, pattern);
  }
  add('authorId', 'i.author_id = $authorId', filter.authorId);
  add('authorUsername', 'i.author_id = (SELECT id FROM users WHERE username = $authorUsername)', filter.authorUsername);
  if (filter.assignee === 'None') parts.push(`NOT EXISTS (${ASSIGNED})`);
  else if (filter.assignee === 'Any') parts.push(`EXISTS (${ASSIGNED})`);
  else add('assignee', `EXISTS (${ASSIGNED} AND a.user_id = $assignee)`, filter.assignee);
  add(
    'assigneeUsernames',
    `NOT EXISTS (SELECT 1 FROM json_each($assigneeUsernames) wished
       WHERE NOT EXISTS (${ASSIGNED} AND a.user_id = (SELECT id FROM users WHERE username = wished.value)))`,
    json(filter.assigneeUsernames),
  );
  add(
    'confidential',
    'i.confidential = $confidential',
    filter.confidential === undefined ? undefined : Number(filter.confidential),
  );
  add('createdAfter', 'i.created_at >= $createdAfter', filter.createdAfter);
  add('createdBefore', 'i.created_at <= $createdBefore', filter.createdBefore);
  add('updatedAfter', 'i.updated_at >= $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'i.updated_at <= $updatedBefore', filter.updatedBefore);
  return { where: parts.join(' AND '), params };
}

export function countIssues(store: Store, filter: IssueFilter, cap: number): number {
  const { where, params } = conditions(filter);
  const sql = `SELECT count(*) AS n FROM (SELECT 1 ${FROM} WHERE ${where} LIMIT $cap)`;
  return store.get<{ n: number }>(sql, { ...params, cap })?.n ?? 0;
}

/** Time of creation orders by id, and every other order has the id behind it (rest.md §2.2). */
const orderColumns: Readonly<Record<IssueOrder, string | undefined>> = {
  created_at: undefined,
  updated_at: 'i.updated_at',
  title: 'i.title',
};

export function listIssues(
  store: Store,
  filter: IssueFilter,
  page: { readonly order: IssueOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): IssueRow[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  const order = column === undefined ? `i.id ${page.sort}` : `${column} ${page.sort}, i.id ${page.sort}`;
  return store.all<IssueRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

/** One issue that the condition lets through. */
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

/** Takes the next number of a project's issues. */
export function takeIid(store: Store, projectId: number): number {
  const row = store.get<{ last_issue_iid: number }>(
    'UPDATE projects SET last_issue_iid = last_issue_iid + 1 WHERE id = $projectId RETURNING last_issue_iid',
    { projectId },
  );
  if (row === undefined) throw new Error(`project ${projectId} is gone`);
  return row.last_issue_iid;
}

/** Takes a number that was asked for; false when an issue has or had it. */
export function reserveIid(store: Store, projectId: number, iid: number): boolean {
  if (store.get('SELECT 1 FROM issues WHERE project_id = $projectId AND iid = $iid', { projectId, iid }) !== undefined)
    return false;
  store.run('UPDATE projects SET last_issue_iid = max(last_issue_iid, $iid) WHERE id = $projectId', { projectId, iid });
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
  readonly createdAt: number;
  readonly now: number;
}

export function insertIssue(store: Store, issue: NewIssueRow): number {
  return store.run(
    `INSERT INTO issues (project_id, iid, title, description, author_id, confidential, due_date, milestone_id, created_at, updated_at)
     VALUES ($projectId, $iid, $title, $description, $authorId, $confidential, $dueDate, $milestoneId, $createdAt, $now)`,
    { ...issue, confidential: issue.confidential ? 1 : 0 },
  ).lastId;
}

export type IssueValues = Pick<
  IssueRow,
  'title' | 'description' | 'state' | 'confidential' | 'due_date' | 'milestone_id' | 'closed_at' | 'closed_by'
>;

export function writeIssue(store: Store, id: number, values: IssueValues, now: number): void {
  const { title, description, state, confidential, due_date, milestone_id, closed_at, closed_by } = values;
  store.run(
    `UPDATE issues SET title = $title, description = $description, state = $state, confidential = $confidential,
       due_date = $due_date, milestone_id = $milestone_id, closed_at = $closed_at, closed_by = $closed_by, updated_at = $now
     WHERE id = $id`,
    { id, now, title, description, state, confidential, due_date, milestone_id, closed_at, closed_by },
  );
}

export function touchIssue(store: Store, id: number, now: number): void {
  store.run('UPDATE issues SET updated_at = $now WHERE id = $id', { id, now });
}

export function deleteIssueRow(store: Store, id: number): void {
  store.run('DELETE FROM issues WHERE id = $id', { id });
}

/** Assignees of some issues, in the order of their numbers. */
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
