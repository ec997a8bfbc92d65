import { copyLabelSubscriptions } from '../subscriptions/subscriptions.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

export interface LabelRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly title: string;
  readonly description: string | null;
  readonly color: string;
  /** Priority in the project of the request; null without one and for groups. */
  readonly priority: number | null;
}

/** Types of resources that can have labels. */
export type LabelTarget = 'Issue' | 'MergeRequest' | 'Epic';

/** The project or group that labels belong to. */
export interface LabelContainer {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

export interface LabelFilter {
  readonly container: LabelContainer;
  /** Includes the labels of ancestor groups. */
  readonly withAncestors: boolean;
  /** SQL conditions on the descendants of a group: groups `g`, and projects `p` with membership `m`; undefined excludes them. */
  readonly groupsInside?: string | undefined;
  readonly projectsInside?: string | undefined;
  /** User ID, 0 without one. */
  readonly viewer?: number;
  readonly search?: string | undefined;
  readonly titles?: readonly string[] | undefined;
  readonly id?: number | undefined;
}

const COLUMNS = `l.id, l.project_id, l.group_id, l.title, l.description, l.color,
  (SELECT r.priority FROM label_priorities r WHERE r.label_id = l.id AND r.project_id = $project) AS priority`;

/** Returns the SQL condition for the labels `l` of a project or group. */
function containerSql(filter: LabelFilter): string {
  const parent = 'SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id =';
  const inside = 'SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $container';
  if (filter.container.kind === 'project') {
    const own = 'l.project_id = $container';
    if (!filter.withAncestors) return own;
    return `(${own} OR l.group_id IN (${parent} (SELECT namespace_id FROM projects_view WHERE id = $container)))`;
  }
  const parts = [filter.withAncestors ? `l.group_id IN (${parent} $container)` : 'l.group_id = $container'];
  const isDeep = filter.groupsInside !== undefined;
  if (isDeep)
    parts.push(`l.group_id IN (SELECT g.id FROM namespaces_view g WHERE g.id IN (${inside}) AND ${filter.groupsInside})`);
  if (filter.projectsInside !== undefined) {
    parts.push(`l.project_id IN (
      SELECT p.id FROM projects_view p LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
      WHERE ${isDeep ? `p.namespace_id IN (${inside})` : 'p.namespace_id = $container'} AND ${filter.projectsInside})`);
  }
  return `(${parts.join(' OR ')})`;
}

function conditions(filter: LabelFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ container: filter.container.id, viewer: filter.viewer ?? 0 });
  also(containerSql(filter));
  addSearch('search', ['l.title', 'l.description'], filter.search);
  const titles = filter.titles === undefined ? undefined : JSON.stringify(filter.titles);
  add('titles', 'l.title IN (SELECT value FROM json_each($titles))', titles);
  add('id', 'l.id = $id', filter.id);
  return whole();
}

