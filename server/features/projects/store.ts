import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { FeatureAccess, Visibility } from './abilities.ts';
import { beginCondition, similaritySql, type SqlParams } from '../../store/sql.ts';
import { namespaceLevelSql } from './memberStore.ts';

/** A project with its namespace, and the viewer's highest access level in it or an ancestor group (0 without a membership). */
export interface ProjectRow {
  readonly id: number;
  readonly namespace_id: number;
  readonly creator_id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  readonly default_branch: string;
  readonly archived: 0 | 1;
  readonly issues_access: FeatureAccess;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_activity_at: number;
  readonly namespace_kind: 'user' | 'group';
  readonly namespace_name: string;
  /** Display names of all groups, outermost first. */
  readonly namespace_full_name: string;
  readonly namespace_path: string;
  readonly namespace_full_path: string;
  readonly namespace_parent_id: number | null;
  readonly namespace_owner_id: number | null;
  readonly namespace_visibility: Visibility;
  /** 1 if the repository has a branch. */
  readonly has_branches: 0 | 1;
  /** Path of the readme on the default branch. */
  readonly readme_path: string | null;
  /** Names of the topics, one per line; null if there are none. */
  readonly topics: string | null;
  readonly star_count: number;
  readonly forks_count: number;
  readonly forked_from_id: number | null;
  readonly import_status: string;
  readonly mr_default_target_self: 0 | 1;
  readonly repository_storage: string;
  readonly level: number;
}

export interface NamespaceRow {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly owner_id: number | null;
  readonly visibility: Visibility;
  readonly project_creation_level: 'noone' | 'maintainer' | 'developer';
  /** Viewer's highest access level in the project or an ancestor group; 0 without a membership. */
  readonly level: number;
}

/** Returns the SQL of the names of a namespace and its ancestors, outermost first. `namespace` is the alias of its row. */
export function namespaceFullNameSql(namespace: string): string {
  return `CASE WHEN ${namespace}.parent_id IS NULL THEN ${namespace}.name ELSE (
    SELECT group_concat(name, ' / ') FROM (
      SELECT around.name FROM namespace_ancestors_view a JOIN namespaces_view around ON around.id = a.ancestor_id
      WHERE a.namespace_id = ${namespace}.id ORDER BY length(around.full_path))) END`;
}

const COLUMNS = `p.id, p.namespace_id, p.creator_id, p.name, p.path, p.full_path, p.description, p.visibility, p.default_branch,
  p.archived, p.issues_access, p.created_at, p.updated_at, p.last_activity_at, n.kind AS namespace_kind, n.name AS namespace_name,
  ${namespaceFullNameSql('n')} AS namespace_full_name, n.visibility AS namespace_visibility,
  n.path AS namespace_path, n.full_path AS namespace_full_path, n.parent_id AS namespace_parent_id,
  n.owner_id AS namespace_owner_id, coalesce(m.access_level, 0) AS level,
  EXISTS (SELECT 1 FROM repository_refs_view r WHERE r.project_id = p.id AND r.kind = 'branch') AS has_branches,
  (SELECT r.readme_path FROM repositories_view r WHERE r.project_id = p.id) AS readme_path, p.star_count, p.forked_from_id, p.import_status,
  p.mr_default_target_self, p.repository_storage, (SELECT group_concat(name, char(10)) FROM (
    SELECT t.name FROM project_topics pt JOIN topics t ON t.id = pt.topic_id WHERE pt.project_id = p.id ORDER BY pt.position)) AS topics,
  (SELECT count(*) FROM projects f WHERE f.forked_from_id = p.id) AS forks_count`;
const FROM = `FROM projects p
  JOIN namespaces_view n ON n.id = p.namespace_id
  LEFT JOIN project_access m ON m.project_id = p.id AND m.user_id = $viewer`;

/** Returns true if a project has the ID, visible or not. */
export function isProject(store: Store, id: number): boolean {
  return store.get('SELECT 1 FROM projects WHERE id = $id', { id }) !== undefined;
}

/** `viewer` is a user id, 0 for anonymous callers. */
export function projectById(store: Store, id: number, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(`SELECT ${COLUMNS} ${FROM} WHERE p.id = $id`, { id, viewer });
}

export function projectByPath(store: Store, path: string, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(`SELECT ${COLUMNS} ${FROM} WHERE p.full_path = $path`, { path, viewer });
}

