import { openGroupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden, notFound, recordNotFound } from '../../http/failures.ts';
import { keysetResponse, keysetSize, offsetResponse, pageParameters, readCursor } from '../../http/pagination.ts';
import {
  boolean,
  fallback,
  filled,
  integer,
  integers,
  oneOf,
  opaque,
  required,
  string,
  strings,
  time,
  type ParametersOf,
} from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route } from '../../http/route.ts';
import { findPipelines, demandWritable, pipelineWithPerson, presentPipelinesWithPeople } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, projectRoute, readableCodeSql, accessOf, viewerId } from '../projects/projects.ts';
import { groupPackage, listedPackage, packageResponse, packageFile } from './responses.ts';
import { addFile, createPackage, deleteFile, deletePackage, findFile, findPackage, type Package } from './packages.ts';
import { presentFile, presentGroupPackages, presentPackage, presentPackages } from './present.ts';
import { type PackageStatus, packageStatuses, type PackageType, packageTypes } from './rules.ts';
import {
  countFiles,
  countPackages,
  type FileOrder,
  listFiles,
  listPackages,
  type PackageFilter,
  type PackageOrder,
  pipelineIdsOf,
} from './store.ts';

const orders = ['created_at', 'name', 'version', 'type'] as const;
const direction = () => fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc']));

const filters = () => ({
  package_type: oneOf(packageTypes)(),
  package_name: string(),
  package_version: string(),
  include_versionless: fallback(false, boolean),
  status: oneOf(packageStatuses)(),
});

type FilterParams = ParametersOf<typeof filters>;

function requestedPackages(params: FilterParams): Omit<PackageFilter, 'viewer' | 'of'> {
  return {
    type: params.package_type,
    name: params.package_name,
    version: params.package_version,
    status: params.status,
    withVersionless: params.include_versionless,
  };
}

const inProject = () => ({ id: required(string), package_id: required(integer) });

/**
 * Packages of projects and groups, for callers who can read the code of the project. Developers add them, maintainers delete
 * them. They are only listed: nothing can be downloaded or uploaded.
 */
