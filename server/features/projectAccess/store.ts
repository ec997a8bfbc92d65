import { beginCondition, similaritySql, type SqlParams } from '../../store/sql.ts';
import type { FeatureAccess, Guarded, Visibility } from '../abilities/abilities.ts';
import type { Store } from '../../store/open.ts';
import { countRows } from '../../store/count.ts';

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
  readonly star_count: number;
  readonly forked_from_id: number | null;
  readonly import_status: string;
  readonly mr_default_target_self: 0 | 1;
  readonly repository_storage: string;
  readonly level: number;
}

/** Values of a project that only responses show. They are read separately, because most requests do not need them and reading them is slow. */
export interface ProjectDetails {
  /** 1 if the repository has a branch. */
  readonly has_branches: 0 | 1;
  /** Path of the readme on the default branch. */
  readonly readme_path: string | null;
  /** Names of the topics, one per line; null if there are none. */
  readonly topics: string | null;
  readonly forks_count: number;
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
  n.owner_id AS namespace_owner_id, coalesce(m.access_level, 0) AS level, p.star_count, p.forked_from_id, p.import_status,
  p.mr_default_target_self, p.repository_storage`;

const DETAILS = `EXISTS (SELECT 1 FROM repository_refs_view r WHERE r.project_id = p.id AND r.kind = 'branch') AS has_branches,
  (SELECT r.readme_path FROM repositories_view r WHERE r.project_id = p.id) AS readme_path, (SELECT group_concat(name, char(10)) FROM (
    SELECT t.name FROM project_topics_view pt JOIN topics_view t ON t.id = pt.topic_id WHERE pt.project_id = p.id ORDER BY pt.position)) AS topics,
  (SELECT count(*) FROM projects_view f WHERE f.forked_from_id = p.id) AS forks_count`;

const PROJECTS = `FROM projects_view p
  JOIN namespaces_view n ON n.id = p.namespace_id
  LEFT JOIN project_access m ON m.project_id = p.id AND m.user_id = $viewer`;

/** Returns true if a project has the ID, visible or not. */
export function isProject(store: Store, id: number): boolean {
  return store.get('SELECT 1 FROM projects_view WHERE id = $id', { id }) !== undefined;
}

// They are needed for nearly every request, so their text is made once.
const ONE = `SELECT ${COLUMNS} ${PROJECTS} WHERE`;
const BY_ID = `${ONE} p.id = $id`;
const BY_PATH = `${ONE} p.full_path = $path`;

/** `viewer` is a user id, 0 for anonymous callers. */
export function projectById(store: Store, id: number, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(BY_ID, { id, viewer });
}

export function projectByPath(store: Store, path: string, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(BY_PATH, { path, viewer });
}

export function projectByFormerPath(store: Store, path: string, viewer: number): ProjectRow | undefined {
  return store.get<ProjectRow>(`${ONE} p.id = (SELECT project_id FROM project_redirects_view WHERE full_path = $path)`, {
    path,
    viewer,
  });
}

export function projectsByIds(store: Store, ids: readonly number[], viewer: number): ProjectRow[] {
  return store.all<ProjectRow>(`${ONE} p.id IN (SELECT value FROM json_each($ids))`, { ids: JSON.stringify(ids), viewer });
}

/** Returns what decides who may do what in projects. */
export function guardedProjects(
  store: Store,
  ids: readonly number[],
  viewer: number,
): (Guarded & Pick<ProjectRow, 'id' | 'level'>)[] {
  return store.all(
    `SELECT p.id, p.visibility, p.issues_access, p.archived, coalesce(m.access_level, 0) AS level FROM projects_view p
     LEFT JOIN project_access m ON m.project_id = p.id AND m.user_id = $viewer WHERE p.id IN (SELECT value FROM json_each($ids))`,
    { ids: JSON.stringify(ids), viewer },
  );
}

const DETAILS_BY_ID = `SELECT ${DETAILS} FROM projects_view p WHERE p.id = $id`;

export function detailsOfProject(store: Store, id: number): ProjectDetails | undefined {
  return store.get<ProjectDetails>(DETAILS_BY_ID, { id });
}

/** Returns the details of projects by id. */
export function projectDetails(store: Store, ids: readonly number[]): ReadonlyMap<number, ProjectDetails> {
  const rows = store.all<ProjectDetails & { readonly id: number }>(
    `SELECT p.id, ${DETAILS} FROM projects_view p WHERE p.id IN (SELECT value FROM json_each($ids))`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map((row) => [row.id, row]));
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
    const known = `SELECT count(*) FROM project_topics_view pt JOIN topics_view t ON t.id = pt.topic_id
      WHERE pt.project_id = p.id AND t.name IN (SELECT value FROM json_each($topics))`;
    add('topics', `(${known}) = (SELECT count(DISTINCT value) FROM json_each($topics))`, JSON.stringify(topics));
  }
  const withTopic = 'p.id IN (SELECT project_id FROM project_topics_view WHERE topic_id = $topicId)';
  add('topicId', withTopic, filter.topicId);
  add('storage', 'p.repository_storage = $storage', filter.storage);
  const starred = 'p.id IN (SELECT project_id FROM project_stars_view WHERE user_id = $starredBy)';
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
  return countRows(store, `${PROJECTS} WHERE ${where}`, params, cap);
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
): (ProjectRow & ProjectDetails)[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  const order = column === undefined ? `p.id ${page.sort}` : `${column} ${page.sort}, p.id ${page.sort}`;
  return store.all(`SELECT ${COLUMNS}, ${DETAILS} ${PROJECTS} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    ...(page.order === 'similarity' ? { similarTo: (filter.search ?? '').toLowerCase() } : {}),
    limit: page.limit,
    offset: page.offset,
  });
}
