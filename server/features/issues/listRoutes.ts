import { type FoundGroup, openGroupRoute } from '../groups/groups.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { unauthenticated } from '../../core/errors.ts';
import { boolean, fallback, oneOf, required, string, type ParameterSet, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, openRoute, type RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute } from '../projectAccess/projectAccess.ts';
import { listedIssue, statistics } from './responses.ts';
import {
  filterParameters,
  issueList,
  issueStatistics,
  type KeysetParams,
  keysetParameters,
  type ListParams,
  listParameters,
  type Scope,
  scopes,
} from './lists.ts';

const counting = { specRef: 'Issues', status: 'inferred', method: 'GET', body: statistics } as const;
const listing = { method: 'GET', body: listOf(listedIssue) } as const;
const ownScope = () => fallback<Scope>('created_by_me', oneOf(scopes));
const containerParameters = () => ({ id: required(string), scope: oneOf(scopes)() });

const listAllParameters = (core: Core) => ({
  scope: ownScope(),
  non_archived: fallback(true, boolean),
  ...listParameters(core),
});

const listInGroupParameters = (core: Core) => ({
  ...containerParameters(),
  non_archived: fallback(true, boolean),
  ...listParameters(core),
});

const countAllParameters = (core: Core) => ({ scope: ownScope(), ...filterParameters(core) });

/** Returns the routes of issue lists and statistics for the instance, groups and projects. */
export function issueListRoutes(core: Core): Route[] {
  return [
    openRoute(
      {
        ...listing,
        path: '/api/v4/issues',
        specRef: 'Issues',
        status: 'inferred',
        params: () => listAllParameters(core),
      },
      (request) => listAll(core, request),
    ),
    openGroupRoute(
      {
        ...listing,
        path: '/api/v4/groups/:id/issues',
        specRef: 'Issues',
        status: 'inferred',
        key: 'id',
        params: () => listInGroupParameters(core),
      },
      (request) => listInGroup(core, request),
    ),
    openProjectRoute(
      {
        ...listing,
        path: '/api/v4/projects/:id/issues',
        specRef: 'Issues',
        status: 'stated',
        params: () => ({ ...containerParameters(), ...listParameters(core), ...keysetParameters() }),
      },
      (request) => listInProject(core, request),
    ),
    openRoute({ ...counting, path: '/api/v4/issues_statistics', params: () => countAllParameters(core) }, (request) =>
      countAll(core, request),
    ),
    openGroupRoute(
      {
        ...counting,
        path: '/api/v4/groups/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...containerParameters(), ...filterParameters(core) }),
      },
      (request) => issueStatistics(core, request, { scope: request.params.scope ?? 'all', groupId: request.group.id }),
    ),
    openProjectRoute(
      {
        ...counting,
        path: '/api/v4/projects/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...containerParameters(), ...filterParameters(core) }),
      },
      (request) => issueStatistics(core, request, { scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
  ];
}

type RequestWith<Declare extends (core: Core) => ParameterSet> = ApiRequest<ParametersOf<Declare>>;

function listAll(core: Core, request: RequestWith<typeof listAllParameters>): Promise<RawResponse> {
  const { scope, non_archived: withoutArchived } = request.params;
  requireCaller(request, scope);
  return issueList(core, request, { scope, withoutArchived });
}

function listInGroup(core: Core, request: RequestWith<typeof listInGroupParameters> & FoundGroup): Promise<RawResponse> {
  const { scope = 'all', non_archived: withoutArchived } = request.params;
  return issueList(core, request, { scope, withoutArchived, groupId: request.group.id });
}

function listInProject(
  core: Core,
  request: ApiRequest<ListParams & KeysetParams & { readonly scope?: Scope | undefined }> & FoundProject,
): Promise<RawResponse> {
  const { params, project, can } = request;
  const isWholeProject = can.readIssues && can.readConfidential;
  return issueList(core, request, { scope: params.scope ?? 'all', projectId: project.id, isWholeProject });
}

function countAll(core: Core, request: RequestWith<typeof countAllParameters>): Promise<ResponseOf<typeof statistics>> {
  const { scope } = request.params;
  requireCaller(request, scope);
  return issueStatistics(core, request, { scope });
}

function requireCaller({ caller }: Pick<ApiRequest<unknown>, 'caller'>, scope: Scope): void {
  if (scope !== 'all' && caller === undefined) {
    throw unauthenticated('this scope requires a token; without one, scope=all lists public issues');
  }
}
