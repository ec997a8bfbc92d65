import { openGroupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { unauthorized } from '../../http/failures.ts';
import { boolean, fallback, oneOf, required, string } from '../../http/params.ts';
import { type ApiRequest, openRoute, type Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { openProjectRoute } from '../projects/projects.ts';
import { listedIssue, statistics } from './responses.ts';
import { filterParameters, issueList, issueStatistics, keysetParameters, listParameters, type Scope, scopes } from './lists.ts';

/** Returns the routes of issue lists and statistics for the instance, groups and projects. */
export function issueListRoutes(platform: Platform): Route[] {
  const counting = { specRef: 'Issues', status: 'inferred', method: 'GET', body: statistics } as const;
  const listing = { method: 'GET', body: listOf(listedIssue) } as const;
  const pathParameters = () => ({ id: required(string) });
  const ownScope = () => fallback<Scope>('created_by_me', oneOf(scopes));

  return [
    openRoute(
      platform,
      {
        ...listing,
        path: '/api/v4/issues',
        specRef: 'Issues',
        status: 'inferred',
        params: () => ({ scope: ownScope(), non_archived: fallback(true, boolean), ...listParameters(platform) }),
      },
      (request) => {
        const { scope, non_archived: withoutArchived } = request.params;
        requireCaller(request, scope);
        return issueList(platform, request, { scope, withoutArchived });
      },
    ),
    openGroupRoute(
      platform,
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
          ...listParameters(platform),
        }),
      },
      (request) => {
        const { scope = 'all', non_archived: withoutArchived } = request.params;
        return issueList(platform, request, { scope, withoutArchived, groupId: request.group.id });
      },
    ),
    openProjectRoute(
      platform,
      {
        ...listing,
        path: '/api/v4/projects/:id/issues',
        specRef: 'Issues',
        status: 'stated',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...listParameters(platform), ...keysetParameters() }),
      },
      (request) => issueList(platform, request, { scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
    openRoute(
      platform,
      { ...counting, path: '/api/v4/issues_statistics', params: () => ({ scope: ownScope(), ...filterParameters(platform) }) },
      (request) => {
        const { scope } = request.params;
        requireCaller(request, scope);
        return issueStatistics(platform, request, { scope });
      },
    ),
    openGroupRoute(
      platform,
      {
        ...counting,
        path: '/api/v4/groups/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...filterParameters(platform) }),
      },
      (request) => issueStatistics(platform, request, { scope: request.params.scope ?? 'all', groupId: request.group.id }),
    ),
    openProjectRoute(
      platform,
      {
        ...counting,
        path: '/api/v4/projects/:id/issues_statistics',
        key: 'id',
        params: () => ({ ...pathParameters(), scope: oneOf(scopes)(), ...filterParameters(platform) }),
      },
      (request) => issueStatistics(platform, request, { scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
  ];
}

function requireCaller({ caller }: Pick<ApiRequest<unknown>, 'caller'>, scope: Scope): void {
  if (scope !== 'all' && caller === undefined) {
    throw unauthorized('this scope requires a token; without one, scope=all lists public issues');
  }
}
