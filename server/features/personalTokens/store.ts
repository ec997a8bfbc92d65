import { beginCondition, type SqlParams } from '../../store/sql.ts';
import type { Store } from '../../store/open.ts';
import { countRows } from '../../store/count.ts';

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

const personalTokenColumns = 'id, user_id, family, name, description, scopes, created_at, expires_at, revoked_at, last_used_at';

// Nearly every request needs it, so its text is made once.
const BY_HASH = `SELECT ${personalTokenColumns} FROM personal_access_tokens WHERE token_hash = $hash`;

export function personalTokenByHash(store: Store, hash: string): PersonalTokenRow | undefined {
  return store.get<PersonalTokenRow>(BY_HASH, { hash });
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
