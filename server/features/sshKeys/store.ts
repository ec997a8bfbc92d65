import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

/** Values of `usage_type`. */
export const usageTypes = ['auth', 'signing', 'auth_and_signing'] as const;
export type UsageType = (typeof usageTypes)[number];

export interface SshKeyRow {
  readonly id: number;
  readonly user_id: number;
  readonly title: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly fingerprint_sha256: string;
  readonly usage_type: UsageType;
  readonly created_at: number;
  readonly expires_at: number | null;
}

const COLUMNS = 'id, user_id, title, key, fingerprint, fingerprint_sha256, usage_type, created_at, expires_at';

export function countKeys(store: Store, userId: number, cap: number): number {
  return countRows(store, 'FROM ssh_keys WHERE user_id = $userId', { userId }, cap);
}

/** Returns the keys of a user, oldest first. */
export function listKeys(store: Store, userId: number, limit: number, offset: number): SshKeyRow[] {
  return store.all<SshKeyRow>(`SELECT ${COLUMNS} FROM ssh_keys WHERE user_id = $userId ORDER BY id LIMIT $limit OFFSET $offset`, {
    userId,
    limit,
    offset,
  });
}

export function keyById(store: Store, id: number): SshKeyRow | undefined {
  return store.get<SshKeyRow>(`SELECT ${COLUMNS} FROM ssh_keys WHERE id = $id`, { id });
}

/** Returns the key with a fingerprint in the form in which it is stored: MD5 or SHA-256. */
export function keyByFingerprint(store: Store, fingerprint: string): SshKeyRow | undefined {
  return store.get<SshKeyRow>(
    `SELECT ${COLUMNS} FROM ssh_keys WHERE fingerprint_sha256 = $fingerprint OR fingerprint = $fingerprint`,
    { fingerprint },
  );
}

/** Returns true if a user has the key with this SHA-256 fingerprint. */
export function isKeyOfUser(store: Store, fingerprint: string): boolean {
  return store.get('SELECT 1 FROM ssh_keys WHERE fingerprint_sha256 = $fingerprint', { fingerprint }) !== undefined;
}

/** Returns true if a project has a deploy key with this SHA-256 fingerprint. */
export function isDeployKey(store: Store, fingerprint: string): boolean {
  return store.get('SELECT 1 FROM deploy_keys_view WHERE fingerprint_sha256 = $fingerprint', { fingerprint }) !== undefined;
}

export function insertKey(store: Store, key: Omit<SshKeyRow, 'id'>): number {
  return store.run(
    `INSERT INTO ssh_keys (user_id, title, key, fingerprint, fingerprint_sha256, usage_type, created_at, expires_at)
     VALUES ($user_id, $title, $key, $fingerprint, $fingerprint_sha256, $usage_type, $created_at, $expires_at)`,
    { ...key },
  ).lastId;
}

export function deleteKey(store: Store, id: number): void {
  store.run('DELETE FROM ssh_keys WHERE id = $id', { id });
}
