import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { badRequest } from '../../core/errors.ts';
import { offsetResponse, type OffsetList, pageParameters } from '../../http/pagination.ts';
import { oneOf, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, userRoute, type SignedInRequest } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { associatedProjects } from '../projects/projects.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import type { Group } from './access.ts';
import { type associatedGroup, associations } from './responses.ts';
import { countNamespaces, listNamespaces, type NamespaceFilter, visibleGroupsSql } from './store.ts';

const showAssociationsParameters = () => ({
  min_access_level: oneOf(['5', '10', '15', '20', '30', '40', '50'])(),
  ...pageParameters(),
});

/** Returns the route that lists the groups and projects a personal access token can access (docs/interface.md#personal-access-tokens). */
export function associationRoutes(core: Core): Route[] {
  return [
    userRoute(
      {
        method: 'GET',
        path: '/api/v4/personal_access_tokens/self/associations',
        body: associations,
        specRef: 'Personal access tokens',
        status: 'inferred',
        addedIn: '17.4',
        // No particular scope is required, as on GitLab.
        alsoScopes: ALL_SCOPES,
        params: showAssociationsParameters,
      },
      (request) => showAssociations(core, request),
    ),
  ];
}

function showAssociations(core: Core, request: SignedInRequest<ParametersOf<typeof showAssociationsParameters>>): RawResponse {
  const { params, caller, baseUrl } = request;
  if (caller.credential.kind !== 'personal') {
    throw badRequest('This endpoint requires token type to be a personal access token');
  }
  const minLevel = params.min_access_level === undefined ? undefined : Number(params.min_access_level);
  const pageOf = (list: OffsetList<unknown>) => {
    const items: unknown[] = [];
    const { headers } = offsetResponse(request, params, list, (item) => items.push(item));
    return { items, headers };
  };
  const groups = pageOf(associatedGroups(core, caller, minLevel, baseUrl));
  const projects = pageOf(associatedProjects(core, caller, minLevel, baseUrl));
  // GitLab sends the pagination headers of the projects only, so that clients miss groups; here the longer list provides them.
  const isLonger = projects.headers?.['X-Next-Page'] === '' && groups.headers?.['X-Next-Page'] !== '';
  const body = { groups: groups.items, projects: projects.items };
  return new RawResponse(jsonResponse(200, body, isLonger ? groups.headers : projects.headers));
}

function associatedGroups({ store }: Core, caller: Caller, minLevel: number | undefined, baseUrl: string): OffsetList<unknown> {
  const filter: NamespaceFilter = {
    viewer: viewerId(caller),
    where: ["g.kind = 'group'", visibleGroupsSql(accessOf(caller))],
    minLevel,
  };
  return {
    count: (cap) => countNamespaces(store, filter, cap),
    rows: (limit, offset) =>
      listNamespaces(store, filter, { order: 'id', sort: 'desc', limit, offset }).map((group) =>
        presentAssociated(group, baseUrl),
      ),
  };
}

function presentAssociated(group: Group, baseUrl: string): ResponseOf<typeof associatedGroup> {
  return {
    id: group.id,
    web_url: `${baseUrl}/groups/${group.full_path}`,
    name: group.name,
    parent_id: group.parent_id,
    organization_id: 1,
    access_levels: group.level,
    visibility: group.visibility,
  };
}
