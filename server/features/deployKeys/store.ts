import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface DeployKeyRow {
  readonly id: number;
  readonly title: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly fingerprint_sha256: string;
  readonly public: 0 | 1;
  readonly created_at: number;
  readonly expires_at: number | null;
}

/** A key that is enabled for a project. */
export interface ProjectKeyRow extends DeployKeyRow {
  readonly can_push: 0 | 1;
}

const COLUMNS = 'k.id, k.title, k.key, k.fingerprint, k.fingerprint_sha256, k.public, k.created_at, k.expires_at';
const OF_PROJECT = 'deploy_key_projects p JOIN deploy_keys k ON k.id = p.deploy_key_id';

export function countKeys(store: Store, isPublic: boolean, cap: number): number {
  return countRows(store, 'FROM deploy_keys WHERE public >= $least', { least: isPublic ? 1 : 0 }, cap);
}

/** Returns all keys of the instance, or the public ones, oldest first. */
export function listKeys(store: Store, isPublic: boolean, limit: number, offset: number): DeployKeyRow[] {
  return store.all<DeployKeyRow>(
    `SELECT ${COLUMNS} FROM deploy_keys k WHERE k.public >= $least ORDER BY k.id LIMIT $limit OFFSET $offset`,
    { least: isPublic ? 1 : 0, limit, offset },
  );
}

export function countProjectKeys(store: Store, projectId: number, cap: number): number {
  return countRows(store, 'FROM deploy_key_projects WHERE project_id = $projectId', { projectId }, cap);
}

/** Returns the keys of a project, oldest first. */
export function listProjectKeys(store: Store, projectId: number, limit: number, offset: number): ProjectKeyRow[] {
  return store.all<ProjectKeyRow>(
    `SELECT ${COLUMNS}, p.can_push FROM ${OF_PROJECT} WHERE p.project_id = $projectId ORDER BY k.id LIMIT $limit OFFSET $offset`,
    { projectId, limit, offset },
  );
}

export function projectKey(store: Store, projectId: number, id: number): ProjectKeyRow | undefined {
  return store.get<ProjectKeyRow>(
    `SELECT ${COLUMNS}, p.can_push FROM ${OF_PROJECT} WHERE p.project_id = $projectId AND k.id = $id`,
    { projectId, id },
  );
}

export function keyById(store: Store, id: number): DeployKeyRow | undefined {
  return store.get<DeployKeyRow>(`SELECT ${COLUMNS} FROM deploy_keys k WHERE k.id = $id`, { id });
}

export function keyByFingerprint(store: Store, fingerprint: string): DeployKeyRow | undefined {
  return store.get<DeployKeyRow>(`SELECT ${COLUMNS} FROM deploy_keys k WHERE k.fingerprint_sha256 = $fingerprint`, {
    fingerprint,
  });
}

export function insertKey(store: Store, key: Omit<DeployKeyRow, 'id'>): number {
  return store.run(
    `INSERT INTO deploy_keys (title, key, fingerprint, fingerprint_sha256, public, created_at, expires_at)
     VALUES ($title, $key, $fingerprint, $fingerprint_sha256, $public, $created_at, $expires_at)`,
    { ...key },
  ).lastId;
}

export function writeTitle(store: Store, id: number, title: string): void {
  store.run('UPDATE deploy_keys SET title = $title WHERE id = $id', { id, title });
}

/** Enables a key for a project, or changes whether it can push. */
export function writeProjectKey(store: Store, projectId: number, id: number, canPush: 0 | 1): void {
  store.run(
    `INSERT INTO deploy_key_projects (deploy_key_id, project_id, can_push) VALUES ($id, $projectId, $canPush)
     ON CONFLICT DO UPDATE SET can_push = $canPush`,
    { id, projectId, canPush },
  );
}

/** Removes a key from a project. A private key that no project uses any more is deleted. */
export function deleteProjectKey(store: Store, projectId: number, id: number): void {
  store.run('DELETE FROM deploy_key_projects WHERE deploy_key_id = $id AND project_id = $projectId', { id, projectId });
  store.run(
    `DELETE FROM deploy_keys WHERE id = $id AND public = 0
       AND NOT EXISTS (SELECT 1 FROM deploy_key_projects WHERE deploy_key_id = $id)`,
    { id },
  );
}

/** Returns true if a deploy key is enabled for a project and can push to it. */
export function isPushingKey(store: Store, projectId: number, keyId: number): boolean {
  return (
    store.get('SELECT 1 FROM deploy_key_projects WHERE project_id = $projectId AND deploy_key_id = $keyId AND can_push = 1', {
      projectId,
      keyId,
    }) !== undefined
  );
}

/** Returns the IDs of the projects that use a key, in ascending order. */
export function projectsOfKey(store: Store, id: number, canPush: 0 | 1, limit: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT project_id AS id FROM deploy_key_projects WHERE deploy_key_id = $id AND can_push = $canPush
       ORDER BY project_id LIMIT $limit`,
      { id, canPush, limit },
    )
    .map((row) => row.id);
}

/** Returns true if a user is at least a maintainer of a project that uses a key. */
export function isManaged(store: Store, id: number, userId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM deploy_key_projects p JOIN project_access_view m ON m.project_id = p.project_id
       WHERE p.deploy_key_id = $id AND m.user_id = $userId AND m.access_level >= 40 LIMIT 1`,
      { id, userId },
    ) !== undefined
  );
}
