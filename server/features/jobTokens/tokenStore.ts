import { jobsThatDoNotRun } from '../pipelines/pipelines.ts';
import type { Store } from '../../store/open.ts';

export interface JobTokenRow {
  readonly job_id: number;
  /** Null for tokens in text format. */
  readonly expires_at: number | null;
}

export function jobTokenByHash(store: Store, hash: string): JobTokenRow | undefined {
  return store.get<JobTokenRow>('SELECT job_id, expires_at FROM job_tokens WHERE token_hash = $hash', { hash });
}

export function insertJobToken(
  store: Store,
  token: { readonly jobId: number; readonly hash: string; readonly now: number; readonly expiresAt: number | null },
): void {
  store.run('INSERT INTO job_tokens (job_id, token_hash, created_at, expires_at) VALUES ($jobId, $hash, $now, $expiresAt)', {
    ...token,
  });
}

/** Deletes tokens that have expired or whose job no longer runs. */
export function deleteEndedTokens(store: Store, now: number): void {
  const jobs = store.all<{ id: number }>('SELECT DISTINCT job_id AS id FROM job_tokens').map(({ id }) => id);
  store.run('DELETE FROM job_tokens WHERE expires_at <= $now OR job_id IN (SELECT value FROM json_each($ended))', {
    now,
    ended: JSON.stringify(jobsThatDoNotRun(store, jobs)),
  });
}

/** Returns the choice of the top-level group that contains a project; undefined if it has chosen no format. */
export function chosenFormat(store: Store, projectId: number): 'jwt' | 'text' | undefined {
  const row = store.get<{ jwt: number }>(
    `SELECT f.jwt FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
     JOIN namespaces_view n ON n.id = a.ancestor_id AND n.parent_id IS NULL
     JOIN job_token_formats f ON f.namespace_id = n.id WHERE p.id = $projectId`,
    { projectId },
  );
  return row === undefined ? undefined : row.jwt === 1 ? 'jwt' : 'text';
}

export function formatOfGroup(store: Store, groupId: number): 'jwt' | 'text' | undefined {
  const row = store.get<{ jwt: number }>('SELECT jwt FROM job_token_formats WHERE namespace_id = $groupId', { groupId });
  return row === undefined ? undefined : row.jwt === 1 ? 'jwt' : 'text';
}

export function writeFormat(store: Store, groupId: number, format: 'jwt' | 'text'): void {
  store.run(
    `INSERT INTO job_token_formats (namespace_id, jwt) VALUES ($groupId, $jwt)
     ON CONFLICT (namespace_id) DO UPDATE SET jwt = $jwt`,
    { groupId, jwt: format === 'jwt' ? 1 : 0 },
  );
}
