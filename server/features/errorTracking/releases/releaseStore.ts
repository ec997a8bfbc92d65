import type { Store } from '../../../store/open.ts';

/** Returns the ID of a release, and creates it if it does not exist. */
export function releaseIdOf(store: Store, projectId: number, version: string, at: number): number {
  return findReleaseId(store, projectId, version) ?? insertRelease(store, projectId, version, at);
}

export function findReleaseId(store: Store, projectId: number, version: string): number | undefined {
  return store.get<{ readonly id: number }>('SELECT id FROM app_releases WHERE project_id = $projectId AND version = $version', {
    projectId,
    version,
  })?.id;
}

export function insertRelease(store: Store, projectId: number, version: string, at: number): number {
  return store.run('INSERT INTO app_releases (project_id, version, first_seen_at) VALUES ($projectId, $version, $at)', {
    projectId,
    version,
    at,
  }).lastId;
}

interface SeenReleaseRow {
  readonly name: string;
  readonly firstSeenAt: number;
}

export function releaseNamed(store: Store, projectId: number, name: string): SeenReleaseRow | undefined {
  return store.get<SeenReleaseRow>(
    'SELECT version AS name, first_seen_at AS firstSeenAt FROM app_releases WHERE project_id = $projectId AND version = $name',
    { projectId, name },
  );
}

/** Returns the latest releases of a project, at most a thousand. */
export function releasesSeen(store: Store, projectId: number): SeenReleaseRow[] {
  return store.all<SeenReleaseRow>(
    'SELECT version AS name, first_seen_at AS firstSeenAt FROM app_releases WHERE project_id = $projectId ORDER BY id DESC LIMIT 1000',
    { projectId },
  );
}
