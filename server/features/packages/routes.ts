import { direction, inProject } from './parameters.ts';
import { openGroupRoute, type FoundGroup } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  offsetResponse,
  pageParameters,
  readCursor,
} from '../../http/pagination.ts';
import {
  boolean,
  fallback,
  filled,
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
import {
  accessOf,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { packageFileRoutes } from './fileRoutes.ts';
import { groupPackage, listedPackage, packageResponse } from './responses.ts';
import { createPackage, deletePackage, mustFindPackage, demandReadable } from './managePackages.ts';
import { presentGroupPackages, presentPackage, presentPackages } from './present.ts';
import { type PackageStatus, packageStatuses, type PackageType, packageTypes } from './rules.ts';
import { countPackages, listPackages, type PackageFilter, type PackageOrder, pipelineIdsOf } from './store.ts';

const orders = ['created_at', 'name', 'version', 'type'] as const;

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

const inferred = { specRef: 'Packages', status: 'inferred' } as const;

const local = { specRef: 'Packages', status: 'local' } as const;

const listOfProjectParameters = () => ({
  id: required(string),
  order_by: fallback<(typeof orders)[number]>('created_at', oneOf(orders)),
  sort: direction(),
  ...filters(),
  ...pageParameters(),
});

const listOfGroupParameters = () => ({
  id: required(string),
  exclude_subgroups: fallback(false, boolean),
  order_by: fallback<PackageOrder>('created_at', oneOf([...orders, 'project_path'])),
  sort: direction(),
  ...filters(),
  ...pageParameters(),
});

const createParameters = () => ({
  id: required(string),
  name: filled(),
  version: string(),
  package_type: fallback<PackageType>('generic', oneOf(packageTypes)),
  status: fallback<PackageStatus>('default', oneOf(packageStatuses)),
  tags: strings(),
  pipeline_ids: integers(),
  created_at: time(),
});

const listPipelinesParameters = () => ({
  ...inProject(),
  order_by: string(),
  sort: string(),
  per_page: pageParameters().per_page,
  cursor: opaque(),
});

/**
 * Packages of projects and groups, for callers who can read the code of the project. Developers add them, maintainers delete
 * them. They are only listed: nothing can be downloaded or uploaded.
 */
export function packageRoutes(): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages',
        acceptsJobToken: true,
        key: 'id',
        body: listOf(listedPackage),
        ...inferred,
        params: listOfProjectParameters,
      },
      listOfProject,
    ),
    openGroupRoute(
      {
        method: 'GET',
        path: '/api/v4/groups/:id/packages',
        key: 'id',
        body: listOf(groupPackage),
        ...inferred,
        params: listOfGroupParameters,
      },
      listOfGroup,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/packages',
        key: 'id',
        body: packageResponse,
        ...local,
        params: createParameters,
      },
      'developer',
      create,
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
      show,
    ),
    projectRoute(
      { method: 'DELETE', path: '/api/v4/projects/:id/packages/:package_id', key: 'id', ...inferred, params: inProject },
      'maintainer',
      remove,
    ),
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages/:package_id/pipelines',
        pages: { by: 'keyset', because: 'GitLab has keyset pagination only' },
        key: 'id',
        body: listOf(pipelineWithPerson),
        specRef: 'Packages',
        status: 'stated',
        params: listPipelinesParameters,
      },
      'visible',
      listPipelines,
    ),
    ...packageFileRoutes(),
  ];
}

function listOfProject(request: ApiRequest<ParametersOf<typeof listOfProjectParameters>> & FoundProject) {
  demandReadable(request);
  const { params, project, caller, access, baseUrl, context } = request;
  const { core } = context;
  const filter: PackageFilter = { viewer: viewerId(caller), of: { projectId: project.id }, ...requestedPackages(params) };
  const pages = {
    count: (cap: number) => countPackages(core.store, filter, cap),
    rows: (limit: number, offset: number) => {
      const rows = listPackages(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset });
      return presentPackages(core, rows, access, baseUrl);
    },
  };
  return new RawResponse(offsetResponse(request, params, pages, (item) => item));
}

function listOfGroup(request: ApiRequest<ParametersOf<typeof listOfGroupParameters>> & FoundGroup) {
  const { params, group, caller, baseUrl, context } = request;
  const { core } = context;
  const viewer = accessOf(caller);
  const filter: PackageFilter = {
    viewer: viewerId(caller),
    of: { groupId: group.id, withSubgroups: !params.exclude_subgroups, readable: readableCodeSql(viewer) },
    ...requestedPackages(params),
  };
  const pages = {
    count: (cap: number) => countPackages(core.store, filter, cap),
    rows: (limit: number, offset: number) => {
      const rows = listPackages(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset });
      return presentGroupPackages(core, rows, viewer, baseUrl);
    },
  };
  return new RawResponse(offsetResponse(request, params, pages, (item) => item));
}

function create(request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  const { params, context } = request;
  const { core } = context;
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
}

function show(request: ApiRequest<ParametersOf<typeof inProject>> & FoundProject) {
  const { core } = request.context;
  return presentPackage(core, mustFindPackage(core, request, request.params.package_id), request.access, request.baseUrl);
}

function remove(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  deletePackage(core, mustFindPackage(core, request, request.params.package_id));
}

function listPipelines(request: ProjectRequest<ParametersOf<typeof listPipelinesParameters>>) {
  const { params, project, baseUrl, context } = request;
  const { core } = context;
  const found = mustFindPackage(core, request, params.package_id);
  if ((params.order_by ?? 'id') !== 'id' || (params.sort ?? 'desc') !== 'desc') {
    throw keysetUnavailable('keyset pagination of the pipelines of packages requires order_by=id and sort=desc');
  }
  const before = params.cursor === undefined ? undefined : readCursor(params.cursor, 'id', 'string').id;
  const ids = pipelineIdsOf(core.store, found.id, before, keysetSize(params.per_page));
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
}
