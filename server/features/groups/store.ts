import { namespaceFullNameSql } from '../projectAccess/projectAccess.ts';
import { namespaceLevelSql, projectMembersBelowSql } from '../members/members.ts';
import type { Visibility } from '../abilities/abilities.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, similaritySql, type SqlParams } from '../../store/sql.ts';

export type ProjectCreation = 'noone' | 'maintainer' | 'developer';
export type SubgroupCreation = 'owner' | 'maintainer';

/** A namespace with the access of the viewer. */
export interface NamespaceRow {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  /** Names of all groups on the path, from the top-level group to this one. */
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
  readonly repository_storage: string;
  /** Highest access level of the viewer in it and its ancestors, 0 without a membership. */
  readonly level: number;
  /** 1 if the viewer is a member of it, an ancestor, a descendant or a project in it. */
  readonly is_related: 0 | 1;
}

/** SQL for the groups `$viewer` is related to: descendants of their groups, and ancestors of their groups and projects. */
const RELATED = `
  SELECT a.namespace_id FROM group_members_view m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id WHERE m.user_id = $viewer
  UNION
  SELECT a.ancestor_id FROM group_members_view m JOIN namespace_ancestors a ON a.namespace_id = m.group_id WHERE m.user_id = $viewer
  UNION
  SELECT a.ancestor_id FROM project_access_view m JOIN projects_view p ON p.id = m.project_id
    JOIN namespace_ancestors a ON a.namespace_id = p.namespace_id WHERE m.user_id = $viewer`;

const LEVEL = namespaceLevelSql('g.id');

/** SQL for `is_related`; the expensive lookup of related groups runs only without a membership in the group or its ancestors. */
const IS_RELATED = `CASE WHEN ${LEVEL} > 0 THEN 1 ELSE g.id IN (${RELATED}) END`;

const COLUMNS = `g.id, g.kind, g.name, g.path, g.full_path, g.parent_id, around.visibility AS parent_visibility, g.owner_id, g.visibility,
  g.description, g.created_at, g.project_creation_level, g.subgroup_creation_level, g.disable_password_authentication,
  g.repository_storage, ${LEVEL} AS level, ${IS_RELATED} AS is_related, ${namespaceFullNameSql('g')} AS full_name`;
const FROM = 'FROM namespaces g LEFT JOIN namespaces around ON around.id = g.parent_id';

/**
 * Returns the SQL condition for the groups `g` that a user can see; `$viewer` is their ID or 0. A unit test compares it with `groupSeenBy`.
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

/** Returns a namespace by ID; `viewer` is a user ID, 0 without one. */
export function namespaceById(store: Store, id: number, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(`SELECT ${COLUMNS} ${FROM} WHERE g.id = $id`, { id, viewer });
}

export function namespaceByPath(store: Store, path: string, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(`SELECT ${COLUMNS} ${FROM} WHERE g.full_path = $path`, { path, viewer });
}