export function projectByFormerPath(store: Store, path: string, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE p.id = (SELECT project_id FROM project_redirects WHERE full_path = $path)`,
    { path, viewer },
  );
}

export function projectsByIds(store: Store, ids: readonly number[], viewer: number): ProjectRow[] {
  return store.all<ProjectRow>(`SELECT ${COLUMNS} ${FROM} WHERE p.id IN (SELECT value FROM json_each($ids))`, {
    ids: JSON.stringify(ids),
    viewer,
  });
}

export function projectIdsOfMember(store: Store, userId: number): number[] {
  return store
    .all<{ project_id: number }>('SELECT project_id FROM project_access WHERE user_id = $userId', { userId })
    .map((row) => row.project_id);
}

export type ProjectOrder =
  | 'id'
  | 'name'
  | 'path'
  | 'created_at'
  | 'updated_at'
  | 'last_activity_at'
  | 'star_count'
  | 'repository_size'
  /** Relevance of name and path for the search text. */
  | 'similarity';

export interface ProjectFilter {
  readonly viewer: number;
  /** Condition of `visibleProjectsSql`. */
  readonly visible: string;
  readonly namespaceOwner?: number | undefined;
  /** Limits the list to projects of this group; `withSubgroups` includes subgroups at any depth. */
  readonly groupId?: number | undefined;
  readonly withSubgroups?: boolean | undefined;
  /** Includes projects of ancestor groups. */
  readonly withAncestors?: boolean | undefined;
  /** Limits the list to projects that have all of these topics. */
  readonly topics?: readonly string[] | undefined;
  readonly topicId?: number | undefined;
  readonly storage?: string | undefined;
  /** Limits the list to projects that this user starred. */
  readonly starredBy?: number | undefined;
  /** Limits the list to forks of this project. */
  readonly forkedFrom?: number | undefined;
  readonly archived?: boolean | undefined;
  readonly visibility?: Visibility | undefined;
  readonly search?: string | undefined;
  readonly searchNamespaces?: boolean | undefined;
  readonly minLevel?: number | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly withIssues?: boolean | undefined;
  readonly idAfter?: number | undefined;
  readonly idBefore?: number | undefined;
  readonly lastActivityAfter?: number | undefined;
  readonly lastActivityBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

function conditions(filter: ProjectFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ viewer: filter.viewer });
  also(filter.visible);
  add('namespaceOwner', "n.owner_id = $namespaceOwner AND n.kind = 'user'", filter.namespaceOwner);
  const inGroup = [
    'p.namespace_id = $groupId',
    'p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)',
    'p.namespace_id IN (SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id = $groupId)',
  ].filter((_, index) => [true, filter.withSubgroups, filter.withAncestors][index] === true);
  add('groupId', `(${inGroup.join(' OR ')})`, filter.groupId);
  const topics = filter.topics?.map((topic) => topic.toLowerCase());
  if (topics !== undefined && topics.length > 0) {
    const known = `SELECT count(*) FROM project_topics pt JOIN topics t ON t.id = pt.topic_id
      WHERE pt.project_id = p.id AND t.name IN (SELECT value FROM json_each($topics))`;
    add('topics', `(${known}) = (SELECT count(DISTINCT value) FROM json_each($topics))`, JSON.stringify(topics));
  }
  const withTopic = 'p.id IN (SELECT project_id FROM project_topics WHERE topic_id = $topicId)';
  add('topicId', withTopic, filter.topicId);
  add('storage', 'p.repository_storage = $storage', filter.storage);
  const starred = 'p.id IN (SELECT project_id FROM project_stars WHERE user_id = $starredBy)';
  add('starredBy', starred, filter.starredBy);
  add('forkedFrom', 'p.forked_from_id = $forkedFrom', filter.forkedFrom);
  add('archived', 'p.archived = $archived', filter.archived === undefined ? undefined : Number(filter.archived));
  add('visibility', 'p.visibility = $visibility', filter.visibility);
  const searched = filter.searchNamespaces === true ? ['p.name', 'p.full_path', 'n.name'] : ['p.name', 'p.path'];
  addSearch('search', searched, filter.search);
  add('ids', 'p.id IN (SELECT value FROM json_each($ids))', filter.ids === undefined ? undefined : JSON.stringify(filter.ids));
  add('minLevel', 'm.access_level >= $minLevel', filter.minLevel);
  if (filter.withIssues === true) also("p.issues_access <> 'disabled'");
  add('idAfter', 'p.id > $idAfter', filter.idAfter);
  add('idBefore', 'p.id < $idBefore', filter.idBefore);
  add('lastActivityAfter', 'p.last_activity_at > $lastActivityAfter', filter.lastActivityAfter);
  add('lastActivityBefore', 'p.last_activity_at < $lastActivityBefore', filter.lastActivityBefore);
  add('updatedAfter', 'p.updated_at > $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'p.updated_at < $updatedBefore', filter.updatedBefore);
  return whole();
}

export function countProjects(store: Store, filter: ProjectFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

/** Sorting by creation time uses the id; every other order uses the id to break ties (docs/interface.md#pagination). */
const orderColumns: Readonly<Record<ProjectOrder, string | undefined>> = {
  id: undefined,
  created_at: undefined,
  star_count: 'p.star_count',
  repository_size: 'coalesce((SELECT r.size FROM repositories_view r WHERE r.project_id = p.id), 0)',
  name: 'p.name',
  path: 'p.path',
  updated_at: 'p.updated_at',
  last_activity_at: 'p.last_activity_at',
  similarity: similaritySql('p.name', 'p.path'),
};

export function listProjects(
  store: Store,
  filter: ProjectFilter,
  page: { readonly order: ProjectOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): ProjectRow[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  const order = column === undefined ? `p.id ${page.sort}` : `${column} ${page.sort}, p.id ${page.sort}`;
  return store.all<ProjectRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    ...(page.order === 'similarity' ? { similarTo: (filter.search ?? '').toLowerCase() } : {}),
    limit: page.limit,
    offset: page.offset,
  });
}

/** Replaces the topics of a project, in this order. */
export function writeTopics(store: Store, projectId: number, names: readonly string[]): void {
  const topics = JSON.stringify(names);
  store.run(
    `DELETE FROM project_topics WHERE project_id = $projectId
       AND topic_id NOT IN (SELECT t.id FROM topics t WHERE t.name IN (SELECT value FROM json_each($topics)))`,
    { projectId, topics },
  );
  store.run('INSERT INTO topics (name) SELECT value FROM json_each($topics) WHERE true ON CONFLICT DO NOTHING', { topics });
  store.run(
    `INSERT INTO project_topics (project_id, topic_id, position)
     SELECT $projectId, t.id, j.key FROM json_each($topics) j JOIN topics t ON t.name = j.value WHERE true
     ON CONFLICT DO UPDATE SET position = excluded.position`,
    { projectId, topics },
  );
}

/** Kinds of objects that are numbered in their project. Requirements and other work items share the numbers of issues. */
export type NumberedKind = 'issue' | 'merge_request' | 'milestone';

/**
 * Reserves the next IID of a project.
 *
 * @throws Error if the project does not exist.
 */
export function takeIid(store: Store, projectId: number, kind: NumberedKind): number {
  const row = store.get<{ readonly iid: number }>(
    `UPDATE projects SET last_${kind}_iid = last_${kind}_iid + 1 WHERE id = $projectId RETURNING last_${kind}_iid AS iid`,
    { projectId },
  );
  if (row === undefined) throw new Error(`project ${projectId} does not exist`);
  return row.iid;
}

/** Makes the next IID of a project higher than a given one. */
export function skipIssueIid(store: Store, projectId: number, iid: number): void {
  store.run('UPDATE projects SET last_issue_iid = max(last_issue_iid, $iid) WHERE id = $projectId', { projectId, iid });
}

/** Stores the storage of a project's repository. */
export function writeProjectStorage(store: Store, projectId: number, storage: string): void {
  store.run('UPDATE projects SET repository_storage = $storage WHERE id = $projectId', { storage, projectId });
}

/** Allows or refuses writes to a project's repository. */
export function writeProjectReadOnly(store: Store, projectId: number, readOnly: boolean): void {
  store.run('UPDATE projects SET repository_read_only = $readOnly WHERE id = $projectId', {
    projectId,
    readOnly: readOnly ? 1 : 0,
  });
}

/** Records that a project changed now. */
export function touchProject(store: Store, projectId: number, now: number): void {
  store.run('UPDATE projects SET updated_at = $now WHERE id = $projectId', { projectId, now });
}

/** Returns the number of open issues by project, with confidential ones only for projects in `withConfidential`. */
export function openIssueCounts(
  store: Store,
  ids: readonly number[],
  withConfidential: readonly number[],
): ReadonlyMap<number, number> {
  const rows = store.all<{ project_id: number; n: number }>(
    `SELECT project_id, count(*) AS n FROM open_issues_view
     WHERE project_id IN (SELECT value FROM json_each($ids))
       AND (confidential = 0 OR project_id IN (SELECT value FROM json_each($withConfidential)))
     GROUP BY project_id`,
    { ids: JSON.stringify(ids), withConfidential: JSON.stringify(withConfidential) },
  );
  return new Map(rows.map((row) => [row.project_id, row.n]));
}

export function namespaceById(store: Store, id: number, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(
    `SELECT id, kind, name, path, full_path, owner_id, visibility, project_creation_level,
       ${namespaceLevelSql('n.id')} AS level
     FROM namespaces_view n WHERE id = $id`,
    { id, viewer },
  );
}

/** Returns true if another project of the namespace has this name or path, or a group has this full path. */
export function isTaken(
  store: Store,
  input: { readonly namespaceId: number; readonly name: string; readonly path: string; readonly fullPath: string },
  exceptId: number,
): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects WHERE namespace_id = $namespaceId AND id <> $exceptId AND (path = $path OR name = $name COLLATE NOCASE)
       UNION ALL SELECT 1 FROM namespaces_view WHERE full_path = $fullPath`,
      { ...input, exceptId },
    ) !== undefined
  );
}

