import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface ClientKeyRow {
  readonly id: number;
  readonly project_id: number;
  readonly public_key: string;
  readonly active: 0 | 1;
  readonly created_at: number;
}

const COLUMNS = 'id, project_id, public_key, active, created_at';

export function countKeys(store: Store, projectId: number, cap: number): number {
  return countRows(store, 'FROM error_tracking_client_keys WHERE project_id = $projectId', { projectId }, cap);
}

/** Returns keys of a project by ID. Uses the index error_tracking_client_keys_by_project. */
export function listKeys(store: Store, projectId: number, limit: number, offset: number): ClientKeyRow[] {
  return store.all<ClientKeyRow>(
    `SELECT ${COLUMNS} FROM error_tracking_client_keys WHERE project_id = $projectId ORDER BY id LIMIT $limit OFFSET $offset`,
    { projectId, limit, offset },
  );
}

export function keyById(store: Store, projectId: number, id: number): ClientKeyRow | undefined {
  return store.get<ClientKeyRow>(`SELECT ${COLUMNS} FROM error_tracking_client_keys WHERE id = $id AND project_id = $projectId`, {
    id,
    projectId,
  });
}

/** Returns the client key with an ID, of whatever project. */
export function anyKeyById(store: Store, id: number): ClientKeyRow | undefined {
  return store.get<ClientKeyRow>(`SELECT ${COLUMNS} FROM error_tracking_client_keys WHERE id = $id`, { id });
}

/** Uses the unique index of public keys. */
export function keyByPublicKey(store: Store, publicKey: string): ClientKeyRow | undefined {
  return store.get<ClientKeyRow>(`SELECT ${COLUMNS} FROM error_tracking_client_keys WHERE public_key = $publicKey`, {
    publicKey,
  });
}

export function isKeyTaken(store: Store, publicKey: string): boolean {
  return store.get('SELECT 1 FROM error_tracking_client_keys WHERE public_key = $publicKey', { publicKey }) !== undefined;
}

export function insertKey(store: Store, row: Omit<ClientKeyRow, 'id'>): number {
  return store.run(
    `INSERT INTO error_tracking_client_keys (project_id, public_key, active, created_at)
     VALUES ($project_id, $public_key, $active, $created_at)`,
    { ...row },
  ).lastId;
}

export function deleteKeyRow(store: Store, id: number): void {
  store.run('DELETE FROM error_tracking_client_keys WHERE id = $id', { id });
}
