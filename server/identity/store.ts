import type { SqlParams, Store } from '../store/open.ts';

export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly public_email: string;
  readonly bio: string;
  readonly password_hash: string | null;
  readonly state: 'active' | 'blocked';
  readonly admin: 0 | 1;
  readonly external: 0 | 1;
  readonly private_profile: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_sign_in_at: number | null;
  readonly current_sign_in_at: number | null;
  readonly last_activity_at: number | null;
}

export interface PersonalTokenRow {
  readonly id: number;
  readonly user_id: number;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export interface OAuthTokenRow {
  readonly id: number;
  readonly application_id: number | null;
  readonly user_id: number | null;
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
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

export function hasAnyPassword(store: Store): boolean {
  return store.get('SELECT 1 FROM users WHERE password_hash IS NOT NULL LIMIT 1') !== undefined;
}

export function hasUserBeside(store: Store, id: number): boolean {
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

export function insertUser(store: Store, user: NewUserRow): number {
  return store.run(
    `INSERT INTO users (username, name, email, password_hash, admin, external, private_profile, bio, created_at, updated_at)
     VALUES ($username, $name, $email, $password_hash, $admin, $external, $private_profile, $bio, $now, $now)`,
    { ...user },
  ).lastId;
}

export function insertUserNamespace(store: Store, user: { id: number; username: string; name: string; now: number }): void {
  store.run(
    `INSERT INTO namespaces (kind, name, path, full_path, owner_id, visibility, created_at)
     VALUES ('user', $name, $username, $username, $id, 'public', $now)`,
    { ...user },
  );
}

export function namespaceIdOfUser(store: Store, userId: number): number | undefined {
  return store.get<{ id: number }>("SELECT id FROM namespaces WHERE owner_id = $userId AND kind = 'user'", { userId })?.id;
}

export function setPasswordHash(store: Store, userId: number, hash: string, now: number): void {
  store.run('UPDATE users SET password_hash = $hash, updated_at = $now WHERE id = $userId', { userId, hash, now });
}

export function setUserState(store: Store, userId: number, state: UserRow['state'], now: number): void {
  store.run('UPDATE users SET state = $state, updated_at = $now WHERE id = $userId', { userId, state, now });
}

export type UserValues = Pick<UserRow, 'name' | 'email' | 'bio' | 'admin' | 'external' | 'private_profile'>;

/** Writes what administrators may change of a person; their namespace is called like them. */
export function writeUser(store: Store, userId: number, values: UserValues, now: number): void {
  const { name, email, bio, admin, external, private_profile } = values;
  store.run(
    `UPDATE users SET name = $name, email = $email, bio = $bio, admin = $admin, external = $external,
       private_profile = $private_profile, updated_at = $now
     WHERE id = $userId`,
    { userId, now, name, email, bio, admin, external, private_profile },
  );
  store.run("UPDATE namespaces SET name = $name WHERE owner_id = $userId AND kind = 'user'", { userId, name });
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

export function personalTokenByHash(store: Store, hash: string): PersonalTokenRow | undefined {
  return store.get<PersonalTokenRow>(
    `SELECT id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
     FROM personal_access_tokens WHERE token_hash = $hash`,
    { hash },
  );
}

export function personalTokenById(store: Store, id: number): PersonalTokenRow | undefined {
  return store.get<PersonalTokenRow>(
    `SELECT id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
     FROM personal_access_tokens WHERE id = $id`,
    { id },
  );
}

export function oauthTokenByHash(store: Store, hash: string): OAuthTokenRow | undefined {
  return store.get<OAuthTokenRow>(
    'SELECT id, application_id, user_id, scopes, expires_at, revoked_at FROM oauth_tokens WHERE access_hash = $hash',
    { hash },
  );
}

export function insertPersonalToken(
  store: Store,
  token: { userId: number; name: string; hash: string; scopes: string; now: number; expiresAt: number | null },
): number {
  return store.run(
    `INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes, created_at, expires_at)
     VALUES ($userId, $name, $hash, $scopes, $now, $expiresAt)`,
    { ...token },
  ).lastId;
}

export function revokePersonalTokens(store: Store, userId: number, name: string, exceptHash: string, now: number): void {
  store.run(
    `UPDATE personal_access_tokens SET revoked_at = $now
     WHERE user_id = $userId AND name = $name AND token_hash <> $exceptHash AND revoked_at IS NULL`,
    { userId, name, exceptHash, now },
  );
}

export function revokePersonalToken(store: Store, id: number, now: number): void {
  store.run('UPDATE personal_access_tokens SET revoked_at = $now WHERE id = $id AND revoked_at IS NULL', { id, now });
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
  readonly admins?: boolean;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

export type UserOrder = 'id' | 'name' | 'username' | 'created_at' | 'updated_at';

function conditions(filter: UserFilter): { where: string; params: Record<string, string | number> } {
  const parts: string[] = [];
  const params: Record<string, string | number> = {};
  if (filter.username !== undefined) {
    parts.push('username = $username');
    params['username'] = filter.username;
  }
  if (filter.search !== undefined) {
    parts.push("(name LIKE $search ESCAPE '!' OR username LIKE $search ESCAPE '!' OR email = $exact)");
    params['search'] = `%${filter.search.replaceAll(/[!%_]/g, '!$&')}%`;
    params['exact'] = filter.search;
  }
  if (filter.active === true) parts.push("state = 'active'");
  if (filter.blocked === true) parts.push("state = 'blocked'");
  if (filter.external === true) parts.push('external = 1');
  if (filter.admins === true) parts.push('admin = 1');
  if (filter.createdAfter !== undefined) {
    parts.push('created_at > $createdAfter');
    params['createdAfter'] = filter.createdAfter;
  }
  if (filter.createdBefore !== undefined) {
    parts.push('created_at < $createdBefore');
    params['createdBefore'] = filter.createdBefore;
  }
  return { where: parts.length === 0 ? 'true' : parts.join(' AND '), params };
}

export function countMatchingUsers(store: Store, filter: UserFilter, cap: number): number {
  const { where, params } = conditions(filter);
  const bound: SqlParams = { ...params, cap };
  return store.get<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM users WHERE ${where} LIMIT $cap)`, bound)?.n ?? 0;
}

/** Users in an order with the id as tie-breaker; `after` is the last row of the page before, for keyset pages. */
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
