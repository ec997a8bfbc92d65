import type { User } from '../../core/caller.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, likePattern, likeSql, type SqlParams } from '../../store/sql.ts';

export function userById(store: Store, id: number): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE id = $id', { id });
}

/** Returns what the short form of a user shows. */
export function personById(
  store: Store,
  id: number,
): Pick<User, 'id' | 'username' | 'public_email' | 'name' | 'state'> | undefined {
  return store.get('SELECT id, username, public_email, name, state FROM users WHERE id = $id', { id });
}

export function userByUsername(store: Store, username: string): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE username = $username', { username });
}

export function userByEmail(store: Store, email: string): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE email = $email', { email });
}

export function ghostRow(store: Store): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE is_ghost = 1');
}

export function markGhost(store: Store, id: number): void {
  store.run('UPDATE users SET is_ghost = 1 WHERE id = $id', { id });
}

/** Returns true if there is an administrator besides a user. */
export function hasOtherAdministrator(store: Store, id: number): boolean {
  return store.get('SELECT 1 FROM users WHERE admin = 1 AND id <> $id LIMIT 1', { id }) !== undefined;
}

/**
 * Deletes a user and everything that refers to them, such as tokens and sessions. A trigger deletes the personal namespace, which must
 * be empty.
 */
export function deleteUserRow(store: Store, id: number): void {
  store.run('DELETE FROM users WHERE id = $id', { id });
}

export function hasAnyPassword(store: Store): boolean {
  return store.get('SELECT 1 FROM users WHERE password_hash IS NOT NULL LIMIT 1') !== undefined;
}

export function hasOtherUser(store: Store, id: number): boolean {
  return store.get('SELECT 1 FROM users WHERE id <> $id LIMIT 1', { id }) !== undefined;
}

export interface NewUserRow {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly admin: number;
  readonly external: number;
  readonly private_profile: number;
  readonly bio: string;
  readonly now: number;
}

/** Inserts a user. A trigger creates the personal namespace. */
export function insertUser(store: Store, user: NewUserRow): number {
  return store.run(
    `INSERT INTO users (username, name, email, password_hash, admin, external, private_profile, bio, created_at, updated_at)
     VALUES ($username, $name, $email, $password_hash, $admin, $external, $private_profile, $bio, $now, $now)`,
    { ...user },
  ).lastId;
}

export function namespaceIdOfUser(store: Store, userId: number): number | undefined {
  return store.get<{ id: number }>("SELECT id FROM namespaces_view WHERE owner_id = $userId AND kind = 'user'", { userId })?.id;
}

export function setPasswordHash(store: Store, userId: number, hash: string, now: number): void {
  store.run('UPDATE users SET password_hash = $hash, updated_at = $now WHERE id = $userId', { userId, hash, now });
}

/** Replaces a hash by another one of the same password, unless the password has changed. */
export function replacePasswordHash(store: Store, userId: number, previous: string, hash: string): void {
  store.run('UPDATE users SET password_hash = $hash WHERE id = $userId AND password_hash = $previous', {
    userId,
    previous,
    hash,
  });
}

export function setUserState(store: Store, userId: number, state: User['state'], now: number): void {
  store.run('UPDATE users SET state = $state, updated_at = $now WHERE id = $userId', { userId, state, now });
}

export type UserValues = Pick<
  User,
  'username' | 'name' | 'email' | 'public_email' | 'bio' | 'admin' | 'external' | 'private_profile'
>;