export function packageRoutes(core: Core): Route[] {
  const { store } = core;
  const inferred = { specRef: 'Packages', status: 'inferred' } as const;
  const local = { specRef: 'Packages', status: 'local' } as const;

  const demandReadable = ({ can }: FoundProject): void => {
    if (can.readCode) return;
    throw forbidden(
      undefined,
      'viewing packages of a private project requires at least the reporter role',
      'ability.readPackages',
    );
  };

  const mustFind = (request: FoundProject & Pick<ApiRequest<unknown>, 'caller'>, id: number): Package => {
    demandReadable(request);
    const found = findPackage(core, request, id, viewerId(request.caller));
    if (found === undefined) throw recordNotFound('no such package in the project');
    return found;
  };

  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages',
        acceptsJobToken: true,
        key: 'id',
        body: listOf(listedPackage),
        ...inferred,
        params: () => ({
          id: required(string),
          order_by: fallback<(typeof orders)[number]>('created_at', oneOf(orders)),
          sort: direction(),
          ...filters(),
          ...pageParameters(),
        }),
      },
      (request) => {
        demandReadable(request);
        const { params, project, caller, access, baseUrl } = request;
        const filter: PackageFilter = { viewer: viewerId(caller), of: { projectId: project.id }, ...requestedPackages(params) };
        const list = {
          count: (cap: number) => countPackages(store, filter, cap),
          rows: (limit: number, offset: number) => {
            const rows = listPackages(store, filter, { order: params.order_by, sort: params.sort, limit, offset });
            return presentPackages(core, rows, access, baseUrl);
          },
        };
        return new RawResponse(offsetResponse(request, params, list, (item) => item));
      },
    ),
    openGroupRoute(
      {
        method: 'GET',
        path: '/api/v4/groups/:id/packages',
        key: 'id',
        body: listOf(groupPackage),
        ...inferred,
        params: () => ({
          id: required(string),
          exclude_subgroups: fallback(false, boolean),
          order_by: fallback<PackageOrder>('created_at', oneOf([...orders, 'project_path'])),
          sort: direction(),
          ...filters(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params, group, caller, baseUrl } = request;
        const viewer = accessOf(caller);
        const filter: PackageFilter = {
          viewer: viewerId(caller),
          of: { groupId: group.id, withSubgroups: !params.exclude_subgroups, readable: readableCodeSql(viewer) },
          ...requestedPackages(params),
        };
        const list = {
          count: (cap: number) => countPackages(store, filter, cap),
          rows: (limit: number, offset: number) => {
            const rows = listPackages(store, filter, { order: params.order_by, sort: params.sort, limit, offset });
            return presentGroupPackages(core, rows, viewer, baseUrl);
          },
        };
        return new RawResponse(offsetResponse(request, params, list, (item) => item));
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/packages',
        key: 'id',
        body: packageResponse,
        ...local,
        params: () => ({
          id: required(string),
          name: filled(),
          version: string(),
          package_type: fallback<PackageType>('generic', oneOf(packageTypes)),
          status: fallback<PackageStatus>('default', oneOf(packageStatuses)),
          tags: strings(),
          pipeline_ids: integers(),
          created_at: time(),
        }),
      },
      'developer',
      (request) => {
        const { params } = request;
        demandWritable(request.project);
        const made = createPackage(core, request, {
          name: params.name,
          version: params.version,
          type: params.package_type,
          status: params.status,
          tags: params.tags,
          pipelineIds: params.pipeline_ids,
          createdAt: params.created_at,
        });
        return presentPackage(core, { ...made, level: request.access.level }, request.access, request.baseUrl);
      },
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages/:package_id',
        acceptsJobToken: true,
        key: 'id',
        body: packageResponse,
        ...inferred,
        params: inProject,
      },
      (request) => presentPackage(core, mustFind(request, request.params.package_id), request.access, request.baseUrl),
    ),
    projectRoute(
      { method: 'DELETE', path: '/api/v4/projects/:id/packages/:package_id', key: 'id', ...inferred, params: inProject },
      'maintainer',
      (request) => {
        demandWritable(request.project);
        deletePackage(core, mustFind(request, request.params.package_id));
      },
    ),
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages/:package_id/pipelines',
        key: 'id',
        body: listOf(pipelineWithPerson),
        specRef: 'Packages',
        status: 'stated',
        params: () => ({ ...inProject(), per_page: pageParameters().per_page, cursor: opaque() }),
      },
      'visible',
      (request) => {
        const { params, project, baseUrl } = request;
        const found = mustFind(request, params.package_id);
        const before = params.cursor === undefined ? undefined : readCursor(params.cursor, 'id', 'string').id;
        const ids = pipelineIdsOf(store, found.id, before, keysetSize(params.per_page));
        const known = findPipelines(core, ids);
        const rows = ids.map((id) => known.get(id)).filter((row) => row !== undefined);
        const items = presentPipelinesWithPeople(core, rows, project, baseUrl);
        return new RawResponse(
          keysetResponse(
            request,
            'id',
            items,
            ({ id }) => ({ value: id, id }),
            (item) => item,
          ),
        );
      },
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages/:package_id/package_files',
        acceptsJobToken: true,
        key: 'id',
        body: listOf(packageFile),
        ...inferred,
        params: () => ({
          ...inProject(),
          order_by: fallback<FileOrder>('id', oneOf(['id', 'created_at', 'file_name'])),
          sort: direction(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params } = request;
        const { id } = mustFind(request, params.package_id);
        const list = {
          count: (cap: number) => countFiles(store, id, cap),
          rows: (limit: number, offset: number) =>
            listFiles(store, id, { order: params.order_by, sort: params.sort, limit, offset }),
        };
        return new RawResponse(offsetResponse(request, params, list, presentFile));
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/packages/:package_id/package_files',
        key: 'id',
        body: packageFile,
        ...local,
        params: () => ({
          ...inProject(),
          file_name: filled(),
          size: required(integer),
          file_md5: string(),
          file_sha1: string(),
          file_sha256: string(),
        }),
      },
      'developer',
      (request) => {
        const { params } = request;
        demandWritable(request.project);
        const file = addFile(core, mustFind(request, params.package_id), {
          name: params.file_name,
          size: params.size,
          md5: params.file_md5,
          sha1: params.file_sha1,
          sha256: params.file_sha256,
        });
        return presentFile(file);
      },
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/packages/:package_id/package_files/:package_file_id',
        key: 'id',
        ...inferred,
        params: () => ({ ...inProject(), package_file_id: required(integer) }),
      },
      'maintainer',
      (request) => {
        demandWritable(request.project);
        const file = findFile(core, mustFind(request, request.params.package_id), request.params.package_file_id);
        if (file === undefined) throw notFound('Package');
        deleteFile(core, file);
      },
    ),
  ];
}
