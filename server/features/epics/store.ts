import { labelledSql, type RequestedLabels } from '../labels/labels.ts';
import { visibleGroupsSql } from '../groups/groups.ts';
import { type Access, accessLevels } from '../abilities/abilities.ts';
import { namespaceLevelSql } from '../members/members.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** An epic, with the path of its group and the dates inherited from the milestones of its issues. */
export interface EpicRow {
  readonly id: number;
  readonly group_id: number;
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly author_id: number;
  readonly confidential: 0 | 1;
  readonly start_date_is_fixed: 0 | 1;
  /** `YYYY-MM-DD`, like all dates. */
  readonly start_date_fixed: string | null;
  readonly start_date_inherited: string | null;
  readonly due_date_is_fixed: 0 | 1;
  readonly due_date_fixed: string | null;
  readonly due_date_inherited: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly group_path: string;
}

const MILESTONES = `FROM epic_issues k JOIN issues_view i ON i.id = k.issue_id JOIN milestones_view s ON s.id = i.milestone_id WHERE k.epic_id = e.id`;
const COLUMNS = `e.id, e.group_id, e.iid, e.title, e.description, e.state, e.author_id, e.confidential, e.start_date_is_fixed,
  e.start_date_fixed, (SELECT min(s.start_date) ${MILESTONES}) AS start_date_inherited, e.due_date_is_fixed, e.due_date_fixed,
  (SELECT max(s.due_date) ${MILESTONES}) AS due_date_inherited, e.created_at, e.updated_at, e.closed_at, g.full_path AS group_path`;
const FROM = 'FROM epics e JOIN namespaces_view g ON g.id = e.group_id';

/** SQL condition of epics that the viewer can see. Confidential epics require at least the reporter role. */
const VISIBLE = `(e.confidential = 0 OR ${namespaceLevelSql('e.group_id')} >= 20)`;