export interface NewProjectRow {
  readonly namespaceId: number;
  readonly creatorId: number;
  readonly name: string;
  readonly path: string;
  readonly fullPath: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  readonly defaultBranch: string;
  readonly issuesAccess: FeatureAccess;
  readonly forkedFromId: number | null;
  readonly importStatus: string;
  readonly mrDefaultTargetSelf: 0 | 1;
  readonly storage: string;
  readonly now: number;
}

export function insertProject(store: Store, project: NewProjectRow): number {
  return store.run(
    `INSERT INTO projects (namespace_id, creator_id, name, path, full_path, description, visibility, default_branch, issues_access,
       forked_from_id, import_status, mr_default_target_self, repository_storage, created_at, updated_at, last_activity_at)
     VALUES ($namespaceId, $creatorId, $name, $path, $fullPath, $description, $visibility, $defaultBranch, $issuesAccess,
       $forkedFromId, $importStatus, $mrDefaultTargetSelf, $storage, $now, $now, $now)`,
    { ...project },
  ).lastId;
}

export type ProjectValues = Pick<
  ProjectRow,
  'name' | 'path' | 'full_path' | 'description' | 'visibility' | 'default_branch' | 'archived' | 'issues_access'
>;

export function writeProject(store: Store, id: number, values: ProjectValues, now: number): void {
  const { name, path, full_path, description, visibility, default_branch, archived, issues_access } = values;
  store.run(
    `UPDATE projects SET name = $name, path = $path, full_path = $full_path, description = $description, visibility = $visibility,
       default_branch = $default_branch, archived = $archived, issues_access = $issues_access, updated_at = $now
     WHERE id = $id`,
    { id, now, name, path, full_path, description, visibility, default_branch, archived, issues_access },
  );
}

