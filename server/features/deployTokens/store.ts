import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface DeployTokenRow {
  readonly id: number;
  /** Project to which it belongs; null for tokens of groups. */
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly name: string;
  readonly username: string;
  /** Names of scopes, separated by spaces. */
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
}

/** The project or group of tokens. Neither is set for all tokens of the instance. */
export interface TokenContainer {
  readonly projectId: number | null;
  readonly groupId: number | null;
}

export interface DeployTokenFilter extends TokenContainer {
  /** Time at which tokens must not have expired; null for all tokens. */
  readonly activeAt: number | null;
}

const COLUMNS = 'id, project_id, group_id, name, username, scopes, created_at, expires_at';

function whereSql({ projectId, groupId, activeAt }: DeployTokenFilter): string {
  return [
    'true',
    ...(projectId === null ? [] : ['project_id = $projectId']),
    ...(groupId === null ? [] : ['group_id = $groupId']),
    ...(activeAt === null ? [] : ['(expires_at IS NULL OR expires_at > $activeAt)']),
  ].join(' AND ');
}

function paramsOf({ projectId, groupId, activeAt }: DeployTokenFilter): Record<string, number> {
  return {
    ...(projectId === null ? {} : { projectId }),
    ...(groupId === null ? {} : { groupId }),
    ...(activeAt === null ? {} : { activeAt }),
  };
}

export function countTokens(store: Store, filter: DeployTokenFilter, cap: number): number {
  return countRows(store, `FROM deploy_tokens WHERE ${whereSql(filter)}`, paramsOf(filter), cap);
}

/** Returns tokens, oldest first. */
export function listTokens(store: Store, filter: DeployTokenFilter, limit: number, offset: number): DeployTokenRow[] {
  return store.all<DeployTokenRow>(
    `SELECT ${COLUMNS} FROM deploy_tokens WHERE ${whereSql(filter)} ORDER BY id LIMIT $limit OFFSET $offset`,
    { ...paramsOf(filter), limit, offset },
  );
}

export function tokenById(store: Store, container: TokenContainer, id: number): DeployTokenRow | undefined {
  const filter = { ...container, activeAt: null };
  return store.get<DeployTokenRow>(`SELECT ${COLUMNS} FROM deploy_tokens WHERE id = $id AND ${whereSql(filter)}`, {
    ...paramsOf(filter),
    id,
  });
}

export function tokenByHash(store: Store, hash: string): DeployTokenRow | undefined {
  return store.get<DeployTokenRow>(`SELECT ${COLUMNS} FROM deploy_tokens WHERE token_hash = $hash`, { hash });
}

export function insertToken(
  store: Store,
  token: TokenContainer & Pick<DeployTokenRow, 'name' | 'scopes' | 'expires_at'> & { readonly hash: string },
  now: number,
): number {
  return store.run(
    `INSERT INTO deploy_tokens (project_id, group_id, name, username, token_hash, scopes, created_at, expires_at)
     VALUES ($projectId, $groupId, $name, '', $hash, $scopes, $now, $expires_at)`,
    { ...token, now },
  ).lastId;
}

export function writeUsername(store: Store, id: number, username: string): void {
  store.run('UPDATE deploy_tokens SET username = $username WHERE id = $id', { id, username });
}

export function deleteTokenRow(store: Store, id: number): void {
  store.run('DELETE FROM deploy_tokens WHERE id = $id', { id });
}

/** Returns true if a group contains a project, at any depth. */
export function isInGroup(store: Store, projectId: number, groupId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
       WHERE p.id = $projectId AND a.ancestor_id = $groupId`,
      { projectId, groupId },
    ) !== undefined
  );
}

/** Returns true if a group is in another one, or is that group. */
export function isBelowGroup(store: Store, groupId: number, ancestorId: number): boolean {
  const sql = 'SELECT 1 FROM namespace_ancestors_view WHERE namespace_id = $groupId AND ancestor_id = $ancestorId';
  return store.get(sql, { groupId, ancestorId }) !== undefined;
}
