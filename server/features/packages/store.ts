import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { type PackageStatus, type PackageType, shownStatuses } from './rules.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** A package with the required columns of its project. */
export interface PackageRow {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
  readonly version: string | null;
  readonly package_type: PackageType;
  readonly status: PackageStatus;
  readonly created_at: number;
  readonly project_path: string;
  /** Viewer's access level in the project. */
  readonly level: number;
}

export interface TagRow {
  readonly id: number;
  readonly package_id: number;
  readonly name: string;
  readonly created_at: number;
}

export interface FileRow {
  readonly id: number;
  readonly package_id: number;
  readonly file_name: string;
  readonly size: number;
  readonly file_md5: string | null;
  readonly file_sha1: string | null;
  readonly file_sha256: string | null;
  readonly created_at: number;
}

const COLUMNS = `k.id, k.project_id, k.name, k.version, k.package_type, k.status, k.created_at, p.full_path AS project_path,
  coalesce(m.access_level, 0) AS level`;
const FROM = `FROM packages k
  JOIN projects_view p ON p.id = k.project_id
  LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer`;

export type PackageOrder = 'created_at' | 'name' | 'version' | 'type' | 'project_path';

export interface PackageFilter {
  readonly viewer: number;
  /** The packages of a project, or those of a group that match a condition. */
  readonly of:
    | { readonly projectId: number }
    | { readonly groupId: number; readonly withSubgroups: boolean; readonly readable: string };
  readonly type?: PackageType | undefined;
  /** Part of the name. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly status?: PackageStatus | undefined;
  readonly withVersionless?: boolean | undefined;
}

function conditions(filter: PackageFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ viewer: filter.viewer });
  if ('projectId' in filter.of) add('projectId', 'k.project_id = $projectId', filter.of.projectId);
  else {
    const inside = 'p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)';
    add('groupId', filter.of.withSubgroups ? inside : 'p.namespace_id = $groupId', filter.of.groupId);
    also(filter.of.readable);
  }
  add('type', 'k.package_type = $type', filter.type);
  addSearch('name', ['k.name'], filter.name);
  add('version', 'k.version = $version', filter.version);
  const statuses = filter.status === undefined ? shownStatuses : [filter.status];
  add('statuses', 'k.status IN (SELECT value FROM json_each($statuses))', JSON.stringify(statuses));
  if (filter.withVersionless !== true) also('k.version IS NOT NULL');
  return whole();
}

export function countPackages(store: Store, filter: PackageFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

const orderColumns: Readonly<Record<PackageOrder, string | undefined>> = {
  created_at: undefined,
  name: 'k.name',
  version: 'k.version',
  type: 'k.package_type',
  project_path: 'p.full_path',
};

export function listPackages(
  store: Store,
  filter: PackageFilter,
  page: { readonly order: PackageOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): PackageRow[] {
  const { where, params } = conditions(filter);
  const column = orderColumns[page.order];
  const order = column === undefined ? `k.id ${page.sort}` : `${column} ${page.sort}, k.id ${page.sort}`;
  return store.all<PackageRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

export function packageById(store: Store, projectId: number, id: number, viewer: number): PackageRow | undefined {
  return store.get<PackageRow>(`SELECT ${COLUMNS} ${FROM} WHERE k.id = $id AND k.project_id = $projectId`, {
    id,
    projectId,
    viewer,
  });
}

const MAX_VERSIONS = 100;

/** Returns the other versions of a package, oldest first. */
export function otherVersions(store: Store, row: PackageRow): PackageRow[] {
  return store.all<PackageRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE k.project_id = $projectId AND k.name = $name AND k.package_type = $type AND k.id <> $id
       AND k.version IS NOT NULL AND k.status IN (SELECT value FROM json_each($statuses)) ORDER BY k.id LIMIT $most`,
    {
      projectId: row.project_id,
      name: row.name,
      type: row.package_type,
      id: row.id,
      viewer: 0,
      statuses: JSON.stringify(shownStatuses),
      most: MAX_VERSIONS,
    },
  );
}

export function isTaken(
  store: Store,
  input: { readonly projectId: number; readonly name: string; readonly version: string | null; readonly type: PackageType },
): boolean {
  return (
    store.get(
      `SELECT 1 FROM packages WHERE project_id = $projectId AND name = $name AND version IS $version AND package_type = $type
         AND status <> 'pending_destruction'`,
      { ...input },
    ) !== undefined
  );
}

export function insertPackage(store: Store, row: Omit<PackageRow, 'id' | 'project_path' | 'level'>): number {
  return store.run(
    `INSERT INTO packages (project_id, name, version, package_type, status, created_at)
     VALUES ($project_id, $name, $version, $package_type, $status, $created_at)`,
    { ...row },
  ).lastId;
}

export function deletePackageRow(store: Store, id: number): void {
  store.run('DELETE FROM packages WHERE id = $id', { id });
}

export function insertTag(store: Store, packageId: number, name: string, now: number): void {
  store.run('INSERT INTO package_tags (package_id, name, created_at) VALUES ($packageId, $name, $now) ON CONFLICT DO NOTHING', {
    packageId,
    name,
    now,
  });
}

export function tagsOf(store: Store, ids: readonly number[]): TagRow[] {
  return store.all<TagRow>(
    `SELECT id, package_id, name, created_at FROM package_tags WHERE package_id IN (SELECT value FROM json_each($ids)) ORDER BY id`,
    { ids: JSON.stringify(ids) },
  );
}

export function insertPackagePipeline(store: Store, packageId: number, pipelineId: number): void {
  store.run('INSERT INTO package_pipelines (package_id, pipeline_id) VALUES ($packageId, $pipelineId) ON CONFLICT DO NOTHING', {
    packageId,
    pipelineId,
  });
}

/** Returns the ids of a package's pipelines, newest first; `before` starts below an id. */
export function pipelineIdsOf(store: Store, packageId: number, before: number | undefined, limit: number): number[] {
  const below = before === undefined ? '' : 'AND pipeline_id < $before';
  const rows = store.all<{ pipeline_id: number }>(
    `SELECT pipeline_id FROM package_pipelines WHERE package_id = $packageId ${below} ORDER BY pipeline_id DESC LIMIT $limit`,
    { packageId, limit, ...(before === undefined ? {} : { before }) },
  );
  return rows.map((row) => row.pipeline_id);
}

/** Returns the newest pipeline of each of some packages. */
export function newestPipelines(store: Store, ids: readonly number[]): ReadonlyMap<number, number> {
  const rows = store.all<{ package_id: number; pipeline_id: number }>(
    `SELECT package_id, max(pipeline_id) AS pipeline_id FROM package_pipelines
     WHERE package_id IN (SELECT value FROM json_each($ids)) GROUP BY package_id`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map((row) => [row.package_id, row.pipeline_id]));
}

const FILE = 'id, package_id, file_name, size, file_md5, file_sha1, file_sha256, created_at';

export function insertFile(store: Store, row: Omit<FileRow, 'id'>): number {
  return store.run(
    `INSERT INTO package_files (package_id, file_name, size, file_md5, file_sha1, file_sha256, created_at)
     VALUES ($package_id, $file_name, $size, $file_md5, $file_sha1, $file_sha256, $created_at)`,
    { ...row },
  ).lastId;
}

export function fileById(store: Store, packageId: number, id: number): FileRow | undefined {
  return store.get<FileRow>(`SELECT ${FILE} FROM package_files WHERE id = $id AND package_id = $packageId`, { id, packageId });
}

export function deleteFileRow(store: Store, id: number): void {
  store.run('DELETE FROM package_files WHERE id = $id', { id });
}

export function countFiles(store: Store, packageId: number, cap: number): number {
  return countRows(store, 'FROM package_files WHERE package_id = $packageId', { packageId }, cap);
}

export type FileOrder = 'id' | 'created_at' | 'file_name';

export function listFiles(
  store: Store,
  packageId: number,
  page: { readonly order: FileOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): FileRow[] {
  const order = page.order === 'file_name' ? `file_name ${page.sort}, id ${page.sort}` : `id ${page.sort}`;
  return store.all<FileRow>(
    `SELECT ${FILE} FROM package_files WHERE package_id = $packageId ORDER BY ${order} LIMIT $limit OFFSET $offset`,
    { packageId, limit: page.limit, offset: page.offset },
  );
}