export function countLabels(store: Store, filter: LabelFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM labels l WHERE ${where}`, params, cap);
}

/** Returns labels sorted by title; those of the project or group itself precede inherited ones. */
export function listLabels(store: Store, filter: LabelFilter, limit: number, offset: number): LabelRow[] {
  const { where, params } = conditions(filter);
  const own = filter.container.kind === 'project' ? 'l.project_id IS NULL' : 'l.group_id IS NULL';
  return store.all<LabelRow>(
    `SELECT ${COLUMNS} FROM labels l WHERE ${where} ORDER BY l.title, ${own}, l.id LIMIT $limit OFFSET $offset`,
    { ...params, project: filter.container.kind === 'project' ? filter.container.id : 0, limit, offset },
  );
}

export function labelById(store: Store, id: number, projectId: number): LabelRow | undefined {
  return store.get<LabelRow>(`SELECT ${COLUMNS} FROM labels l WHERE l.id = $id`, { id, project: projectId });
}

export interface LabelValues {
  readonly title: string;
  readonly description: string | null;
  readonly color: string;
}

export function insertLabel(store: Store, container: LabelContainer, values: LabelValues, now: number): number {
  return store.run(
    `INSERT INTO labels (project_id, group_id, title, description, color, created_at, updated_at)
     VALUES ($projectId, $groupId, $title, $description, $color, $now, $now)`,
    {
      ...values,
      projectId: container.kind === 'project' ? container.id : null,
      groupId: container.kind === 'group' ? container.id : null,
      now,
    },
  ).lastId;
}

export function writeLabel(store: Store, id: number, values: LabelValues, now: number): void {
  store.run('UPDATE labels SET title = $title, description = $description, color = $color, updated_at = $now WHERE id = $id', {
    ...values,
    id,
    now,
  });
}

export function deleteLabelRow(store: Store, id: number): void {
  store.run('DELETE FROM labels WHERE id = $id', { id });
}

/** Sets the priority of a label in a project; null removes it. */
export function writePriority(store: Store, projectId: number, labelId: number, priority: number | null): void {
  if (priority === null) {
    store.run('DELETE FROM label_priorities WHERE project_id = $projectId AND label_id = $labelId', { projectId, labelId });
    return;
  }
  store.run(
    `INSERT INTO label_priorities (project_id, label_id, priority) VALUES ($projectId, $labelId, $priority)
     ON CONFLICT DO UPDATE SET priority = $priority`,
    { projectId, labelId, priority },
  );
}

/** Moves the links of all project labels with this title to a group label and deletes the project labels. */
export function absorbLabels(store: Store, groupId: number, labelId: number, title: string): void {
  const params = { groupId, labelId, title };
  const absorbed = `SELECT l.id FROM labels l JOIN projects_view p ON p.id = l.project_id
    WHERE l.title = $title AND p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)`;
  store.run(
    `INSERT OR IGNORE INTO label_links (target_type, target_id, label_id)
     SELECT target_type, target_id, $labelId FROM label_links WHERE label_id IN (${absorbed})`,
    params,
  );
  store.run(
    `INSERT OR IGNORE INTO label_priorities (project_id, label_id, priority)
     SELECT project_id, $labelId, priority FROM label_priorities WHERE label_id IN (${absorbed})`,
    params,
  );
  copyLabelSubscriptions(
    store,
    store.all<{ id: number }>(absorbed, { groupId, title }).map(({ id }) => id),
    labelId,
  );
  store.run(`DELETE FROM labels WHERE id IN (${absorbed})`, { groupId, title });
}

/** Returns the number of visible issues for each label; `readable` is the SQL condition from `readableIssuesSql`. */
export function issueCounts(
  store: Store,
  ids: readonly number[],
  seen: { readonly viewer: number; readonly readable: string },
): ReadonlyMap<number, { readonly open: number; readonly closed: number }> {
  const rows = store.all<{ label_id: number; open: number; closed: number }>(
    `SELECT k.label_id, sum(i.state = 'opened') AS open, sum(i.state = 'closed') AS closed
     FROM label_links k JOIN issues_view i ON i.id = k.target_id JOIN projects_view p ON p.id = i.project_id
       LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
     WHERE k.target_type = 'Issue' AND k.label_id IN (SELECT value FROM json_each($ids)) AND ${seen.readable}
     GROUP BY k.label_id`,
    { ids: JSON.stringify(ids), viewer: seen.viewer },
  );
  return new Map(rows.map(({ label_id, open, closed }) => [label_id, { open, closed }]));
}

/** Returns the number of visible open merge requests for each label; `readable` is the SQL condition from `readableCodeSql`. */
export function mergeRequestCounts(
  store: Store,
  ids: readonly number[],
  seen: { readonly viewer: number; readonly readable: string },
): ReadonlyMap<number, number> {
  const rows = store.all<{ label_id: number; open: number }>(
    `SELECT k.label_id, count(*) AS open
     FROM label_links k JOIN merge_requests_view r ON r.id = k.target_id AND r.state = 'opened' JOIN projects_view p ON p.id = r.project_id
       LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
     WHERE k.target_type = 'MergeRequest' AND k.label_id IN (SELECT value FROM json_each($ids)) AND ${seen.readable}
     GROUP BY k.label_id`,
    { ids: JSON.stringify(ids), viewer: seen.viewer },
  );
  return new Map(rows.map(({ label_id, open }) => [label_id, open]));
}

/** Returns the labels of some resources of one type, sorted by title. */
export function linkedLabels(
  store: Store,
  type: LabelTarget,
  ids: readonly number[],
): (Omit<LabelRow, 'priority'> & { readonly target_id: number })[] {
  return store.all(
    `SELECT k.target_id, l.id, l.project_id, l.group_id, l.title, l.description, l.color
     FROM label_links k JOIN labels l ON l.id = k.label_id
     WHERE k.target_type = $type AND k.target_id IN (SELECT value FROM json_each($ids)) ORDER BY l.title, l.id`,
    { type, ids: JSON.stringify(ids) },
  );
}

export function replaceLinks(store: Store, type: LabelTarget, id: number, labelIds: readonly number[]): void {
  const params = { type, id, labelIds: JSON.stringify(labelIds) };
  store.run(
    `DELETE FROM label_links WHERE target_type = $type AND target_id = $id
       AND label_id NOT IN (SELECT value FROM json_each($labelIds))`,
    params,
  );
  store.run('INSERT OR IGNORE INTO label_links SELECT $type, $id, value FROM json_each($labelIds)', params);
}

/** Returns the IDs of the labels of a resource. */
export function linkedLabelIds(store: Store, type: string, targetId: number): number[] {
  return store
    .all<{ id: number }>('SELECT label_id AS id FROM label_links WHERE target_type = $type AND target_id = $targetId', {
      type,
      targetId,
    })
    .map(({ id }) => id);
}

/** SQL expression for the best priority of the labels of an issue `i`, null without a prioritized label. */
export const issuePrioritySql = `(SELECT min(r.priority) FROM label_links k
  JOIN label_priorities r ON r.label_id = k.label_id AND r.project_id = i.project_id
  WHERE k.target_type = 'Issue' AND k.target_id = i.id)`;