export function writeNamespace(
  store: Store,
  id: number,
  repository: { readonly namespaceId: number; readonly fullPath: string; readonly visibility: Visibility },
  now: number,
): void {
  store.run(
    `UPDATE projects SET namespace_id = $namespaceId, full_path = $fullPath, visibility = $visibility, updated_at = $now
     WHERE id = $id`,
    { ...repository, id, now },
  );
}

export function writeDefaultBranch(store: Store, id: number, branch: string): void {
  store.run('UPDATE projects SET default_branch = $branch WHERE id = $id', { id, branch });
}

/** Sets the fork source of a project; null removes it. */
export function writeSource(store: Store, id: number, sourceId: number | null): void {
  store.run('UPDATE projects SET forked_from_id = $sourceId WHERE id = $id', { id, sourceId });
}

/** Returns true if a project is `sourceId` or was forked from it, directly or indirectly. */
export function stemsFrom(store: Store, id: number, sourceId: number): boolean {
  return (
    store.get(
      `WITH RECURSIVE sources (id) AS (
         SELECT $id UNION SELECT p.forked_from_id FROM sources s JOIN projects p ON p.id = s.id WHERE p.forked_from_id IS NOT NULL)
       SELECT 1 FROM sources WHERE id = $sourceId`,
      { id, sourceId },
    ) !== undefined
  );
}

