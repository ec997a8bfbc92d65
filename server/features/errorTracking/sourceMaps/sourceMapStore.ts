import type { Store } from '../../../store/open.ts';

/** An uploaded source map without its content. Unknown values of release, distribution, name and debug ID are empty. */
export interface SourceMapRow {
  readonly id: number;
  readonly project_id: number;
  readonly file: string;
  readonly app_release: string;
  readonly dist: string;
  readonly debug_id: string;
  /** SHA-256 of the map as uploaded, hexadecimal. */
  readonly key: string;
  readonly size: number;
  readonly uploaded_at: number;
}

const COLUMNS = 'id, project_id, file, app_release, dist, debug_id, key, size, uploaded_at';

export function countSourceMaps(store: Store, projectId: number, cap: number): number {
  return (
    store.get<{ readonly count: number }>(
      'SELECT count(*) AS count FROM (SELECT 1 FROM source_maps WHERE project_id = $projectId LIMIT $cap)',
      { projectId, cap },
    )?.count ?? 0
  );
}

/** Uses the index source_maps_by_project. */
export function listSourceMaps(store: Store, projectId: number, limit: number, offset: number): SourceMapRow[] {
  return store.all<SourceMapRow>(
    `SELECT ${COLUMNS} FROM source_maps WHERE project_id = $projectId ORDER BY id LIMIT $limit OFFSET $offset`,
    { projectId, limit, offset },
  );
}

export function sourceMapById(store: Store, projectId: number, id: number): SourceMapRow | undefined {
  return store.get<SourceMapRow>(`SELECT ${COLUMNS} FROM source_maps WHERE id = $id AND project_id = $projectId`, {
    id,
    projectId,
  });
}

/** Returns the map that an upload of the same file replaces. */
export function sameSourceMap(
  store: Store,
  row: Pick<SourceMapRow, 'project_id' | 'file' | 'app_release' | 'dist' | 'debug_id'>,
): SourceMapRow | undefined {
  const { project_id, file, app_release, dist, debug_id } = row;
  return store.get<SourceMapRow>(
    `SELECT ${COLUMNS} FROM source_maps WHERE project_id = $project_id AND file = $file AND app_release = $app_release
       AND dist = $dist AND debug_id = $debug_id`,
    { project_id, file, app_release, dist, debug_id },
  );
}

/** Returns the compressed size of all maps of a project, in bytes. */
export function storedBytes(store: Store, projectId: number): number {
  return (
    store.get<{ readonly sum: number }>(
      'SELECT coalesce(sum(length(bytes)), 0) AS sum FROM source_maps WHERE project_id = $projectId',
      { projectId },
    )?.sum ?? 0
  );
}

export function insertSourceMap(store: Store, row: Omit<SourceMapRow, 'id'>, bytes: Uint8Array): number {
  return store.run(
    `INSERT INTO source_maps (project_id, file, app_release, dist, debug_id, key, size, uploaded_at, bytes)
     VALUES ($project_id, $file, $app_release, $dist, $debug_id, $key, $size, $uploaded_at, $bytes)`,
    { ...row, bytes },
  ).lastId;
}

export function replaceSourceMap(
  store: Store,
  id: number,
  { key, size, uploaded_at }: Pick<SourceMapRow, 'key' | 'size' | 'uploaded_at'>,
  bytes: Uint8Array,
): void {
  store.run('UPDATE source_maps SET key = $key, size = $size, uploaded_at = $uploaded_at, bytes = $bytes WHERE id = $id', {
    id,
    key,
    size,
    uploaded_at,
    bytes,
  });
}

export function deleteSourceMapRow(store: Store, id: number): void {
  store.run('DELETE FROM source_maps WHERE id = $id', { id });
}

/** Returns the content of a map, raw-deflated. */
export function sourceMapBytes(store: Store, projectId: number, key: string): Uint8Array | undefined {
  return store.get<{ readonly bytes: Uint8Array }>(
    'SELECT bytes FROM source_maps WHERE project_id = $projectId AND key = $key LIMIT 1',
    { projectId, key },
  )?.bytes;
}
