import { takeGroupIid } from '../groups/groups.ts';
import { takeIid as takeProjectIid } from '../projects/projects.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, likePattern, likeSql, type SqlParams } from '../../store/sql.ts';

export interface MilestoneRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'active' | 'closed';
  /** `YYYY-MM-DD` */
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Full path of the project or group. */
  readonly container_path: string;
}

export interface MilestoneContainer {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

const COLUMNS = `m.id, m.project_id, m.group_id, m.iid, m.title, m.description, m.state, m.start_date, m.due_date, m.created_at,
  m.updated_at, coalesce(o.full_path, g.full_path) AS container_path`;
const FROM = `FROM milestones m LEFT JOIN projects_view o ON o.id = m.project_id LEFT JOIN namespaces_view g ON g.id = m.group_id`;

export interface MilestoneFilter {
  readonly container: MilestoneContainer;
  readonly withAncestors: boolean;
  /** SQL conditions on subgroups `g`, and on projects `p` with the membership `m`. If omitted, their milestones are not listed. */
  readonly inside?: { readonly groups: string; readonly projects: string } | undefined;
  /** ID of the user, or 0 if nobody is signed in. */
  readonly viewer?: number;
  readonly id?: number | undefined;
  readonly iids?: readonly number[] | undefined;
  readonly state?: 'active' | 'closed' | undefined;
  readonly title?: string | undefined;
  readonly search?: string | undefined;
  /** Words that must all occur in the title. */
  readonly titleWords?: readonly string[] | undefined;
  readonly updatedBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  /** Start of a time span that the milestone must overlap, `YYYY-MM-DD`. */
  readonly from?: string | undefined;
  /** End of the time span, `YYYY-MM-DD`. */
  readonly until?: string | undefined;
  /** Day between start and due date; both must be set. */
  readonly containing?: string | undefined;
}

function containerSql(filter: MilestoneFilter): string {
  const ancestors = 'SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id =';
  if (filter.container.kind === 'project') {
    const own = 'm.project_id = $container';
    if (!filter.withAncestors) return own;
    return `(${own} OR m.group_id IN (${ancestors} (SELECT namespace_id FROM projects_view WHERE id = $container)))`;
  }
  const parts = [filter.withAncestors ? `m.group_id IN (${ancestors} $container)` : 'm.group_id = $container'];
  if (filter.inside !== undefined) {
    const descendants = 'SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $container';
    parts.push(
      `m.group_id IN (SELECT g.id FROM namespaces_view g WHERE g.id IN (${descendants}) AND ${filter.inside.groups})`,
      `m.project_id IN (
        SELECT p.id FROM projects_view p LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
        WHERE p.namespace_id IN (${descendants}) AND ${filter.inside.projects})`,
    );
  }
  return `(${parts.join(' OR ')})`;
}

function conditions(filter: MilestoneFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ container: filter.container.id, viewer: filter.viewer ?? 0 });
  also(containerSql(filter));
  add('id', 'm.id = $id', filter.id);
  add(
    'iids',
    'm.iid IN (SELECT value FROM json_each($iids))',
    filter.iids === undefined ? undefined : JSON.stringify(filter.iids),
  );
  add('state', 'm.state = $state', filter.state);
  add('title', 'm.title = $title', filter.title);
  addSearch('search', ['m.title', 'm.description'], filter.search);
  if (filter.titleWords !== undefined) {
    add(
      'titleWords',
      `NOT EXISTS (SELECT 1 FROM json_each($titleWords) word WHERE NOT ${likeSql(['m.title'], 'word.value')})`,
      JSON.stringify(filter.titleWords.map((word) => likePattern(word))),
    );
  }
  add('updatedBefore', 'm.updated_at < $updatedBefore', filter.updatedBefore);
  add('updatedAfter', 'm.updated_at > $updatedAfter', filter.updatedAfter);
  add('from', '(m.due_date IS NULL OR m.due_date >= $from)', filter.from);
  add('until', '(m.start_date IS NULL OR m.start_date <= $until)', filter.until);
  if (filter.from !== undefined) also('(m.start_date IS NOT NULL OR m.due_date IS NOT NULL)');
  add('containing', 'm.start_date <= $containing AND m.due_date >= $containing', filter.containing);
  return whole();
}