/** Returns true if two projects have a common fork ancestor. */
export function haveOneOrigin(store: Store, id: number, otherId: number): boolean {
  const sources = (name: string, start: string): string =>
    `${name} (id) AS (SELECT ${start} UNION
       SELECT p.forked_from_id FROM ${name} s JOIN projects p ON p.id = s.id WHERE p.forked_from_id IS NOT NULL)`;
  return (
    store.get(
      `WITH RECURSIVE ${sources('ours', '$id')}, ${sources('theirs', '$otherId')} SELECT 1 FROM ours JOIN theirs USING (id) LIMIT 1`,
      { id, otherId },
    ) !== undefined
  );
}

export function insertRedirect(store: Store, formerPath: string, projectId: number): void {
  store.run(
    `INSERT INTO project_redirects (full_path, project_id) VALUES ($formerPath, $projectId)
     ON CONFLICT DO UPDATE SET project_id = $projectId`,
    { formerPath, projectId },
  );
}

/** Deletes the redirect from a path that is in use again. */
export function deleteRedirect(store: Store, path: string): void {
  store.run('DELETE FROM project_redirects WHERE full_path = $path', { path });
}

export function deleteProjectRow(store: Store, id: number): void {
  store.run('DELETE FROM projects WHERE id = $id', { id });
}

/** Updates the time of last activity, unless it is closer to `now` than `resolution`. */
export function markProjectActivity(store: Store, id: number, now: number, resolution: number): void {
  store.run('UPDATE projects SET last_activity_at = $now WHERE id = $id AND abs($now - last_activity_at) >= $resolution', {
    id,
    now,
    resolution,
  });
}

/**
 * Updates the paths of the projects below a group, at any depth, after a change of their namespaces' paths, and adds redirects
 * from the old paths.
 */
export function followNamespacePaths(
  store: Store,
  groupId: number,
): readonly { readonly id: number; readonly former_path: string }[] {
  const inside = 'namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)';
  const params = { groupId };
  const moved = store.all<{ id: number; former_path: string }>(
    `SELECT id, full_path AS former_path FROM projects WHERE ${inside} ORDER BY id`,
    params,
  );
  store.run(
    `INSERT INTO project_redirects (full_path, project_id) SELECT full_path, id FROM projects WHERE ${inside}
     ON CONFLICT DO UPDATE SET project_id = excluded.project_id`,
    params,
  );
  store.run(
    `UPDATE projects SET full_path = (SELECT n.full_path FROM namespaces_view n WHERE n.id = projects.namespace_id) || '/' || path
     WHERE ${inside}`,
    params,
  );
  store.run(`DELETE FROM project_redirects WHERE full_path IN (SELECT full_path FROM projects WHERE ${inside})`, params);
  return moved;
}

/** Deletes the projects below a group, at any depth, and returns them. */
export function removeProjectsOfGroup(
  store: Store,
  groupId: number,
): readonly { readonly id: number; readonly name: string; readonly fullPath: string; readonly namespace_id: number }[] {
  return store.all(
    `DELETE FROM projects WHERE namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)
     RETURNING id, name, full_path AS fullPath, namespace_id`,
    { groupId },
  );
}

/** Changes the visibility of the projects below a group, at any depth, that have one of the given visibilities. */
export function writeVisibilityBelow(store: Store, groupId: number, of: readonly Visibility[], visibility: Visibility): void {
  store.run(
    `UPDATE projects SET visibility = $visibility WHERE visibility IN (SELECT value FROM json_each($of))
       AND namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)`,
    { groupId, of: JSON.stringify(of), visibility },
  );
}

/** Returns true if there is a project with one of these visibilities below a group, at any depth. */
export function hasProjectOf(store: Store, groupId: number, of: readonly Visibility[]): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects WHERE visibility IN (SELECT value FROM json_each($of))
         AND namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId) LIMIT 1`,
      { groupId, of: JSON.stringify(of) },
    ) !== undefined
  );
}

/** Makes another user the creator of the projects that a user created in groups. */
export function handOverProjects(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE projects SET creator_id = $toUserId WHERE creator_id = $fromUserId', { fromUserId, toUserId });
}