/** Returns a namespace by a former path. Triggers of the schema keep former paths until they are used again. */
export function namespaceByFormerPath(store: Store, path: string, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE g.id = (SELECT namespace_id FROM namespace_redirects WHERE full_path = $path)`,
    { path, viewer },
  );
}

/** SQL condition on `g`: it is the personal namespace of `$viewer` or a group in which they have at least an access level. */
export function ownNamespacesSql(level: number): string {
  return `(g.owner_id = $viewer OR g.id IN (
    SELECT a.namespace_id FROM group_members_view m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id
    WHERE m.user_id = $viewer AND m.access_level >= ${level}))`;
}

/** Sort orders; `similarity` is the closeness of name or path to the search text. */
export type GroupOrder = 'name' | 'path' | 'id' | 'similarity';

export interface NamespaceFilter {
  readonly viewer: number;
  /** Additional SQL conditions on `g`. */
  readonly where: readonly string[];
  readonly search?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly storage?: string | undefined;
  readonly minLevel?: number | undefined;
  readonly without?: readonly number[] | undefined;
  /** Excludes this group and its descendants. */
  readonly outsideOf?: number | undefined;
  /** Restricts the list to this group and its ancestors. */
  readonly parent?: number | undefined;
  readonly parentId?: number | undefined;
  /** Restricts the list to the descendants of this group. */
  readonly ancestorId?: number | undefined;
}

function conditions(filter: NamespaceFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ viewer: filter.viewer });
  for (const condition of filter.where) also(condition);
  addSearch('search', ['g.name', 'g.path'], filter.search);
  add('visibility', 'g.visibility = $visibility', filter.visibility);
  add('storage', 'g.repository_storage = $storage', filter.storage);
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
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

/** SQL columns of the sort orders; ties are sorted by ID. */
const orderColumns: Readonly<Record<GroupOrder, string | undefined>> = {
  id: undefined,
  name: 'g.name',
  path: 'g.path',
  similarity: similaritySql('g.name', 'g.path'),
};

export function listNamespaces(
  store: Store,
  filter: NamespaceFilter,
  page: {
    readonly order: GroupOrder;
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly offset?: number;
    /** Last row of the previous page, for lists in ascending order of names. */
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

/** Returns which of name and full path are already taken by a sibling group, a project or a user. */
export function takenFields(
  store: Store,
  group: { readonly name: string; readonly fullPath: string; readonly parentId: number | null },
  exceptId: number,
): ('name' | 'path')[] {
  const { name, fullPath, parentId } = group;
  const hasPath =
    store.get(
      `SELECT 1 FROM namespaces WHERE full_path = $fullPath AND id <> $exceptId
       UNION ALL SELECT 1 FROM projects_view WHERE full_path = $fullPath`,
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

/** Returns the nesting depth of a group, 1 for a top-level group. */
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

export function insertGroup(
  store: Store,
  group: GroupValues & { readonly storage: string },
  parentId: number | null,
  now: number,
): number {
  return store.run(
    `INSERT INTO namespaces (kind, name, path, full_path, parent_id, visibility, description, created_at, project_creation_level,
       subgroup_creation_level, disable_password_authentication, repository_storage)
     VALUES ('group', $name, $path, $full_path, $parentId, $visibility, $description, $now, $project_creation_level,
       $subgroup_creation_level, $disable_password_authentication, $storage)`,
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

/** Sets the parent of a group, or makes it a top-level group; triggers of the schema update the ancestor tables. */
export function writeParent(
  store: Store,
  id: number,
  location: { readonly parentId: number | null; readonly fullPath: string; readonly visibility: Visibility },
): void {
  store.run('UPDATE namespaces SET parent_id = $parentId, full_path = $fullPath, visibility = $visibility WHERE id = $id', {
    ...location,
    id,
  });
  // Only top-level groups can disable password authentication.
  if (location.parentId !== null) store.run('UPDATE namespaces SET disable_password_authentication = 0 WHERE id = $id', { id });
}

/** Returns true if a group is another group or one of its descendants. */
export function liesIn(store: Store, id: number, ancestorId: number): boolean {
  return (
    store.get('SELECT 1 FROM namespace_ancestors WHERE namespace_id = $id AND ancestor_id = $ancestorId', { id, ancestorId }) !==
    undefined
  );
}

/** Returns the height of the tree of subgroups below a group, itself included. */
export function heightOf(store: Store, id: number): number {
  const deepest = store.get<{ n: number }>(
    `SELECT max(n) AS n FROM (
       SELECT count(*) AS n FROM namespace_ancestors inside JOIN namespace_ancestors around ON around.namespace_id = inside.namespace_id
       WHERE inside.ancestor_id = $id GROUP BY inside.namespace_id)`,
    { id },
  );
  return (deepest?.n ?? 1) - depthOf(store, id) + 1;
}

/** Changes the visibility of those descendants of a group that have one of the given visibilities. */
export function writeVisibilityBelow(store: Store, id: number, of: readonly Visibility[], visibility: Visibility): void {
  store.run(
    `UPDATE namespaces SET visibility = $visibility WHERE id <> $id AND visibility IN (SELECT value FROM json_each($of))
       AND id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $id)`,
    { id, of: JSON.stringify(of), visibility },
  );
}

/** SQL conditions for the groups `g` to which `$viewer` can transfer projects or groups. */
export const acceptingProjectsSql = `${LEVEL} >= 40 AND g.project_creation_level <> 'noone'`;
export const acceptingGroupsSql = `${LEVEL} >= CASE g.subgroup_creation_level WHEN 'owner' THEN 50 ELSE 40 END`;

/** Updates the full paths of all descendants after a group got a new path. */
export function moveSubgroups(store: Store, id: number, formerPath: string, path: string): void {
  store.run(
    `UPDATE namespaces SET full_path = $path || substr(full_path, length($formerPath) + 1)
     WHERE id <> $id AND id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $id)`,
    { id, formerPath, path },
  );
}

/** Deletes a group and its descendants, whose projects must already be deleted. */
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

/** Returns all groups a user is a member of, directly or through an ancestor, with the highest access level, sorted by path. */
export function membershipsOfUser(
  store: Store,
  userId: number,
): readonly { readonly full_path: string; readonly level: number; readonly is_direct: 0 | 1 }[] {
  return store.all(
    `SELECT g.full_path, max(m.access_level) AS level, max(m.group_id = g.id) AS is_direct
     FROM group_members_view m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id JOIN namespaces g ON g.id = a.namespace_id
     WHERE m.user_id = $userId AND g.kind = 'group' GROUP BY g.id ORDER BY g.full_path`,
    { userId },
  );
}

/**
 * Reserves the next IID of a group.
 *
 * @throws Error if the group does not exist.
 */
export function takeGroupIid(store: Store, groupId: number, kind: 'milestone' | 'epic'): number {
  const row = store.get<{ readonly iid: number }>(
    `UPDATE namespaces SET last_${kind}_iid = last_${kind}_iid + 1 WHERE id = $groupId RETURNING last_${kind}_iid AS iid`,
    { groupId },
  );
  if (row === undefined) throw new Error(`group ${groupId} does not exist`);
  return row.iid;
}

/** Stores the storage of a group's repository. */
export function writeGroupStorage(store: Store, groupId: number, storage: string): void {
  store.run('UPDATE namespaces SET repository_storage = $storage WHERE id = $groupId', { storage, groupId });
}

/** Allows or refuses writes to a group's repository. */
export function writeGroupReadOnly(store: Store, groupId: number, readOnly: boolean): void {
  store.run('UPDATE namespaces SET repository_read_only = $readOnly WHERE id = $groupId', {
    groupId,
    readOnly: readOnly ? 1 : 0,
  });
}

/** Counts the distinct members of a group, its descendants and their projects. */
export function countMembersBelow(store: Store, groupId: number): number {
  return (
    store.get<{ n: number }>(
      `SELECT count(*) AS n FROM (
         SELECT m.user_id FROM namespace_ancestors a JOIN group_members_view m ON m.group_id = a.namespace_id WHERE a.ancestor_id = $groupId
         UNION
         ${projectMembersBelowSql})`,
      { groupId },
    )?.n ?? 0
  );
}

/** Returns the groups that a user owns directly, the outermost first. */
export function groupsOwnedBy(store: Store, userId: number): readonly number[] {
  return store
    .all<{ group_id: number }>(
      `SELECT m.group_id FROM group_members_view m JOIN namespaces g ON g.id = m.group_id
       WHERE m.user_id = $userId AND m.access_level = 50 ORDER BY length(g.full_path), g.id`,
      { userId },
    )
    .map((row) => row.group_id);
}
