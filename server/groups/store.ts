import { likePattern, type Visibility } from '../projects/projects.ts';
import type { Store } from '../store/open.ts';
import { beginCondition, type SqlParams } from '../store/sql.ts';

export type ProjectCreation = 'noone' | 'maintainer' | 'developer';
export type SubgroupCreation = 'owner' | 'maintainer';

/** A namespace, and what the person who looks at it is to it. */
export interface NamespaceRow {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  /** Names of all groups from the outermost on. */
  readonly full_name: string;
  readonly parent_id: number | null;
  readonly parent_visibility: Visibility | null;
  readonly owner_id: number | null;
  readonly visibility: Visibility;
  readonly description: string;
  readonly created_at: number;
  readonly project_creation_level: ProjectCreation;
  readonly subgroup_creation_level: SubgroupCreation;
  readonly disable_password_authentication: 0 | 1;
  /** Highest access level in it and in the groups around it, 0 without a membership. */
  readonly level: number;
  /** Whether a membership somewhere above or below it, or in a project below it, leads the person to it. */
  readonly is_related: 0 | 1;
}

/** Groups to which memberships of `$viewer` lead: what lies in their groups, and what lies around their groups and projects. */
const RELATED = `
  SELECT a.namespace_id FROM group_members m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id WHERE m.user_id = $viewer
  UNION
  SELECT a.ancestor_id FROM group_members m JOIN namespace_ancestors a ON a.namespace_id = m.group_id WHERE m.user_id = $viewer
  UNION
  SELECT a.ancestor_id FROM project_access m JOIN projects p ON p.id = m.project_id
    JOIN namespace_ancestors a ON a.namespace_id = p.namespace_id WHERE m.user_id = $viewer`;

// CROSS JOIN keeps SQLite from going through all memberships of the person instead of the few groups around one, for each of many groups.
const LEVEL = `coalesce((SELECT max(m.access_level) FROM namespace_ancestors a CROSS JOIN group_members m ON m.group_id = a.ancestor_id
  WHERE a.namespace_id = g.id AND m.user_id = $viewer), 0)`;

/** All that memberships lead to is only looked up where a membership in the group or around it does not tell. */
const IS_RELATED = `CASE WHEN ${LEVEL} > 0 THEN 1 ELSE g.id IN (${RELATED}) END`;

const COLUMNS = `g.id, g.kind, g.name, g.path, g.full_path, g.parent_id, around.visibility AS parent_visibility, g.owner_id, g.visibility,
  g.description, g.created_at, g.project_creation_level, g.subgroup_creation_level, g.disable_password_authentication,
  ${LEVEL} AS level, ${IS_RELATED} AS is_related,
  CASE WHEN g.parent_id IS NULL THEN g.name ELSE (
    SELECT group_concat(name, ' / ') FROM (
      SELECT n.name FROM namespace_ancestors a JOIN namespaces n ON n.id = a.ancestor_id
      WHERE a.namespace_id = g.id ORDER BY length(n.full_path))) END AS full_name`;
const FROM = 'FROM namespaces g LEFT JOIN namespaces around ON around.id = g.parent_id';

/**
 * Which groups `g` a person sees, in SQL; `$viewer` is their number or 0. The test of groups compares it with the rule in words.
 */
export function visibleGroupsSql(access: {
  readonly isSignedIn: boolean;
  readonly isExternal: boolean;
  readonly isAdministrator: boolean;
}): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return "g.visibility = 'public'";
  const open = access.isExternal ? "g.visibility = 'public'" : "g.visibility <> 'private'";
  return `(${open} OR g.id IN (${RELATED}))`;
}

/** `viewer` is a user's id, 0 for nobody. */
export function namespaceById(store: Store, id: number, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(`SELECT ${COLUMNS} ${FROM} WHERE g.id = $id`, { id, viewer });
}

export function namespaceByPath(store: Store, path: string, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(`SELECT ${COLUMNS} ${FROM} WHERE g.full_path = $path`, { path, viewer });
}

