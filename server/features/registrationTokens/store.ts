import type { Store } from '../../store/open.ts';

/** The instance, a group or a project, whose runners register with a token. `id` is 0 for the instance. */
export interface TokenOwner {
  readonly kind: 'instance' | 'group' | 'project';
  readonly id: number;
}

function columnsOf({ kind, id }: TokenOwner): { readonly groupId: number | null; readonly projectId: number | null } {
  return { groupId: kind === 'group' ? id : null, projectId: kind === 'project' ? id : null };
}

const OWNED = 'group_id IS $groupId AND project_id IS $projectId';

/** Returns how often the token of an owner was reset. */
export function resetsOf(store: Store, owner: TokenOwner): number {
  const sql = `SELECT resets FROM runner_registration_tokens WHERE ${OWNED}`;
  return store.get<{ resets: number }>(sql, columnsOf(owner))?.resets ?? 0;
}

/** Counts a reset of the token of an owner. It also ends a token of the environment. */
export function storeReset(store: Store, owner: TokenOwner): void {
  const columns = columnsOf(owner);
  const { changes } = store.run(
    `UPDATE runner_registration_tokens SET resets = resets + 1, token_hash = NULL WHERE ${OWNED}`,
    columns,
  );
  if (changes > 0) return;
  store.run('INSERT INTO runner_registration_tokens (group_id, project_id, resets) VALUES ($groupId, $projectId, 1)', columns);
}

const OF_INSTANCE = 'group_id IS NULL AND project_id IS NULL';

/** Returns the hash of the token of the instance that was adopted from the environment; undefined if there is none. */
export function adoptedHash(store: Store): string | undefined {
  const sql = `SELECT token_hash AS hash FROM runner_registration_tokens WHERE ${OF_INSTANCE}`;
  return store.get<{ hash: string | null }>(sql)?.hash ?? undefined;
}

export function storeAdoptedHash(store: Store, hash: string): void {
  store.transaction(() => {
    const sql = `UPDATE runner_registration_tokens SET token_hash = $hash WHERE ${OF_INSTANCE}`;
    if (store.run(sql, { hash }).changes > 0) return;
    store.run('INSERT INTO runner_registration_tokens (resets, token_hash) VALUES (0, $hash)', { hash });
  });
}

export function ownerExists(store: Store, { kind, id }: TokenOwner): boolean {
  if (kind === 'instance') return id === 0;
  const sql =
    kind === 'group'
      ? "SELECT 1 FROM namespaces_view WHERE id = $id AND kind = 'group'"
      : 'SELECT 1 FROM projects_view WHERE id = $id';
  return store.get(sql, { id }) !== undefined;
}
