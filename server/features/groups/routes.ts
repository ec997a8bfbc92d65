import type { GitCore } from '../../repositories/repositories.ts';
import { accepted, listOf, type ResponseOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { notFound } from '../../core/errors.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  offsetResponse,
  offsetTooDeep,
  pageParameters,
  readCursor,
} from '../../http/pagination.ts';
import {
  boolean,
  date,
  metadataOf,
  fallback,
  integer,
  integers,
  oneOf,
  opaque,
  required,
  string,
  limited,
  type ParametersOf,
} from '../../http/params.ts';
import { type ApiRequest, openRoute, RawResponse, type Route, userRoute, type SignedInRequest } from '../../http/route.ts';
import { maximumOffset } from '../settings/settings.ts';
import { enterprisePasswords } from '../users/users.ts';
import type { Core } from '../../core/core.ts';

import { accessLevels, visibilities } from '../abilities/abilities.ts';
import { listedProject, projectList, projectListParameters } from '../projects/projects.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { findGroup, type FoundGroup } from './access.ts';
import { projectGroupRoutes } from './projectGroupRoutes.ts';
import { associationRoutes } from './associationRoutes.ts';
import { enterpriseRoutes } from './enterpriseRoutes.ts';
import { groupResponse, groupWithProjects, oneGroup } from './responses.ts';
import { createGroup, deleteGroup, updateGroup } from './manageGroups.ts';
import { groupMemberRoutes } from './memberRoutes.ts';
import { membershipRoutes } from './membershipRoutes.ts';
import { presentGroup } from './present.ts';
import { presentOneGroup } from './presentOne.ts';
import { groupRoute, openGroupRoute } from './route.ts';
import {
  countNamespaces,
  type GroupOrder,
  listNamespaces,
  type NamespaceFilter,
  type ProjectCreation,
  type SubgroupCreation,
  visibleGroupsSql,
} from './store.ts';
import { transferRoutes } from './transferRoutes.ts';

const listParameters = () => ({
  skip_groups: integers(),
  all_available: boolean(),
  search: string(),
  visibility: oneOf(visibilities)(),
  owned: fallback(false, boolean),
  min_access_level: oneOf(['5', '10', '15', '20', '30', '40', '50'])(),
  top_level_only: boolean(),
  statistics: fallback(false, boolean),
  with_custom_attributes: fallback(false, boolean),
  repository_storage: string(),
  marked_for_deletion_on: date(),
  active: boolean(),
  archived: boolean(),
  order_by: fallback<GroupOrder>('name', oneOf(['name', 'path', 'id', 'similarity'])),
  sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
  pagination: string(),
  cursor: opaque(),
  ...pageParameters(),
});

type ListParams = ParametersOf<typeof listParameters>;

const groupId = () => ({ id: required(string) });

const projectCreations: readonly ProjectCreation[] = ['noone', 'maintainer', 'developer'];
const subgroupCreations: readonly SubgroupCreation[] = ['owner', 'maintainer'];

/** Attributes of a group that can be set when it is created and changed later. */
const groupValues = ({ profile }: Core) => ({
  description: string(),
  visibility: oneOf(visibilities)(),
  project_creation_level: oneOf(projectCreations)(),
  subgroup_creation_level: oneOf(subgroupCreations)(),
  disable_password_authentication_for_enterprise_users: limited(profile, enterprisePasswords, boolean()),
});

type SentValues = ParametersOf<typeof groupValues>;

function readInput(params: SentValues) {
  return {
    description: params.description,
    visibility: params.visibility,
    projectCreation: params.project_creation_level,
    subgroupCreation: params.subgroup_creation_level,
    refusesPasswords: params.disable_password_authentication_for_enterprise_users,
  };
}

const newParameters = (core: GitCore) => ({
  name: required(string),
  path: required(string),
  parent_id: integer(),
  ...groupValues(core),
});
const changedParameters = (core: GitCore) => ({ ...groupId(), name: string(), path: string(), ...groupValues(core) });
const listProjectsOfGroupParameters = () => ({
  ...groupId(),
  include_subgroups: fallback(false, boolean),
  include_ancestor_groups: fallback(false, boolean),
  ...projectListParameters(),
});

/** Returns the routes of groups, subgroups, and their projects and members. */
export function groupRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Groups and namespaces', status: 'inferred', key: 'id' } as const;
  return [
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/groups',
        body: listOf(groupResponse),
        specRef: 'Groups and namespaces',
        status: 'stated',
        key: 'id',
        params: listParameters,
      },
      (request) => listGroups(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/groups',
        body: groupWithProjects,
        authenticateFirst: true,
        params: () => newParameters(core),
      },
      (request) => addGroup(core, request),
    ),
    openGroupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id',
        body: oneGroup,
        params: () => ({
          ...groupId(),
          with_projects: fallback(true, boolean),
          with_custom_attributes: fallback(false, boolean),
        }),
      },
      (request) => presentOneGroup(core, request, request, request.params.with_projects),
    ),
    groupRoute(
      { ...metadata, method: 'PUT', path: '/api/v4/groups/:id', body: groupWithProjects, params: () => changedParameters(core) },
      'owner',
      (request) => changeGroup(core, request),
    ),
    groupRoute(
      { ...metadata, method: 'DELETE', path: '/api/v4/groups/:id', body: accepted, successStatus: 202, params: groupId },
      'owner',
      (request) => removeGroup(core, request),
    ),
    openGroupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id/subgroups',
        body: listOf(groupResponse),
        params: () => ({ ...groupId(), ...listParameters() }),
      },
      (request) => listGroups(core, request, { parentId: request.group.id }),
    ),
    openGroupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id/descendant_groups',
        body: listOf(groupResponse),
        params: () => ({ ...groupId(), ...listParameters() }),
      },
      (request) => listGroups(core, request, { ancestorId: request.group.id }),
    ),
    openGroupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id/projects',
        body: listOf(listedProject),
        params: listProjectsOfGroupParameters,
      },
      (request) => listProjectsOfGroup(core, request),
    ),
    ...groupMemberRoutes(core),
    ...transferRoutes(core),
    ...membershipRoutes(core),
    ...projectGroupRoutes(core),
    ...enterpriseRoutes(core),
    ...associationRoutes(core),
  ];
}

