import { listOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integers, required, string, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type FoundProject, openProjectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { publicGroup } from './responses.ts';
import { presentPublicGroup } from './present.ts';
import { countNamespaces, listNamespaces, type NamespaceFilter, visibleGroupsSql } from './store.ts';

const showProjectGroupsParameters = () => ({
  id: required(string),
  search: string(),
  skip_groups: integers(),
  ...pageParameters(),
});

/** Returns the route that lists the ancestor groups of a project that the caller can see. */
export function projectGroupRoutes(core: Core): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/groups',
        body: listOf(publicGroup),
        specRef: 'Projects',
        status: 'inferred',
        key: 'id',
        params: showProjectGroupsParameters,
      },
      (request) => showProjectGroups(core, request),
    ),
  ];
}

function showProjectGroups(
  { store }: Core,
  request: ApiRequest<ParametersOf<typeof showProjectGroupsParameters>> & FoundProject,
): RawResponse {
  const { params, project, caller, baseUrl } = request;
  const filter: NamespaceFilter = {
    viewer: viewerId(caller),
    where: ["g.kind = 'group'", visibleGroupsSql(accessOf(caller))],
    search: params.search,
    without: params.skip_groups,
    parent: project.namespace_id,
  };
  const pages = {
    count: (cap: number) => countNamespaces(store, filter, cap),
    rows: (limit: number, offset: number) => listNamespaces(store, filter, { order: 'id', sort: 'asc', limit, offset }),
  };
  return new RawResponse(offsetResponse(request, params, pages, (group) => presentPublicGroup(group, baseUrl)));
}
