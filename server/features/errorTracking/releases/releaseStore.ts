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

/** Returns the versions of the latest releases of a project, the latest first. */
export function latestReleases(store: Store, projectId: number, limit: number): string[] {
  return store
    .all<{ readonly version: string }>(
      'SELECT version FROM app_releases WHERE project_id = $projectId ORDER BY id DESC LIMIT $limit',
      {
        projectId,
        limit,
      },
    )
    .map(({ version }) => version);
}

/** Returns the releases in the events of an error, in the order in which the project first saw them. */
export function releasesOfError(store: Store, errorId: number): string[] {
  return store
    .all<{ readonly version: string }>(
      `SELECT release.version FROM app_releases AS release
       WHERE release.project_id = (SELECT project_id FROM tracked_errors WHERE id = $errorId) AND release.version IN
         (SELECT facet.value FROM tracked_groupings AS one JOIN tracked_facets AS facet ON facet.grouping_id = one.id
          WHERE one.error_id = $errorId AND facet.kind = 'release')
       ORDER BY release.first_seen_at, release.id`,
      { errorId },
    )
    .map(({ version }) => version);
}

/** Returns the releases that a project first saw after a time, in that order, at most a hundred. */
export function releasesSince(store: Store, projectId: number, at: number): string[] {
  return store
    .all<{ readonly version: string }>(
      `SELECT version FROM app_releases WHERE project_id = $projectId AND first_seen_at > $at ORDER BY first_seen_at, id LIMIT 100`,
      { projectId, at },
    )
    .map(({ version }) => version);
}