/** Former paths are kept by triggers of the schema, until something has them again. */
export function namespaceByFormerPath(store: Store, path: string, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE g.id = (SELECT namespace_id FROM namespace_redirects WHERE full_path = $path)`,
    { path, viewer },
  );
}

/** `similarity`: how well name or path fit what is searched for. */
export type GroupOrder = 'name' | 'path' | 'id' | 'similarity';

export interface NamespaceFilter {
  readonly viewer: number;
  /** SQL conditions on `g` beside the ones below. */
  readonly where: readonly string[];
  readonly search?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly minLevel?: number | undefined;
  readonly without?: readonly number[] | undefined;
  /** Neither this group nor one in it. */
  readonly outsideOf?: number | undefined;
  /** This one and those around it. */
  readonly parent?: number | undefined;
  readonly parentId?: number | undefined;
  /** Groups in this one, at any depth. */
  readonly ancestorId?: number | undefined;
}

function conditions(filter: NamespaceFilter): { where: string; params: SqlParams } {
  const { add, also, whole } = beginCondition({ viewer: filter.viewer });
  for (const condition of filter.where) also(condition);
  const pattern = filter.search === undefined || filter.search === '' ? undefined : likePattern(filter.search);
  add('search', "(g.name LIKE $search ESCAPE '!' OR g.path LIKE $search ESCAPE '!')", pattern);
  add('visibility', 'g.visibility = $visibility', filter.visibility);
  add('minLevel', `${LEVEL} >= $minLevel`, filter.minLevel);
  const without = filter.without === undefined ? undefined : JSON.stringify(filter.without);
  add('without', 'g.id NOT IN (SELECT value FROM json_each($without))', without);
  const outside = 'g.id NOT IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $outsideOf)';
  add('outsideOf', outside, filter.outsideOf);
  const parent = 'g.id IN (SELECT ancestor_id FROM namespace_ancestors WHERE namespace_id = $around)';
  add('around', parent, filter.parent);
  add('parentId', 'g.parent_id = $parentId', filter.parentId);
  const inside = 'g.id <> $ancestorId AND g.id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $ancestorId)';
  add('ancestorId', inside, filter.ancestorId);
  return whole();
}

export function countNamespaces(store: Store, filter: NamespaceFilter, cap: number): number {
  const { where, params } = conditions(filter);
  const sql = `SELECT count(*) AS n FROM (SELECT 1 ${FROM} WHERE ${where} LIMIT $cap)`;
  return store.get<{ n: number }>(sql, { ...params, cap })?.n ?? 0;
}

/** Every order has the id behind it. */
const orderColumns: Readonly<Record<GroupOrder, string | undefined>> = {
  id: undefined,
  name: 'g.name',
  path: 'g.path',
  similarity: `(CASE WHEN $similarTo IN (lower(g.name), lower(g.path)) THEN 3
    WHEN instr(lower(g.name), $similarTo) = 1 OR instr(lower(g.path), $similarTo) = 1 THEN 2 ELSE 1 END)`,
};

export function listNamespaces(
  store: Store,
  filter: NamespaceFilter,
  page: {
    readonly order: GroupOrder;
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly offset?: number;
    /** Last row of the page before, of a list in ascending order of names. */
    readonly after?: { readonly name: string; readonly id: number } | undefined;
  },
): NamespaceRow[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  const order = column === undefined ? `g.id ${page.sort}` : `${column} ${page.sort}, g.id ${page.sort}`;
  const beyond = page.after === undefined ? '' : 'AND (g.name, g.id) > ($afterName, $afterId)';
  return store.all<NamespaceRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${where} ${beyond} ORDER BY ${order} LIMIT $limit OFFSET $offset`,
    {
      ...params,
      ...(page.order === 'similarity' ? { similarTo: (filter.search ?? '').toLowerCase() } : {}),
      limit: page.limit,
      offset: page.offset ?? 0,
      ...(page.after === undefined ? {} : { afterName: page.after.name, afterId: page.after.id }),
    },
  );
}

/** Which of name and full path another group of the same parent, a project or a person has already. */
export function takenFields(
  store: Store,
  group: { readonly name: string; readonly fullPath: string; readonly parentId: number | null },
  exceptId: number,
): ('name' | 'path')[] {
  const { name, fullPath, parentId } = group;
  const hasPath =
    store.get(
      `SELECT 1 FROM namespaces WHERE full_path = $fullPath AND id <> $exceptId
       UNION ALL SELECT 1 FROM projects WHERE full_path = $fullPath`,
      { fullPath, exceptId },
    ) !== undefined;
  const hasName =
    parentId !== null &&
    store.get('SELECT 1 FROM namespaces WHERE parent_id = $parentId AND id <> $exceptId AND name = $name COLLATE NOCASE', {
      name,
      parentId,
      exceptId,
    }) !== undefined;
  return [...(hasName ? (['name'] as const) : []), ...(hasPath ? (['path'] as const) : [])];
}

/** How many groups lie around one, itself included. */
export function depthOf(store: Store, id: number): number {
  return store.get<{ n: number }>('SELECT count(*) AS n FROM namespace_ancestors WHERE namespace_id = $id', { id })?.n ?? 0;
}

export interface GroupValues {
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly visibility: Visibility;
  readonly description: string;
  readonly project_creation_level: ProjectCreation;
  readonly subgroup_creation_level: SubgroupCreation;
  readonly disable_password_authentication: 0 | 1;
}

export function insertGroup(store: Store, group: GroupValues, parentId: number | null, now: number): number {
  return store.run(
    `INSERT INTO namespaces (kind, name, path, full_path, parent_id, visibility, description, created_at, project_creation_level,
       subgroup_creation_level, disable_password_authentication)
     VALUES ('group', $name, $path, $full_path, $parentId, $visibility, $description, $now, $project_creation_level,
       $subgroup_creation_level, $disable_password_authentication)`,
    { ...group, parentId, now },
  ).lastId;
}