function addGroup(core: GitCore, request: SignedInRequest<ParametersOf<typeof newParameters>>): ResponseOf<typeof oneGroup> {
  const { params, caller } = request;
  const parent = params.parent_id === undefined ? undefined : findGroup(core, params.parent_id, caller);
  if (params.parent_id !== undefined && parent === undefined) throw notFound('Group');
  const input = { ...readInput(params), name: params.name, path: params.path, parent };
  return presentOneGroup(core, createGroup(core, caller.user, input), request, true);
}

function changeGroup(
  core: GitCore,
  request: SignedInRequest<ParametersOf<typeof changedParameters>> & FoundGroup,
): ResponseOf<typeof oneGroup> {
  const { params, group, caller } = request;
  const known = Object.entries(groupValues(core)).filter(([, parameter]) => metadataOf(parameter) !== undefined);
  demandOneOf(request, ['name', 'path', ...known.map(([name]) => name)]);
  updateGroup(core, request, { ...readInput(params), name: params.name, path: params.path });
  const again = findGroup(core, group.id, caller);
  if (again === undefined) throw notFound('Group');
  return presentOneGroup(core, again, request, true);
}

function removeGroup(
  core: GitCore,
  { group }: SignedInRequest<ParametersOf<typeof groupId>> & FoundGroup,
): ResponseOf<typeof accepted> {
  deleteGroup(core, group);
  return { message: '202 Accepted' };
}

function listProjectsOfGroup(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof listProjectsOfGroupParameters>> & FoundGroup,
): RawResponse {
  const { group, params } = request;
  const location = {
    groupId: group.id,
    withSubgroups: params.include_subgroups,
    withAncestors: params.include_ancestor_groups,
  };
  return projectList(core, request, location);
}

function listGroups(
  core: GitCore,
  request: ApiRequest<ListParams>,
  location: Pick<NamespaceFilter, 'parentId' | 'ancestorId'> = {},
): RawResponse {
  const { params, caller, baseUrl } = request;
  const { sort } = params;
  // Similarity has no meaning without a search text.
  const order = params.order_by === 'similarity' && (params.search ?? '') === '' ? 'name' : params.order_by;
  const { isAdministrator } = accessOf(caller);
  const filter: NamespaceFilter = {
    ...location,
    viewer: viewerId(caller),
    where: [
      "g.kind = 'group'",
      visibleGroupsSql(accessOf(caller)),
      ...(params.top_level_only === true ? ['g.parent_id IS NULL'] : []),
      ...(matchesNothing(params) ? ['false'] : []),
    ],
    search: params.search,
    visibility: params.visibility,
    storage: isAdministrator ? params.repository_storage : undefined,
    minLevel: minimumLevel(params, caller !== undefined),
    without: params.skip_groups,
  };
  const present = (group: Parameters<typeof presentGroup>[0]): unknown => ({
    ...presentGroup(group, baseUrl),
    ...(isAdministrator ? { repository_storage: group.repository_storage } : {}),
  });
  if (params.pagination === 'keyset' && caller === undefined) {
    if (order !== 'name' || sort !== 'asc')
      throw keysetUnavailable('keyset pagination of groups requires order_by=name and sort=asc');
    const cursor = params.cursor === undefined || params.cursor === '' ? undefined : readCursor(params.cursor, order, 'string');
    const after = cursor === undefined ? undefined : { name: String(cursor.value), id: cursor.id };
    const rows = listNamespaces(core.store, filter, { order, sort, limit: keysetSize(params.per_page), after });
    return new RawResponse(keysetResponse(request, order, rows, ({ name, id }) => ({ value: name, id }), present));
  }
  if (caller === undefined && params.page * params.per_page > maximumOffset(core))
    throw offsetTooDeep('Group', maximumOffset(core));
  const pages = {
    count: (cap: number) => countNamespaces(core.store, filter, cap),
    rows: (limit: number, offset: number) => listNamespaces(core.store, filter, { order, sort, limit, offset }),
  };
  return new RawResponse(offsetResponse(request, params, pages, present));
}

/** Returns true for filters without matches: no group is archived or marked for deletion. */
function matchesNothing(params: ListParams): boolean {
  const { active, archived, marked_for_deletion_on: marked } = params;
  return active === false || archived === true || marked !== undefined;
}

/** Returns the minimum access level that the filters of a list require; undefined if membership is not required. */
function minimumLevel(params: ListParams, isSignedIn: boolean): number | undefined {
  const requested = [
    ...(params.owned && isSignedIn ? [accessLevels.owner] : []),
    ...(params.all_available === false && isSignedIn ? [accessLevels.guest] : []),
    ...(params.min_access_level === undefined || !isSignedIn ? [] : [Number(params.min_access_level)]),
  ];
  return requested.length === 0 ? undefined : Math.max(...requested);
}
