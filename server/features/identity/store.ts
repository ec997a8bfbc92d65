import type { User } from '../../core/caller.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, likePattern, likeSql, type SqlParams } from '../../store/sql.ts';

export type UserRow = User;

export interface PersonalTokenRow {
  readonly id: number;
  readonly user_id: number;
  /** ID of the first token in the chain of rotations that led to this one. */
  readonly family: number;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export function userById(store: Store, id: number): UserRow | undefined {
  return store.get<UserRow>('SELECT * FROM users WHERE id = $id', { id });
}

export function userByUsername(store: Store, username: string): UserRow | undefined {
  return store.get<UserRow>('SELECT * FROM users WHERE username = $username', { username });
}

export function userByEmail(store: Store, email: string): UserRow | undefined {
  return store.get<UserRow>('SELECT * FROM users WHERE email = $email', { email });
}

export function ghostRow(store: Store): UserRow | undefined {
  return store.get<UserRow>('SELECT * FROM users WHERE is_ghost = 1');
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

export function setUserState(store: Store, userId: number, state: UserRow['state'], now: number): void {
  store.run('UPDATE users SET state = $state, updated_at = $now WHERE id = $userId', { userId, state, now });
}

export type UserValues = Pick<
  UserRow,
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

const personalTokenColumns = 'id, user_id, family, name, description, scopes, created_at, expires_at, revoked_at, last_used_at';

export function personalTokenByHash(store: Store, hash: string): PersonalTokenRow | undefined {
  const sql = `SELECT ${personalTokenColumns} FROM personal_access_tokens WHERE token_hash = $hash`;
  return store.get<PersonalTokenRow>(sql, { hash });
}

export function personalTokenById(store: Store, id: number): PersonalTokenRow | undefined {
  return store.get<PersonalTokenRow>(`SELECT ${personalTokenColumns} FROM personal_access_tokens WHERE id = $id`, { id });
}

/** Inserts a token. Without a `family` it starts a new one, whose ID is the ID of the token. */
export function insertPersonalToken(
  store: Store,
  token: {
    userId: number;
    family: number | null;
    name: string;
    description: string | null;
    hash: string;
    scopes: string;
    now: number;
    expiresAt: number | null;
  },
): number {
  const { lastId } = store.run(
    `INSERT INTO personal_access_tokens (user_id, family, name, description, token_hash, scopes, created_at, expires_at)
     VALUES ($userId, $family, $name, $description, $hash, $scopes, $now, $expiresAt)`,
    { ...token },
  );
  if (token.family === null) store.run('UPDATE personal_access_tokens SET family = id WHERE id = $id', { id: lastId });
  return lastId;
}

export function revokePersonalTokens(store: Store, userId: number, name: string, exceptHash: string, now: number): void {
  store.run(
    `UPDATE personal_access_tokens SET revoked_at = $now
     WHERE user_id = $userId AND name = $name AND token_hash <> $exceptHash AND revoked_at IS NULL`,
    { userId, name, exceptHash, now },
  );
}

/** Revokes a token. Returns false if it was already revoked. */
export function revokePersonalToken(store: Store, id: number, now: number): boolean {
  const sql = 'UPDATE personal_access_tokens SET revoked_at = $now WHERE id = $id AND revoked_at IS NULL';
  return store.run(sql, { id, now }).changes === 1;
}

/** Revokes all tokens of a family. Returns those that were not already revoked. */
export function revokePersonalTokenFamily(
  store: Store,
  family: number,
  now: number,
): readonly { readonly id: number; readonly user_id: number }[] {
  return store.all(
    'UPDATE personal_access_tokens SET revoked_at = $now WHERE family = $family AND revoked_at IS NULL RETURNING id, user_id',
    { family, now },
  );
}

export interface PersonalTokenFilter {
  readonly userId?: number | undefined;
  readonly search?: string | undefined;
  readonly revoked?: boolean | undefined;
  /** True for tokens that are neither revoked nor expired at `now`, false for the others. */
  readonly active?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly expiresAfter?: number | undefined;
  readonly expiresBefore?: number | undefined;
  readonly lastUsedAfter?: number | undefined;
  readonly lastUsedBefore?: number | undefined;
  readonly now: number;
}

const personalTokenOrders = {
  id: 'id',
  created: 'created_at',
  expires: 'expires_at',
  last_used: 'last_used_at',
  name: 'name COLLATE NOCASE',
} as const;
export type PersonalTokenOrder = keyof typeof personalTokenOrders;

/** Returns the SQL condition of a filter; omitted members do not restrict the result. */
function personalTokenConditions(filter: PersonalTokenFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({});
  add('createdAfter', 'created_at > $createdAfter', filter.createdAfter);
  add('createdBefore', 'created_at < $createdBefore', filter.createdBefore);
  add('expiresAfter', 'expires_at > $expiresAfter', filter.expiresAfter);
  add('expiresBefore', 'expires_at < $expiresBefore', filter.expiresBefore);
  add('lastUsedAfter', 'last_used_at > $lastUsedAfter', filter.lastUsedAfter);
  add('lastUsedBefore', 'last_used_at < $lastUsedBefore', filter.lastUsedBefore);
  add('userId', 'user_id = $userId', filter.userId);
  addSearch('search', ['name'], filter.search);
  if (filter.revoked !== undefined) also(filter.revoked ? 'revoked_at IS NOT NULL' : 'revoked_at IS NULL');
  if (filter.active !== undefined) {
    const isActive = '(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now))';
    also(filter.active ? isActive : `NOT ${isActive}`, { now: filter.now });
  }
  return whole();
}

export function countPersonalTokens(store: Store, filter: PersonalTokenFilter, cap: number): number {
  const { where, params } = personalTokenConditions(filter);
  return countRows(store, `FROM personal_access_tokens WHERE ${where}`, params, cap);
}

export function listPersonalTokens(
  store: Store,
  filter: PersonalTokenFilter,
  page: { readonly order: PersonalTokenOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): PersonalTokenRow[] {
  const { where, params } = personalTokenConditions(filter);
  return store.all<PersonalTokenRow>(
    `SELECT ${personalTokenColumns} FROM personal_access_tokens WHERE ${where}
     ORDER BY ${personalTokenOrders[page.order]} ${page.sort}, id ${page.sort} LIMIT $limit OFFSET $offset`,
    { ...params, limit: page.limit, offset: page.offset },
  );
}

export function markTokenUsed(store: Store, id: number, now: number): void {
  store.run('UPDATE personal_access_tokens SET last_used_at = $now WHERE id = $id', { id, now });
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
    const has = 'EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = users.id AND f.enabled_at IS NOT NULL)';
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
): UserRow[] {
  const { where, params } = conditions(filter);
  const comparison = page.sort === 'asc' ? '>' : '<';
  const beyond = page.after === undefined ? '' : `AND (${page.order}, id) ${comparison} ($afterValue, $afterId)`;
  return store.all<UserRow>(
    `SELECT * FROM users WHERE ${where} ${beyond} ORDER BY ${page.order} ${page.sort}, id ${page.sort} LIMIT $limit OFFSET $offset`,
    {
      ...params,
      limit: page.limit,
      offset: page.offset ?? 0,
      ...(page.after === undefined ? {} : { afterValue: page.after.value, afterId: page.after.id }),
    },
  );
}

export interface SecondFactorRow {
  readonly user_id: number;
  readonly sealed_secret: string;
  readonly made_at: number;
  /** Null during setup. */
  readonly enabled_at: number | null;
}

export function secondFactorOf(store: Store, userId: number): SecondFactorRow | undefined {
  return store.get<SecondFactorRow>('SELECT * FROM second_factors WHERE user_id = $userId', { userId });
}

/** Stores a secret that is not enabled yet. Replaces an earlier one unless that one is enabled. */
export function putSecondFactor(store: Store, userId: number, sealedSecret: string, now: number): void {
  store.run(
    `INSERT INTO second_factors (user_id, sealed_secret, made_at) VALUES ($userId, $sealedSecret, $now)
     ON CONFLICT (user_id) DO UPDATE SET sealed_secret = $sealedSecret, made_at = $now WHERE enabled_at IS NULL`,
    { userId, sealedSecret, now },
  );
}

/** Enables a second factor. Returns false if it was already enabled or its secret was replaced meanwhile. */
export function enableSecondFactor(store: Store, factor: SecondFactorRow, now: number): boolean {
  return (
    store.run(
      `UPDATE second_factors SET enabled_at = $now
       WHERE user_id = $userId AND sealed_secret = $sealedSecret AND enabled_at IS NULL`,
      { userId: factor.user_id, sealedSecret: factor.sealed_secret, now },
    ).changes === 1
  );
}

/** Removes a second factor with its recovery codes and spent time steps. Returns false if there was none. */
export function removeSecondFactor(store: Store, userId: number): boolean {
  store.run('DELETE FROM recovery_codes WHERE user_id = $userId', { userId });
  store.run('DELETE FROM spent_time_steps WHERE user_id = $userId', { userId });
  return store.run('DELETE FROM second_factors WHERE user_id = $userId', { userId }).changes === 1;
}

/** Marks a time step as used. Returns false if a code of this time step was used before. */
export function spendTimeStep(store: Store, userId: number, step: number, now: number): boolean {
  return (
    store.run('INSERT INTO spent_time_steps (user_id, step, spent_at) VALUES ($userId, $step, $now) ON CONFLICT DO NOTHING', {
      userId,
      step,
      now,
    }).changes === 1
  );
}

/** Replaces all recovery codes of a user. */
export function replaceRecoveryCodes(store: Store, userId: number, hashes: readonly string[]): void {
  store.run('DELETE FROM recovery_codes WHERE user_id = $userId', { userId });
  for (const hash of hashes)
    store.run('INSERT INTO recovery_codes (user_id, code_hash) VALUES ($userId, $hash)', { userId, hash });
}

/** Uses up a recovery code. Returns false if the user has no such code or has used it before. */
export function spendRecoveryCode(store: Store, userId: number, hash: string): boolean {
  return store.run('DELETE FROM recovery_codes WHERE user_id = $userId AND code_hash = $hash', { userId, hash }).changes === 1;
}

export function countRecoveryCodes(store: Store, userId: number): number {
  return store.get<{ n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE user_id = $userId', { userId })?.n ?? 0;
}