export function writeGroup(store: Store, id: number, group: GroupValues): void {
  store.run(
    `UPDATE namespaces SET name = $name, path = $path, full_path = $full_path, visibility = $visibility, description = $description,
       project_creation_level = $project_creation_level, subgroup_creation_level = $subgroup_creation_level,
       disable_password_authentication = $disable_password_authentication
     WHERE id = $id`,
    { ...group, id },
  );
}

/** Puts a group into another one, or into none; triggers of the schema keep what lies around it and in it. */
export function writeParent(
  store: Store,
  id: number,
  location: { readonly parentId: number | null; readonly fullPath: string; readonly visibility: Visibility },
): void {
  store.run('UPDATE namespaces SET parent_id = $parentId, full_path = $fullPath, visibility = $visibility WHERE id = $id', {
    ...location,
    id,
  });
  // Only top-level groups refuse passwords.
  if (location.parentId !== null) store.run('UPDATE namespaces SET disable_password_authentication = 0 WHERE id = $id', { id });
}

/** Whether a group is another one or lies in it, at any depth. */
export function liesIn(store: Store, id: number, ancestorId: number): boolean {
  return (
    store.get('SELECT 1 FROM namespace_ancestors WHERE namespace_id = $id AND ancestor_id = $ancestorId', { id, ancestorId }) !==
    undefined
  );
}

/** How many groups lie in one another at most, from a group on, itself included. */
export function heightOf(store: Store, id: number): number {
  const deepest = store.get<{ n: number }>(
    `SELECT max(n) AS n FROM (
       SELECT count(*) AS n FROM namespace_ancestors inside JOIN namespace_ancestors around ON around.namespace_id = inside.namespace_id
       WHERE inside.ancestor_id = $id GROUP BY inside.namespace_id)`,
    { id },
  );
  return (deepest?.n ?? 1) - depthOf(store, id) + 1;
}

/** Gives the groups of these visibilities in one, at any depth, another one. */
export function writeVisibilityBelow(store: Store, id: number, of: readonly Visibility[], visibility: Visibility): void {
  store.run(
    `UPDATE namespaces SET visibility = $visibility WHERE id <> $id AND visibility IN (SELECT value FROM json_each($of))
       AND id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $id)`,
    { id, of: JSON.stringify(of), visibility },
  );
}

/** Groups `g` of which `$viewer` is a member with the right to move projects there, or groups. */
export const acceptingProjectsSql = `${LEVEL} >= 40 AND g.project_creation_level <> 'noone'`;
export const acceptingGroupsSql = `${LEVEL} >= CASE g.subgroup_creation_level WHEN 'owner' THEN 50 ELSE 40 END`;

/** Gives the groups in one, at any depth, the paths that follow from its new one. */
export function moveSubgroups(store: Store, id: number, formerPath: string, path: string): void {
  store.run(
    `UPDATE namespaces SET full_path = $path || substr(full_path, length($formerPath) + 1)
     WHERE id <> $id AND id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $id)`,
    { id, formerPath, path },
  );
}

/** Deletes a group and the groups in it; their projects must be gone. */
export function removeGroupRows(
  store: Store,
  id: number,
): readonly { readonly id: number; readonly name: string; readonly fullPath: string }[] {
  return store.all(
    `DELETE FROM namespaces WHERE id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $id)
     RETURNING id, name, full_path AS fullPath`,
    { id },
  );
}

export function hasSubgroupOf(store: Store, id: number, of: readonly Visibility[]): boolean {
  return (
    store.get('SELECT 1 FROM namespaces WHERE parent_id = $id AND visibility IN (SELECT value FROM json_each($of)) LIMIT 1', {
      id,
      of: JSON.stringify(of),
    }) !== undefined
  );
}

/** Every group a person belongs to, by itself or by a group around it, with the highest level of these; in order of their paths. */
export function membershipsOfUser(
  store: Store,
  userId: number,
): readonly { readonly full_path: string; readonly level: number; readonly is_direct: 0 | 1 }[] {
  return store.all(
    `SELECT g.full_path, max(m.access_level) AS level, max(m.group_id = g.id) AS is_direct
     FROM group_members m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id JOIN namespaces g ON g.id = a.namespace_id
     WHERE m.user_id = $userId AND g.kind = 'group' GROUP BY g.id ORDER BY g.full_path`,
    { userId },
  );
}

/** Ends a person's memberships in the groups that lie in one. */
export function deleteMembershipsBelow(store: Store, groupId: number, userId: number): void {
  store.run(
    `DELETE FROM group_members WHERE user_id = $userId AND group_id <> $groupId
       AND group_id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $groupId)`,
    { groupId, userId },
  );
}

/** Members of a group, of the groups in it and of their projects, each once. */
export function countMembersBelow(store: Store, groupId: number): number {
  return (
    store.get<{ n: number }>(
      `SELECT count(*) AS n FROM (
         SELECT m.user_id FROM namespace_ancestors a JOIN group_members m ON m.group_id = a.namespace_id WHERE a.ancestor_id = $groupId
         UNION
         SELECT m.user_id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id
           JOIN project_members m ON m.project_id = p.id WHERE a.ancestor_id = $groupId)`,
      { groupId },
    )?.n ?? 0
  );
}