export function countMilestones(store: Store, filter: MilestoneFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM milestones m WHERE ${where}`, params, cap);
}

/** Returns a page of milestones by due date. Milestones without a due date are last. */
export function listMilestones(store: Store, filter: MilestoneFilter, limit: number, offset: number): MilestoneRow[] {
  const { where, params } = conditions(filter);
  return store.all<MilestoneRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY m.due_date IS NULL, m.due_date, m.title, m.id LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

export interface MilestoneSearch {
  readonly search: string;
  /** ID of the user. */
  readonly viewer: number;
  /** SQL condition on the projects `p` with the membership `m`. */
  readonly readable: string;
  readonly projectId?: number | undefined;
  /** Limits the search to the projects of this group and its subgroups. */
  readonly groupId?: number | undefined;
  readonly withoutArchived: boolean;
}

function searchConditions(filter: MilestoneSearch): { where: string; params: SqlParams } {
  const projects = beginCondition({ viewer: filter.viewer });
  projects.also(filter.readable);
  projects.add('projectId', 'p.id = $projectId', filter.projectId);
  projects.add(
    'groupId',
    'p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)',
    filter.groupId,
  );
  if (filter.withoutArchived) projects.also('p.archived = 0');
  const { where, params } = projects.whole();
  const inside = `m.project_id IN (SELECT p.id FROM projects_view p
    LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer WHERE ${where})`;
  return {
    where: `${likeSql(['m.title', 'm.description'], '$search')} AND ${inside}`,
    params: { ...params, search: likePattern(filter.search) },
  };
}

export function countFoundMilestones(store: Store, filter: MilestoneSearch, cap: number): number {
  const { where, params } = searchConditions(filter);
  return countRows(store, `FROM milestones m WHERE ${where}`, params, cap);
}

/** Returns milestones of projects by the time of their creation. */
export function findMilestones(
  store: Store,
  filter: MilestoneSearch,
  { sort, limit, offset }: { readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): MilestoneRow[] {
  const { where, params } = searchConditions(filter);
  return store.all<MilestoneRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY m.created_at ${sort}, m.id ${sort} LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

export function milestonesByIds(store: Store, ids: readonly number[]): MilestoneRow[] {
  return store.all<MilestoneRow>(`SELECT ${COLUMNS} ${FROM} WHERE m.id IN (SELECT value FROM json_each($ids))`, {
    ids: JSON.stringify(ids),
  });
}

/** Returns true if the project or group, one of its ancestors or one of its descendants has another milestone with this title. */
export function isTitleTaken(store: Store, container: MilestoneContainer, title: string, exceptId: number): boolean {
  const related =
    container.kind === 'project'
      ? `m.project_id = $container OR m.group_id IN (
           SELECT a.ancestor_id FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id WHERE p.id = $container)`
      : `m.group_id IN (SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id = $container)
         OR m.group_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $container)
         OR m.project_id IN (SELECT p.id FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
           WHERE a.ancestor_id = $container)`;
  const sql = `SELECT 1 FROM milestones m WHERE m.title = $title AND m.id <> $exceptId AND (${related}) LIMIT 1`;
  return store.get(sql, { container: container.id, title, exceptId }) !== undefined;
}

/** Reserves the next IID of a project's or group's milestones. */
export function takeIid(store: Store, { kind, id }: MilestoneContainer): number {
  return kind === 'project' ? takeProjectIid(store, id, 'milestone') : takeGroupIid(store, id, 'milestone');
}

export type MilestoneValues = Pick<MilestoneRow, 'title' | 'description' | 'state' | 'start_date' | 'due_date'>;

export function insertMilestone(
  store: Store,
  container: MilestoneContainer,
  iid: number,
  values: MilestoneValues,
  now: number,
): number {
  return store.run(
    `INSERT INTO milestones (project_id, group_id, iid, title, description, state, start_date, due_date, created_at, updated_at)
     VALUES ($projectId, $groupId, $iid, $title, $description, $state, $start_date, $due_date, $now, $now)`,
    {
      ...values,
      projectId: container.kind === 'project' ? container.id : null,
      groupId: container.kind === 'group' ? container.id : null,
      iid,
      now,
    },
  ).lastId;
}

export function writeMilestone(store: Store, id: number, values: MilestoneValues, now: number): void {
  const { title, description, state, start_date, due_date } = values;
  store.run(
    `UPDATE milestones SET title = $title, description = $description, state = $state, start_date = $start_date,
       due_date = $due_date, updated_at = $now WHERE id = $id`,
    { id, now, title, description, state, start_date, due_date },
  );
}

export function deleteMilestoneRow(store: Store, id: number): void {
  store.run('DELETE FROM milestones WHERE id = $id', { id });
}