export interface EpicFilter {
  /** ID of the user. */
  readonly viewer: number;
  readonly isAdministrator: boolean;
  readonly groupId: number;
  readonly withAncestors?: boolean;
  /** SQL condition on subgroups `g`. If omitted, their epics are not listed. */
  readonly groupsInside?: string | undefined;
  readonly iids?: readonly number[] | undefined;
  readonly state?: 'opened' | 'closed' | undefined;
  readonly labels?: RequestedLabels;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly search?: string | undefined;
  readonly confidential?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

function conditions(filter: EpicFilter): { where: string; params: SqlParams } {
  const groups = [
    filter.withAncestors === true
      ? 'e.group_id IN (SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id = $groupId)'
      : 'e.group_id = $groupId',
    ...(filter.groupsInside === undefined
      ? []
      : [
          `(e.group_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId) AND ${filter.groupsInside})`,
        ]),
  ];
  const { add, addSearch, also, whole } = beginCondition({ groupId: filter.groupId, viewer: filter.viewer });
  also(`(${groups.join(' OR ')})`);
  if (!filter.isAdministrator) also(VISIBLE);
  add(
    'iids',
    'e.iid IN (SELECT value FROM json_each($iids))',
    filter.iids === undefined ? undefined : JSON.stringify(filter.iids),
  );
  add('state', 'e.state = $state', filter.state);
  const labelled = labelledSql('Epic', 'e.id', filter.labels);
  if (labelled !== undefined) also(labelled.sql, labelled.params);
  add('authorId', 'e.author_id = $authorId', filter.authorId);
  add('authorUsername', 'e.author_id = (SELECT id FROM users_view WHERE username = $authorUsername)', filter.authorUsername);
  addSearch('search', ['e.title', 'e.description'], filter.search);
  add(
    'confidential',
    'e.confidential = $confidential',
    filter.confidential === undefined ? undefined : Number(filter.confidential),
  );
  add('createdAfter', 'e.created_at >= $createdAfter', filter.createdAfter);
  add('createdBefore', 'e.created_at <= $createdBefore', filter.createdBefore);
  add('updatedAfter', 'e.updated_at >= $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'e.updated_at <= $updatedBefore', filter.updatedBefore);
  return whole();
}

export type EpicOrder = 'created_at' | 'updated_at' | 'title';

export function countEpics(store: Store, filter: EpicFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

export function listEpics(
  store: Store,
  filter: EpicFilter,
  page: { readonly order: EpicOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): EpicRow[] {
  const { where, params } = conditions(filter);
  const { order, sort, limit, offset } = page;
  return store.all<EpicRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY e.${order} ${sort}, e.id ${sort} LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

export function epicById(store: Store, id: number): EpicRow | undefined {
  return store.get<EpicRow>(`SELECT ${COLUMNS} ${FROM} WHERE e.id = $id`, { id });
}

/** Returns the SQL expression for a column of an epic. `id` is the expression for its ID. */
export function epicColumnSql(column: 'iid' | 'title', id: string): string {
  return `(SELECT ${column} FROM epics WHERE id = ${id})`;
}

/** Returns the SQL condition for an epic that the user `$viewer` can read. `id` is the expression for its ID. */
export function readableEpicSql(access: Omit<Access, 'level'>, id: string): string {
  return `EXISTS (SELECT 1 FROM epics x JOIN namespaces_view g ON g.id = x.group_id
      WHERE x.id = ${id} AND ${visibleGroupsSql(access)} AND (x.confidential = 0 OR ${namespaceLevelSql('g.id')} >= ${accessLevels.reporter}))`;
}

export type EpicValues = Pick<
  EpicRow,
  | 'title'
  | 'description'
  | 'state'
  | 'confidential'
  | 'start_date_is_fixed'
  | 'start_date_fixed'
  | 'due_date_is_fixed'
  | 'due_date_fixed'
  | 'closed_at'
>;

export function insertEpic(
  store: Store,
  groupId: number,
  iid: number,
  authorId: number,
  values: EpicValues,
  now: number,
): number {
  return store.run(
    `INSERT INTO epics (group_id, iid, author_id, title, description, state, confidential, start_date_is_fixed, start_date_fixed,
       due_date_is_fixed, due_date_fixed, closed_at, created_at, updated_at)
     VALUES ($groupId, $iid, $authorId, $title, $description, $state, $confidential, $start_date_is_fixed, $start_date_fixed,
       $due_date_is_fixed, $due_date_fixed, $closed_at, $now, $now)`,
    { ...values, groupId, iid, authorId, now },
  ).lastId;
}

export function writeEpic(store: Store, id: number, values: EpicValues, now: number): void {
  store.run(
    `UPDATE epics SET title = $title, description = $description, state = $state, confidential = $confidential,
       start_date_is_fixed = $start_date_is_fixed, start_date_fixed = $start_date_fixed, due_date_is_fixed = $due_date_is_fixed,
       due_date_fixed = $due_date_fixed, closed_at = $closed_at, updated_at = $now
     WHERE id = $id`,
    { ...values, id, now },
  );
}

export function deleteEpicRow(store: Store, id: number): void {
  store.run('DELETE FROM epics WHERE id = $id', { id });
}

interface EpicIssueRow {
  readonly id: number;
  readonly issue_id: number;
}

const LINKS = `FROM epic_issues k JOIN issues_view i ON i.id = k.issue_id JOIN projects_view p ON p.id = i.project_id
  LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer WHERE k.epic_id = $epicId`;

/** Counts the links of an epic to issues that match the condition of `readableIssuesSql`, up to `cap`. */
export function countEpicIssues(
  store: Store,
  epicId: number,
  visibility: { readonly viewer: number; readonly readable: string },
  cap: number,
): number {
  return countRows(store, `${LINKS} AND ${visibility.readable}`, { epicId, viewer: visibility.viewer }, cap);
}

export function listEpicIssues(
  store: Store,
  epicId: number,
  visibility: { readonly viewer: number; readonly readable: string },
  limit: number,
  offset: number,
): EpicIssueRow[] {
  return store.all<EpicIssueRow>(
    `SELECT k.id, k.issue_id ${LINKS} AND ${visibility.readable} ORDER BY k.id LIMIT $limit OFFSET $offset`,
    { epicId, viewer: visibility.viewer, limit, offset },
  );
}

/** Returns true if an issue belongs to a project of a group or its subgroups and the viewer can see it. */
export function isIssueInGroup(
  store: Store,
  issueId: number,
  groupId: number,
  visibility: { readonly viewer: number; readonly readable: string },
): boolean {
  return (
    store.get(
      `SELECT 1 FROM issues_view i JOIN projects_view p ON p.id = i.project_id
         JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id AND a.ancestor_id = $groupId
         LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
       WHERE i.id = $issueId AND ${visibility.readable}`,
      { issueId, groupId, viewer: visibility.viewer },
    ) !== undefined
  );
}

/** Adds an issue to an epic and removes it from any other epic. Returns the ID of the link. */
export function linkIssue(store: Store, epicId: number, issueId: number): number {
  store.run('DELETE FROM epic_issues WHERE issue_id = $issueId', { issueId });
  return store.run('INSERT INTO epic_issues (epic_id, issue_id) VALUES ($epicId, $issueId)', { epicId, issueId }).lastId;
}

export function linkById(store: Store, epicId: number, id: number): EpicIssueRow | undefined {
  return store.get<EpicIssueRow>('SELECT id, issue_id FROM epic_issues WHERE id = $id AND epic_id = $epicId', { id, epicId });
}

export function unlinkIssue(store: Store, id: number): void {
  store.run('DELETE FROM epic_issues WHERE id = $id', { id });
}

/** Makes another user the author of the epics of a user. */
export function handOverEpics(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE epics SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
}

export function deleteEpicsOf(store: Store, authorId: number): void {
  store.run('DELETE FROM epics WHERE author_id = $authorId', { authorId });
}
