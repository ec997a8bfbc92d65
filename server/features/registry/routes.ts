import { openGroupRoute, type FoundGroup } from '../groups/groups.ts';
import { accepted, listOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { openRoute, RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import {
  accessOf,
  findProject,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { demandReadable, inProject, mustFindRepository } from './route.ts';
import { tagRoutes } from './tagRoutes.ts';
import { groupRepository, repositoryResponse, repositoryDetail } from './responses.ts';
import { presentRepository, presentRepositoryWith } from './present.ts';
import {
  type ContainerRepository,
  createContainerRepository,
  deleteContainerRepository,
  findContainerRepository,
} from './containerRepositories.ts';
import { countRepositories, listRepositories, type RepositoryContainer } from './store.ts';

const ACCEPTED = { message: '202 Accepted' };
const detailParameters = () => ({ tags: fallback(false, boolean), tags_count: fallback(false, boolean) });

const inferred = { specRef: 'Container registry', status: 'inferred' } as const;

const stated = { specRef: 'Container registry', status: 'stated' } as const;

const local = { specRef: 'Container registry', status: 'local' } as const;

const listOfProjectParameters = () => ({ id: required(string), ...detailParameters(), ...pageParameters() });

const listOfGroupParameters = () => ({ id: required(string), ...pageParameters() });

const showParameters = () => ({ id: required(integer), ...detailParameters(), size: fallback(false, boolean) });

const createParameters = () => ({ id: required(string), name: fallback('', string) });

/**
 * The container registry API, for callers who can read the code of the project. Developers add tags and delete single ones,
 * maintainers delete in bulk. It only lists and deletes: there are no images to pull.
 */
export function registryRoutes(): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/registry/repositories',
        key: 'id',
        body: listOf(repositoryResponse),
        ...stated,
        params: listOfProjectParameters,
      },
      listOfProject,
    ),
    openGroupRoute(
      {
        method: 'GET',
        path: '/api/v4/groups/:id/registry/repositories',
        key: 'id',
        body: listOf(groupRepository),
        ...inferred,
        params: listOfGroupParameters,
      },
      listOfGroup,
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/registry/repositories/:id',
        key: 'id',
        body: repositoryDetail,
        ...inferred,
        params: showParameters,
      },
      show,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/registry/repositories',
        key: 'id',
        body: repositoryResponse,
        ...local,
        params: createParameters,
      },
      'developer',
      create,
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id',
        key: 'id',
        successStatus: 202,
        body: accepted,
        ...stated,
        params: inProject,
      },
      'maintainer',
      remove,
    ),
    ...tagRoutes(),
  ];
}

function listOfProject(request: ApiRequest<ParametersOf<typeof listOfProjectParameters>> & FoundProject) {
  demandReadable(request);
  const { params, project, baseUrl, context } = request;
  const { core } = context;
  const present = (row: ContainerRepository): unknown =>
    presentRepositoryWith(core, row, { tags: params.tags, tagsCount: params.tags_count }, baseUrl);
  return new RawResponse(offsetResponse(request, params, listFor(core, { projectId: project.id }), present));
}

function listOfGroup(request: ApiRequest<ParametersOf<typeof listOfGroupParameters>> & FoundGroup) {
  const { params, group, caller, baseUrl, context } = request;
  const container = { groupId: group.id, viewer: viewerId(caller), readable: readableCodeSql(accessOf(caller)) };
  return new RawResponse(
    offsetResponse(request, params, listFor(context.core, container), (row) => presentRepository(row, baseUrl)),
  );
}

function show({ params, caller, baseUrl, context }: ApiRequest<ParametersOf<typeof showParameters>>) {
  const { core } = context;
  const repository = findContainerRepository(core, params.id);
  const found = repository === undefined ? undefined : findProject(core, repository.project_id, caller);
  if (repository === undefined || found === undefined) throw recordNotFound('no such repository in any registry');
  demandReadable(found);
  const { tags, tags_count: tagsCount, size } = params;
  return presentRepositoryWith(core, repository, { tags, tagsCount, size }, baseUrl);
}

function create(request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  demandWritable(request.project);
  return presentRepository(createContainerRepository(request.context.core, request, request.params.name), request.baseUrl);
}

function remove(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  deleteContainerRepository(core, mustFindRepository(core, request, request.params.repository_id));
  return ACCEPTED;
}

function listFor(core: Core, container: RepositoryContainer) {
  return {
    count: (cap: number) => countRepositories(core.store, container, cap),
    rows: (limit: number, offset: number) => listRepositories(core.store, container, limit, offset),
  };
}
