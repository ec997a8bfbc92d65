import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { findPipelines, presentPipelinesWithPeople } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type Access, holdsRole } from '../abilities/abilities.ts';
import type { groupPackage, listedPackage, packageResponse, packageFile } from './responses.ts';
import { type FileRow, newestPipelines, otherVersions, type PackageRow, tagsOf } from './store.ts';

type Viewer = Omit<Access, 'level'>;
type Listed = ResponseOf<typeof listedPackage>;

/** Presents packages with the permissions of the viewer. */
export function presentPackages(core: Core, rows: readonly PackageRow[], viewer: Viewer, baseUrl: string): Listed[] {
  const related = readRelated(core, rows, baseUrl);
  return rows.map((row) => {
    const { tags, ...pipeline } = related(row);
    const mayDelete = viewer.isSignedIn && holdsRole({ ...viewer, level: row.level }, 'maintainer');
    return {
      id: row.id,
      name: row.name,
      version: row.version,
      package_type: row.package_type,
      status: row.status,
      _links: {
        web_path: `/${row.project_path}/-/packages/${row.id}`,
        ...(mayDelete ? { delete_api_path: `${baseUrl}/api/v4/projects/${row.project_id}/packages/${row.id}` } : {}),
      },
      created_at: isoTime(row.created_at),
      last_downloaded_at: null,
      tags,
      ...pipeline,
      pipelines: [],
    };
  });
}

/** Reads the tags and newest pipelines of some packages at once. */
function readRelated(
  core: Core,
  rows: readonly PackageRow[],
  baseUrl: string,
): (row: PackageRow) => Pick<Listed, 'tags' | 'pipeline'> {
  const ids = rows.map(({ id }) => id);
  const tags = Map.groupBy(tagsOf(core.store, ids), (tag) => tag.package_id);
  const newest = newestPipelines(core.store, ids);
  const pipelines = findPipelines(core, [...newest.values()]);
  return (row) => {
    const pipeline = pipelines.get(newest.get(row.id) ?? 0);
    const shown =
      pipeline === undefined
        ? undefined
        : presentPipelinesWithPeople(core, [pipeline], { full_path: row.project_path }, baseUrl)[0];
    return {
      tags: (tags.get(row.id) ?? []).map(({ id, package_id, name, created_at }) => {
        const at = isoTime(created_at);
        return { id, package_id, name, created_at: at, updated_at: at };
      }),
      ...(shown === undefined ? {} : { pipeline: shown }),
    };
  };
}

export function presentGroupPackages(
  core: Core,
  rows: readonly PackageRow[],
  viewer: Viewer,
  baseUrl: string,
): ResponseOf<typeof groupPackage>[] {
  const listed = presentPackages(core, rows, viewer, baseUrl);
  return rows.flatMap((row, index) => {
    const item = listed[index];
    return item === undefined ? [] : [{ ...item, project_id: row.project_id, project_path: row.project_path }];
  });
}

/** Presents one package with its other versions. */
export function presentPackage(core: Core, row: PackageRow, viewer: Viewer, baseUrl: string): ResponseOf<typeof packageResponse> {
  const [listed] = presentPackages(core, [row], viewer, baseUrl);
  if (listed === undefined) throw new Error(`package ${row.id} does not exist`);
  const others = otherVersions(core.store, row);
  const related = readRelated(core, others, baseUrl);
  return {
    ...listed,
    versions: others.map((other) => ({
      id: other.id,
      version: other.version,
      created_at: isoTime(other.created_at),
      ...related(other),
    })),
  };
}

export function presentFile(row: FileRow): ResponseOf<typeof packageFile> {
  const { id, package_id, created_at, file_name, size, file_md5, file_sha1, file_sha256 } = row;
  return { id, package_id, created_at: isoTime(created_at), file_name, size, file_md5, file_sha1, file_sha256 };
}
