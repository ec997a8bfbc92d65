import { hashSecret, numberInSecret } from '../../core/secrets.ts';
import type { Store } from '../../store/open.ts';

export interface ApplicationRow {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly owner_id: number | null;
  readonly secret_hash: string | null;
  readonly redirect_uris: string;
  readonly scopes: string;
  readonly confidential: 0 | 1;
  readonly trusted: 0 | 1;
  readonly created_at: number;
}

export interface DeviceGrantRow {
  readonly id: number;
  readonly application_id: number;
  readonly scopes: string;
  readonly address: string;
  readonly interval_seconds: number;
  readonly state: 'pending' | 'approved' | 'denied' | 'spent';
  readonly user_id: number | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Access token with its refresh token. Rotation creates a new row of the same family and marks the old one. */
export interface TokenRow {
  readonly id: number;
  /** Null for a token of the password grant without an application. */
  readonly application_id: number | null;
  readonly user_id: number | null;
  readonly family: number;
  readonly grant_type: string;
  readonly redirect_uri: string | null;
  readonly code_challenge: string | null;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly rotated_at: number | null;
  /** Time of the sign-in of the user who granted it; null if unknown. */
  readonly authenticated_at: number | null;
}

export function applicationByUid(store: Store, uid: string): ApplicationRow | undefined {
  return store.get<ApplicationRow>('SELECT * FROM oauth_applications WHERE uid = $uid', { uid });
}

export function applicationById(store: Store, id: number): ApplicationRow | undefined {
  return store.get<ApplicationRow>('SELECT * FROM oauth_applications WHERE id = $id', { id });
}

/** Returns the application that a token was issued to, or undefined. */
export function applicationOf(store: Store, token: TokenRow | undefined): ApplicationRow | undefined {
  return token === undefined || token.application_id === null ? undefined : applicationById(store, token.application_id);
}

/** Returns the applications of an owner, or all, ordered by ID. */
export function applicationsOf(store: Store, ownerId: number | undefined): readonly ApplicationRow[] {
  return ownerId === undefined
    ? store.all<ApplicationRow>('SELECT * FROM oauth_applications ORDER BY id')
    : store.all<ApplicationRow>('SELECT * FROM oauth_applications WHERE owner_id = $ownerId ORDER BY id', { ownerId });
}

/** Returns the names of applications by their IDs. */
export function applicationNames(store: Store, ids: readonly number[]): ReadonlyMap<number, string> {
  const rows = store.all<{ readonly id: number; readonly name: string }>(
    'SELECT id, name FROM oauth_applications WHERE id IN (SELECT value FROM json_each($ids))',
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns the IDs of the applications that tokens were issued to, by the IDs of the tokens. */
export function applicationsOfTokens(store: Store, tokenIds: readonly number[]): ReadonlyMap<number, number> {
  const rows = store.all<{ readonly id: number; readonly application_id: number }>(
    `SELECT id, application_id FROM oauth_tokens
     WHERE id IN (SELECT value FROM json_each($tokenIds)) AND application_id IS NOT NULL`,
    { tokenIds: JSON.stringify(tokenIds) },
  );
  return new Map(rows.map(({ id, application_id: applicationId }) => [id, applicationId]));
}

export function writeSecretHash(store: Store, id: number, secretHash: string): void {
  store.run('UPDATE oauth_applications SET secret_hash = $secretHash WHERE id = $id', { id, secretHash });
}

/** Deletes an application with all its grants. Returns false if it does not exist. */
export function removeApplication(store: Store, id: number): boolean {
  return store.run('DELETE FROM oauth_applications WHERE id = $id', { id }).changes === 1;
}

/** Inserts an application, or updates the one with the same uid. */
export function putApplication(
  store: Store,
  application: {
    uid: string;
    name: string;
    ownerId: number | null;
    secretHash: string | null;
    redirectUris: string;
    scopes: string;
    confidential: number;
    trusted: number;
    now: number;
  },
): ApplicationRow {
  store.run(
    `INSERT INTO oauth_applications (uid, name, owner_id, secret_hash, redirect_uris, scopes, confidential, trusted, created_at)
     VALUES ($uid, $name, $ownerId, $secretHash, $redirectUris, $scopes, $confidential, $trusted, $now)
     ON CONFLICT (uid) DO UPDATE SET name = $name, secret_hash = $secretHash, redirect_uris = $redirectUris, scopes = $scopes,
       confidential = $confidential, trusted = $trusted`,
    { ...application },
  );
  const row = applicationByUid(store, application.uid);
  if (row === undefined) throw new Error('the application does not exist');
  return row;
}

const grantColumns = 'id, application_id, scopes, address, interval_seconds, state, user_id, created_at, expires_at';

export function deviceGrantByDeviceCode(store: Store, hash: string): DeviceGrantRow | undefined {
  return store.get<DeviceGrantRow>(`SELECT ${grantColumns} FROM oauth_device_grants WHERE device_code_hash = $hash`, { hash });
}

export function deviceGrantByUserCode(store: Store, hash: string): DeviceGrantRow | undefined {
  return store.get<DeviceGrantRow>(`SELECT ${grantColumns} FROM oauth_device_grants WHERE user_code_hash = $hash`, { hash });
}

/** Returns the number of pending codes of a client that were requested from an IP address, and the expiry of the first one. */
export function outstandingDeviceGrants(
  store: Store,
  applicationId: number,
  address: string,
  now: number,
): { readonly count: number; readonly firstExpiry: number } {
  const row = store.get<{ count: number; firstExpiry: number | null }>(
    `SELECT count(*) AS count, min(expires_at) AS firstExpiry FROM oauth_device_grants
     WHERE application_id = $applicationId AND address = $address AND state = 'pending' AND expires_at > $now`,
    { applicationId, address, now },
  );
  return { count: row?.count ?? 0, firstExpiry: row?.firstExpiry ?? now };
}

/** Deletes all but the newest `most` pending grants of a client that loopback callers started. */
export function dropLoopbackDeviceGrants(store: Store, applicationId: number, most: number): void {
  const own = `application_id = $applicationId AND state = 'pending'
    AND (address = '::1' OR address LIKE '127.%' OR address LIKE '::ffff:127.%')`;
  store.run(
    `DELETE FROM oauth_device_grants WHERE id IN (SELECT id FROM oauth_device_grants WHERE ${own} ORDER BY id DESC LIMIT -1 OFFSET $most)`,
    { applicationId, most },
  );
}

/** Inserts a device grant. Returns false if one of its codes exists already. */
export function insertDeviceGrant(
  store: Store,
  grant: {
    applicationId: number;
    deviceCodeHash: string;
    userCodeHash: string;
    scopes: string;
    address: string;
    interval: number;
    now: number;
    expiresAt: number;
  },
): boolean {
  return (
    store.run(
      `INSERT INTO oauth_device_grants
         (application_id, device_code_hash, user_code_hash, scopes, address, interval_seconds, created_at, expires_at)
       VALUES ($applicationId, $deviceCodeHash, $userCodeHash, $scopes, $address, $interval, $now, $expiresAt)
       ON CONFLICT DO NOTHING`,
      { ...grant },
    ).changes === 1
  );
}

/** Decides a pending grant before its expiry. Returns false if it is too late. */
export function decideDeviceGrant(
  store: Store,
  decision: { id: number; userId: number; state: 'approved' | 'denied'; now: number },
): boolean {
  return (
    store.run(
      `UPDATE oauth_device_grants SET state = $state, user_id = $userId
       WHERE id = $id AND state = 'pending' AND expires_at > $now`,
      { ...decision },
    ).changes === 1
  );
}

/** Uses up an approved grant. Returns true for the first caller only. */
export function spendDeviceGrant(store: Store, id: number): boolean {
  return store.run("UPDATE oauth_device_grants SET state = 'spent' WHERE id = $id AND state = 'approved'", { id }).changes === 1;
}

export function raiseInterval(store: Store, id: number, interval: number): void {
  store.run('UPDATE oauth_device_grants SET interval_seconds = $interval WHERE id = $id', { id, interval });
}

export interface CodeRow {
  readonly id: number;
  readonly application_id: number;
  readonly user_id: number;
  readonly redirect_uri: string;
  readonly scopes: string;
  readonly code_challenge: string | null;
  readonly nonce: string | null;
  readonly authenticated_at: number | null;
  readonly family: number | null;
  readonly spent_at: number | null;
  readonly expires_at: number;
}

export function insertCode(
  store: Store,
  code: {
    applicationId: number;
    userId: number;
    codeHash: string;
    redirectUri: string;
    scopes: string;
    codeChallenge: string | null;
    nonce: string | null;
    authenticatedAt: number | null;
    now: number;
    expiresAt: number;
  },
): void {
  store.run(
    `INSERT INTO oauth_authorization_codes (application_id, user_id, code_hash, redirect_uri, scopes, code_challenge, nonce,
       authenticated_at, created_at, expires_at)
     VALUES ($applicationId, $userId, $codeHash, $redirectUri, $scopes, $codeChallenge, $nonce, $authenticatedAt, $now, $expiresAt)`,
    { ...code },
  );
}

export function codeByHash(store: Store, hash: string): CodeRow | undefined {
  return store.get<CodeRow>('SELECT * FROM oauth_authorization_codes WHERE code_hash = $hash', { hash });
}

/** Uses up a code. Returns true for the first caller only. */
export function spendCode(store: Store, id: number, now: number): boolean {
  return (
    store.run('UPDATE oauth_authorization_codes SET spent_at = $now WHERE id = $id AND spent_at IS NULL', { id, now }).changes ===
    1
  );
}

/** Stores the tokens that a code was exchanged for, so that a second use can revoke them. */
export function recordFamilyOfCode(store: Store, id: number, family: number): void {
  store.run('UPDATE oauth_authorization_codes SET family = $family WHERE id = $id', { id, family });
}

/** Returns the scopes of all active sign-ins of a user with an application. */
export function livingGrants(store: Store, applicationId: number, userId: number): readonly string[] {
  return store
    .all<{ scopes: string }>(
      `SELECT scopes FROM oauth_tokens
       WHERE application_id = $applicationId AND user_id = $userId AND ended_at IS NULL AND id = family`,
      { applicationId, userId },
    )
    .map(({ scopes }) => scopes);
}

/** Tokens contain the number of their row. Older tokens do not and are found by their hashes. */
const NUMBERED = 'id = coalesce((SELECT token_id FROM earlier_oauth_tokens WHERE hash = $hash), $number)';

const tokenColumns =
  'id, application_id, user_id, family, grant_type, redirect_uri, code_challenge, scopes, created_at, expires_at, revoked_at, rotated_at, authenticated_at';

export function tokenByAccessToken(store: Store, token: string): TokenRow | undefined {
  return store.get<TokenRow>(`SELECT ${tokenColumns} FROM oauth_tokens WHERE ${NUMBERED} AND access_hash = $hash`, {
    number: numberInSecret(token),
    hash: hashSecret(token),
  });
}

export function tokenByRefreshToken(store: Store, token: string): TokenRow | undefined {
  return store.get<TokenRow>(`SELECT ${tokenColumns} FROM oauth_tokens WHERE ${NUMBERED} AND refresh_hash = $hash`, {
    number: numberInSecret(token),
    hash: hashSecret(token),
  });
}

export function tokenById(store: Store, id: number): TokenRow | undefined {
  return store.get<TokenRow>(`SELECT ${tokenColumns} FROM oauth_tokens WHERE id = $id`, { id });
}

/** Returns the number of the next row. Numbers are never reused. */
export function nextTokenNumber(store: Store): number {
  return store.get<{ next: number }>("SELECT seq + 1 AS next FROM sqlite_sequence WHERE name = 'oauth_tokens'")?.next ?? 1;
}

/** Inserts a token. With `family` null it begins a new family, which has the number of its first token. */
export function insertToken(
  store: Store,
  token: {
    number: number;
    applicationId: number | null;
    userId: number | null;
    family: number | null;
    grantType: string;
    redirectUri: string | null;
    codeChallenge: string | null;
    accessHash: string;
    refreshHash: string | null;
    scopes: string;
    authenticatedAt: number | null;
    now: number;
    expiresAt: number;
  },
): void {
  store.run(
    `INSERT INTO oauth_tokens (id, application_id, user_id, family, grant_type, redirect_uri, code_challenge, access_hash, refresh_hash,
       scopes, authenticated_at, created_at, expires_at)
     VALUES ($number, $applicationId, $userId, coalesce($family, $number), $grantType, $redirectUri, $codeChallenge, $accessHash, $refreshHash,
       $scopes, $authenticatedAt, $now, $expiresAt)`,
    { ...token },
  );
}

/** Ends a pair because its refresh token was used. Returns true for the first caller only. */
export function rotateToken(store: Store, id: number, now: number): boolean {
  return (
    store.run('UPDATE oauth_tokens SET rotated_at = $now, revoked_at = $now WHERE id = $id AND revoked_at IS NULL', { id, now })
      .changes === 1
  );
}

export function revokeFamily(store: Store, family: number, now: number): void {
  store.run(
    `UPDATE oauth_tokens SET revoked_at = coalesce(revoked_at, $now), ended_at = $now
     WHERE family = $family AND ended_at IS NULL`,
    { family, now },
  );
}

/** Returns the time at which the first family ended, or null. */
export function firstEndOfFamilies(store: Store): number | null {
  const sql = 'SELECT min(ended_at) AS at FROM oauth_tokens WHERE ended_at IS NOT NULL';
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

/** Deletes up to `most` tokens of families that ended by a given time, oldest first. Returns their number. */
export function removeFamiliesEndedUntil(store: Store, until: number, most: number): number {
  return store.run('DELETE FROM oauth_tokens WHERE ended_at <= $until ORDER BY ended_at LIMIT $most', { until, most }).changes;
}

/** Valid or renewable token of a user, with the start of its sign-in. */
export interface GrantedToken {
  /** Null for a token of the password grant without an application. */
  readonly applicationId: number | null;
  readonly name: string | null;
  readonly scopes: string;
  readonly since: number;
  readonly renewedAt: number;
}

/** Returns tokens ordered by the name of their application (those without one first), oldest first. */
export function grantedTokens(store: Store, userId: number, now: number): readonly GrantedToken[] {
  return store.all<GrantedToken>(
    `SELECT t.application_id AS applicationId, a.name, t.scopes, f.created_at AS since, t.created_at AS renewedAt
     FROM oauth_tokens t
       LEFT JOIN oauth_applications a ON a.id = t.application_id
       JOIN oauth_tokens f ON f.id = t.family
     WHERE t.user_id = $userId AND t.revoked_at IS NULL AND (t.refresh_hash IS NOT NULL OR t.expires_at IS NULL OR t.expires_at > $now)
     ORDER BY a.name, a.id, t.id`,
    { userId, now },
  );
}

/**
 * Revokes the grants of a user to an application (tokens, codes, devices), or with null the tokens without an application. Returns the number
 * of rows.
 */
export function takeBackGrants(
  store: Store,
  { now, ...whose }: { readonly userId: number; readonly applicationId: number | null; readonly now: number },
): number {
  const tokens = store.run(
    `UPDATE oauth_tokens SET revoked_at = coalesce(revoked_at, $now), ended_at = $now
     WHERE user_id = $userId AND application_id IS $applicationId AND ended_at IS NULL`,
    { ...whose, now },
  );
  const codes = store.run(
    'DELETE FROM oauth_authorization_codes WHERE user_id = $userId AND application_id = $applicationId AND spent_at IS NULL',
    whose,
  );
  const devices = store.run(
    `UPDATE oauth_device_grants SET state = 'denied'
     WHERE user_id = $userId AND application_id = $applicationId AND state = 'approved'`,
    whose,
  );
  return tokens.changes + codes.changes + devices.changes;
}
