import { openGroupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { unauthorized } from '../../http/failures.ts';
import { boolean, fallback, oneOf, required, string } from '../../http/params.ts';
import { type ApiRequest, openRoute, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { openProjectRoute } from '../projects/projects.ts';
import { listedIssue, statistics } from './responses.ts';
import { filterParameters, issueList, issueStatistics, keysetParameters, listParameters, type Scope, scopes } from './lists.ts';

/** Returns the routes of issue lists and statistics for the instance, groups and projects. */
export function issueListRoutes(core: Core): Route[] {
  const counting = { specRef: 'Issues', status: 'inferred', method: 'GET', body: statistics } as const;
  const listing = { method: 'GET', body: listOf(listedIssue) } as const;
  const pathParameters = () => ({ id: required(string) });
  const ownScope = () => fallback<Scope>('created_by_me', oneOf(scopes));

  return [
    openRoute(
      {
        ...listing,
        path: '/api/v4/issues',
        specRef: 'Issues',
        status: 'inferred',
        params: () => ({ scope: ownScope(), non_archived: fallback(true, boolean), ...listParameters(core) }),
      },
      (request) => {
        const { scope, non_archived: withoutArchived } = request.params;
        requireCaller(request, scope);
        return issueList(core, request, { scope, withoutArchived });
      },
    ),
    openGroupRoute(
      {
        ...listing,
        path: '/api/v4/groups/:id/issues',
        specRef: 'Issues',
        status: 'inferred',
        key: 'id',
        params: () => ({
          ...pathParameters(),
          scope: oneOf(scopes)(),
          non_archived: fallback(true, boolean),
          ...listParameters(core),
        }),
      },
      (request) => {
        const { scope = 'all', non_archived: withoutArchived } = request.params;
        return issueList(core, request, { scope, withoutArchived, groupId: request.group.id });
      },
    ),
    openProjectRoute(
      {
        ...listing,
        path: '/api/v4/projects/:id/issues',
        specRef: 'Issues',
        status: 'stated',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...listParameters(core), ...keysetParameters() }),
      },
      (request) => issueList(core, request, { scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
    openRoute(
      { ...counting, path: '/api/v4/issues_statistics', params: () => ({ scope: ownScope(), ...filterParameters(core) }) },
      (request) => {
        const { scope } = request.params;
        requireCaller(request, scope);
        return issueStatistics(core, request, { scope });
      },
    ),
    openGroupRoute(
      {
        ...counting,
        path: '/api/v4/groups/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...filterParameters(core) }),
      },
      (request) => issueStatistics(core, request, { scope: request.params.scope ?? 'all', groupId: request.group.id }),
    ),
    openProjectRoute(
      {
        ...counting,
        path: '/api/v4/projects/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...filterParameters(core) }),
      },
      (request) => issueStatistics(core, request, { scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
  ];
}

function requireCaller({ caller }: Pick<ApiRequest<unknown>, 'caller'>, scope: Scope): void {
  if (scope !== 'all' && caller === undefined) {
    throw unauthorized('this scope requires a token; without one, scope=all lists public issues');
  }
}