/** Returns true if a user or group other than user `exceptId` has this name as their path; `exceptId` is 0 for a new user. */
export function isUsernameTaken(store: Store, username: string, exceptId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM users WHERE username = $username AND id <> $exceptId
       UNION ALL SELECT 1 FROM namespaces_view WHERE full_path = $username AND owner_id IS NOT $exceptId LIMIT 1`,
      { username, exceptId },
    ) !== undefined
  );
}

/** Writes the changeable attributes of a user. A trigger gives the personal namespace the same name and path. */
export function writeUser(store: Store, userId: number, values: UserValues, now: number): void {
  const { username, name, email, public_email, bio, admin, external, private_profile } = values;
  store.run(
    `UPDATE users SET username = $username, name = $name, email = $email, public_email = $public_email, bio = $bio, admin = $admin, external = $external,
       private_profile = $private_profile, updated_at = $now
     WHERE id = $userId`,
    { userId, now, username, name, email, public_email, bio, admin, external, private_profile },
  );
}

/** Makes a user the enterprise user of a top-level group, or of no group. */
export function writeEnterpriseGroup(store: Store, userId: number, groupId: number | null, now: number): void {
  store.run(
    `UPDATE users SET enterprise_group_id = $groupId, enterprise_since = $since, updated_at = $now
     WHERE id = $userId AND enterprise_group_id IS NOT $groupId`,
    { userId, groupId, since: groupId === null ? null : now, now },
  );
}

/** Removes all enterprise users from a group. */
export function clearEnterpriseGroup(store: Store, groupId: number, now: number): void {
  store.run(
    `UPDATE users SET enterprise_group_id = NULL, enterprise_since = NULL, updated_at = $now WHERE enterprise_group_id = $groupId`,
    { groupId, now },
  );
}

export interface EnterpriseGroup {
  readonly id: number;
  readonly name: string;
  readonly kind: 'user' | 'group';
  readonly parent_id: number | null;
  readonly disable_password_authentication: 0 | 1;
}

export function enterpriseGroupById(store: Store, id: number): EnterpriseGroup | undefined {
  return store.get<EnterpriseGroup>(
    'SELECT id, name, kind, parent_id, disable_password_authentication FROM namespaces_view WHERE id = $id',
    { id },
  );
}

export function markSignIn(store: Store, userId: number, now: number): void {
  store.run(
    'UPDATE users SET last_sign_in_at = coalesce(current_sign_in_at, $now), current_sign_in_at = $now WHERE id = $userId',
    { userId, now },
  );
}

export function markActivity(store: Store, userId: number, now: number): void {
  store.run('UPDATE users SET last_activity_at = $now WHERE id = $userId', { userId, now });
}

export interface UserFilter {
  readonly username?: string;
  readonly search?: string;
  readonly active?: boolean;
  readonly blocked?: boolean;
  readonly external?: boolean;
  readonly excludeActive?: boolean;
  readonly excludeExternal?: boolean;
  readonly nobody?: boolean;
  /** True for people without the ghost user, false for the ghost user only. */
  readonly humans?: boolean | undefined;
  /** True for users without any project membership. */
  readonly withoutProjects?: boolean;
  readonly admins?: boolean;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly twoFactor?: boolean;
  readonly enterpriseGroupId?: number;
  /** Limits the list to members of this project, also those that it inherits. */
  readonly projectId?: number;
  /** Limits the list to members of this group and what it inherits, and of what is below it. */
  readonly group?: MembersAround;
}

/** A group, with SQL conditions on the subgroups `g` and projects `p`, with the membership `m`, whose members count. */
export interface MembersAround {
  readonly id: number;
  readonly groups: string;
  readonly projects: string;
  /** User whose access the conditions are about. */
  readonly viewer: number;
}

function membersSql({ groups, projects }: MembersAround): string {
  const below = 'SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId';
  return `users.id IN (
    SELECT user_id FROM group_members_view WHERE group_id IN (SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id = $groupId)
    UNION SELECT user_id FROM group_members_view WHERE group_id IN (
      SELECT g.id FROM namespaces_view g WHERE g.id IN (${below}) AND ${groups})
    UNION SELECT user_id FROM project_access_view WHERE project_id IN (
      SELECT p.id FROM projects_view p LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
      WHERE p.namespace_id IN (${below}) AND ${projects}))`;
}

export type UserOrder = 'id' | 'name' | 'username' | 'created_at' | 'updated_at';

function conditions(filter: UserFilter): { where: string; params: SqlParams } {
  const { add, also, whole } = beginCondition({});
  add('username', 'username = $username', filter.username);
  if (filter.search !== undefined) {
    const params = { search: likePattern(filter.search), exact: filter.search };
    also(`(${likeSql(['name', 'username'], '$search')} OR email = $exact)`, params);
  }
  if (filter.active === true) also("state = 'active' AND is_ghost = 0");
  if (filter.blocked === true) also("state = 'blocked'");
  if (filter.external === true) also('external = 1');
  if (filter.excludeActive === true) also("state <> 'active'");
  if (filter.excludeExternal === true) also('external = 0');
  if (filter.nobody === true) also('false');
  if (filter.humans !== undefined) also(filter.humans ? 'is_ghost = 0' : 'is_ghost = 1');
  if (filter.withoutProjects === true) also('NOT EXISTS (SELECT 1 FROM project_access_view a WHERE a.user_id = users.id)');
  if (filter.admins === true) also('admin = 1');
  if (filter.twoFactor !== undefined) {
    const has = 'EXISTS (SELECT 1 FROM second_factors_view f WHERE f.user_id = users.id AND f.enabled_at IS NOT NULL)';
    also(filter.twoFactor ? has : `NOT ${has}`);
  }
  add('enterpriseGroupId', 'enterprise_group_id = $enterpriseGroupId', filter.enterpriseGroupId);
  add('projectId', 'users.id IN (SELECT user_id FROM project_access_view WHERE project_id = $projectId)', filter.projectId);
  if (filter.group !== undefined) also(membersSql(filter.group), { groupId: filter.group.id, viewer: filter.group.viewer });
  add('createdAfter', 'created_at > $createdAfter', filter.createdAfter);
  add('createdBefore', 'created_at < $createdBefore', filter.createdBefore);
  return whole();
}

export function countMatchingUsers(store: Store, filter: UserFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM users WHERE ${where}`, params, cap);
}

/** Returns users in the given order, ties sorted by ID. For keyset pages, `after` is the last row of the previous page. */
export function listUsers(
  store: Store,
  filter: UserFilter,
  page: {
    readonly order: UserOrder;
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly offset?: number;
    readonly after?: { readonly value: string | number | null; readonly id: number };
  },
): User[] {
  const { where, params } = conditions(filter);
  const comparison = page.sort === 'asc' ? '>' : '<';
  const beyond = page.after === undefined ? '' : `AND (${page.order}, id) ${comparison} ($afterValue, $afterId)`;
  return store.all<User>(
    `SELECT * FROM users WHERE ${where} ${beyond} ORDER BY ${page.order} ${page.sort}, id ${page.sort} LIMIT $limit OFFSET $offset`,
    {
      ...params,
      limit: page.limit,
      offset: page.offset ?? 0,
      ...(page.after === undefined ? {} : { afterValue: page.after.value, afterId: page.after.id }),
    },
  );
}

/** Returns the ID of the user who has an email address, as primary or additional one, whether it is confirmed or not. */
export function holderOfEmail(store: Store, email: string): number | undefined {
  return store.get<{ id: number }>(
    'SELECT id FROM users WHERE email = $email UNION ALL SELECT user_id FROM emails_view WHERE email = $email LIMIT 1',
    { email },
  )?.id;
}
