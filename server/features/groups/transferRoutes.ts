import { listOf, type ResponseOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, opaque, required, string, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type ProjectRequest, projectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { presentOneProject, projectResponse, transferProject } from '../projects/projects.ts';
import { findGroup, findNamespace, isNamespaceSeen, type FoundGroup } from './access.ts';
import { groupWithProjects, publicGroup } from './responses.ts';
import { presentPublicGroup } from './present.ts';
import { presentOneGroup } from './presentOne.ts';
import { administratorGroupRoute, groupRoute } from './route.ts';
import { acceptingGroupsSql, acceptingProjectsSql, countNamespaces, listNamespaces, type NamespaceFilter } from './store.ts';
import { transferGroup } from './transfer.ts';

const metadata = { specRef: 'Groups and namespaces', status: 'inferred', key: 'id' } as const;

const locationParameters = () => ({ id: required(string), search: string(), ...pageParameters() });

const moveProjectParameters = () => ({ id: required(string), namespace: required(opaque) });

const moveGroupParameters = () => ({ id: required(string), group_id: integer() });

const moveProjectToGroupParameters = () => ({ id: required(string), project_id: required(opaque) });

/** Returns the routes that transfer projects and groups and list the possible targets. */
export function transferRoutes(core: Core): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        specRef: 'Projects',
        method: 'PUT',
        path: '/api/v4/projects/:id/transfer',
        body: projectResponse,
        params: moveProjectParameters,
      },
      'owner',
      (request) => moveProject(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        specRef: 'Projects',
        method: 'GET',
        path: '/api/v4/projects/:id/transfer_locations',
        body: listOf(publicGroup),
        params: locationParameters,
      },
      'owner',
      (request) => locations(core, request, acceptingProjectsSql, { without: [request.project.namespace_id] }),
    ),
    groupRoute(
      { ...metadata, method: 'POST', path: '/api/v4/groups/:id/transfer', body: groupWithProjects, params: moveGroupParameters },
      'owner',
      (request) => moveGroup(core, request),
    ),
    groupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id/transfer_locations',
        body: listOf(publicGroup),
        params: locationParameters,
      },
      'owner',
      (request) => showGroupLocations(core, request),
    ),
    administratorGroupRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/groups/:id/projects/:project_id',
        body: groupWithProjects,
        params: moveProjectToGroupParameters,
      },
      (request) => moveProjectToGroup(core, request),
    ),
  ];
}

function moveProject(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof moveProjectParameters>>,
): ResponseOf<typeof projectResponse> {
  const { params, project, caller } = request;
  const namespace = findNamespace(core, params.namespace, caller);
  if (namespace === undefined || !isNamespaceSeen(namespace, caller)) throw notFound('Namespace');
  transferProject(core, request, namespace.id, caller);
  const again = findProject(core, project.id, caller);
  if (again === undefined) throw notFound('Project');
  return presentOneProject(core, again, request);
}

function moveGroup(core: Core, request: SignedInRequest<ParametersOf<typeof moveGroupParameters>> & FoundGroup): unknown {
  const { params, group, caller } = request;
  const parent = params.group_id === undefined ? undefined : findGroup(core, params.group_id, caller);
  if (params.group_id !== undefined && parent === undefined) throw notFound('Group');
  transferGroup(core, request, parent, caller);
  return presentAgain(core, group.id, request);
}

function showGroupLocations(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof locationParameters>> & FoundGroup,
): RawResponse {
  const { id, parent_id: parentId } = request.group;
  return locations(core, request, acceptingGroupsSql, { outsideOf: id, without: parentId === null ? [] : [parentId] });
}

function moveProjectToGroup(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof moveProjectToGroupParameters>> & FoundGroup,
): unknown {
  const { params, group, caller } = request;
  const found = findProject(core, params.project_id, caller);
  if (found === undefined) throw notFound('Project');
  transferProject(core, found, group.id, caller);
  return presentAgain(core, group.id, request);
}

/** Returns a page of the groups to which the caller can transfer something. */
function locations(
  core: Core,
  request: ApiRequest<{ readonly search: string | undefined; readonly page: number; readonly per_page: number }>,
  condition: string,
  location: Pick<NamespaceFilter, 'without' | 'outsideOf'>,
): RawResponse {
  const { params, caller, baseUrl } = request;
  const where = ["g.kind = 'group'", condition];
  const filter: NamespaceFilter = { ...location, viewer: viewerId(caller), where, search: params.search };
  const pages = {
    count: (cap: number) => countNamespaces(core.store, filter, cap),
    rows: (limit: number, offset: number) => listNamespaces(core.store, filter, { order: 'id', sort: 'asc', limit, offset }),
  };
  return new RawResponse(offsetResponse(request, params, pages, (group) => presentPublicGroup(group, baseUrl)));
}

/** Presents a group again after a change. */
function presentAgain(core: Core, groupId: number, request: { readonly caller: Caller; readonly baseUrl: string }): unknown {
  const again = findGroup(core, groupId, request.caller);
  if (again === undefined) throw notFound('Group');
  return presentOneGroup(core, again, request, true);
}
