import { demandOneOf } from '../http/combinations.ts';
import { jsonAnswer } from '../http/exchange.ts';
import { badRequest, keysetUnavailable, notFound, offsetTooDeep } from '../http/failures.ts';
import { keysetSize, linkUrl, offsetAnswer, pageParameters } from '../http/pagination.ts';
import { boolean, fallback, integer, oneOf, required, string, time } from '../http/params.ts';
import { type ApiRequest, openRoute, Prepared, type Route, userRoute } from '../http/route.ts';
import { findUserByIdOrName } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { accessLevels, featureAccesses, type FeatureAccess, visibilities, visibleProjectsSql } from './abilities.ts';
import { findProject, type FoundProject, seenBy, standingOf, viewerId } from './access.ts';
import { memberRoutes } from './memberRoutes.ts';
import { presentProjectBasic, presentProjects } from './present.ts';
import { createProject, deleteProject, setArchived, updateProject } from './projects.ts';
import { openProjectRoute, projectRoute } from './route.ts';
import { countProjects, listProjects, type ProjectFilter, type ProjectOrder } from './store.ts';

/** Largest offset of a list that keyset pagination can answer too. */
const MAX_OFFSET = 50_000;

const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count'] as const;

const listParameters = () => ({
  archived: boolean(),
  visibility: oneOf(visibilities)(),
  search: string(),
  search_namespaces: boolean(),
  owned: fallback(false, boolean),
  membership: fallback(false, boolean),
  simple: fallback(false, boolean),
  with_issues_enabled: fallback(false, boolean),
  min_access_level: oneOf(['5', '10', '15', '20', '30', '40', '50'])(),
  id_after: integer(),
  id_before: integer(),
  last_activity_after: time(),
  last_activity_before: time(),
  updated_after: time(),
  updated_before: time(),
  order_by: fallback<ProjectOrder>('created_at', oneOf(orders)),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  pagination: string(),
  ...pageParameters(),
});

interface ListParams {
  readonly archived: boolean | undefined;
  readonly visibility: ProjectFilter['visibility'];
  readonly search: string | undefined;
  readonly search_namespaces: boolean | undefined;
  readonly owned: boolean;
  readonly membership: boolean;
  readonly simple: boolean;
  readonly with_issues_enabled: boolean;
  readonly min_access_level: string | undefined;
  readonly id_after: number | undefined;
  readonly id_before: number | undefined;
  readonly last_activity_after: number | undefined;
  readonly last_activity_before: number | undefined;
  readonly updated_after: number | undefined;
  readonly updated_before: number | undefined;
  readonly order_by: ProjectOrder;
  readonly sort: 'asc' | 'desc';
  readonly pagination: string | undefined;
  readonly page: number;
  readonly per_page: number;
}

/** What may be set of a project, at its creation and later. */
const projectValues = () => ({
  name: string(),
  path: string(),
  description: string(),
  visibility: oneOf(visibilities)(),
  default_branch: string(),
  issues_access_level: oneOf(featureAccesses)(),
  issues_enabled: boolean(),
});

const projectId = () => ({ id: required(string) });

export function projectRoutes(platform: Platform): Route[] {
  const { store } = platform;

  const presentOne = (found: FoundProject, baseUrl: string): unknown => presentProjects(platform, [found], baseUrl)[0];

  /** The project after a change, as its caller sees it now. */
  const presentAgain = (found: FoundProject, request: ApiRequest<unknown>): unknown => {
    const again = findProject(platform, found.project.id, request.caller);
    if (again === undefined) throw notFound('Project');
    return presentOne(again, request.baseUrl);
  };

  const list = (request: ApiRequest<ListParams>, namespaceOwner?: number): Prepared => {
    const { params, caller, baseUrl } = request;
    if ((params.updated_after ?? params.updated_before) !== undefined && params.order_by !== 'updated_at') {
      throw badRequest('`updated_at` filter and `updated_at` sorting must be paired');
    }
    const filter: ProjectFilter = {
      viewer: viewerId(caller),
      visible: visibleProjectsSql(standingOf(caller)),
      namespaceOwner,
      archived: params.archived,
      visibility: params.visibility,
      search: params.search,
      searchNamespaces: params.search_namespaces,
      minLevel: lowestLevel(params),
      withIssues: params.with_issues_enabled,
      idAfter: params.id_after,
      idBefore: params.id_before,
      lastActivityAfter: params.last_activity_after,
      lastActivityBefore: params.last_activity_before,
      updatedAfter: params.updated_after,
      updatedBefore: params.updated_before,
    };
    const { sort } = params;
    const isBasic = params.simple || caller === undefined;
    const present = (limit: number, offset: number): readonly unknown[] => {
      const rows = listProjects(store, filter, { order: params.order_by, sort, limit, offset });
      if (isBasic) return rows.map((row) => presentProjectBasic(row, baseUrl));
      return presentProjects(
        platform,
        rows.map((row) => seenBy(row, caller)).filter((found) => found !== undefined),
        baseUrl,
      );
    };
    if (params.pagination === 'keyset') {
      if (params.order_by !== 'id') throw keysetUnavailable('keyset pagination of projects needs order_by=id');
      const rows = listProjects(store, filter, { order: 'id', sort, limit: keysetSize(params.per_page), offset: 0 });
      const last = rows.at(-1);
      if (last === undefined) return new Prepared(jsonAnswer(200, []));
      const next = linkUrl(request, { [sort === 'asc' ? 'id_after' : 'id_before']: last.id });
      return new Prepared(jsonAnswer(200, present(rows.length, 0), { Link: `<${next}>; rel="next"` }));
    }
    if (params.page * params.per_page > MAX_OFFSET) throw offsetTooDeep('Project', MAX_OFFSET);
    return new Prepared(
      offsetAnswer(request, params, { count: (cap) => countProjects(store, filter, cap), rows: present }, (item) => item),
    );
  };

  return [
    openRoute(
      platform,
      { method: 'GET', path: '/api/v4/projects', clause: 'Pagination', status: 'stated', key: 'id', params: listParameters },
      (request) => list(request),
    ),
    openRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/users/:user_id/projects',
        clause: 'General request rules',
        status: 'inferred',
        key: 'id',
        params: () => ({ user_id: required(string), ...listParameters() }),
      },
      (request) => {
        const user = findUserByIdOrName(platform, request.params.user_id);
        if (user === undefined) throw notFound('User');
        return list(request, user.id);
      },
    ),
    userRoute(
      platform,
      {
        method: 'POST',
        path: '/api/v4/projects',
        clause: 'General request rules',
        status: 'inferred',
        authenticateFirst: true,
        params: () => ({ ...projectValues(), namespace_id: integer() }),
      },
      (request) => {
        const { params, caller } = request;
        demandOneOf(request.linkParameters(), ['name', 'path']);
        const created = createProject(platform, caller.user, {
          name: params.name,
          path: params.path,
          namespaceId: params.namespace_id,
          description: params.description,
          visibility: params.visibility,
          defaultBranch: params.default_branch,
          issuesAccess: issuesAccess(params),
        });
        return presentOne(created, request.baseUrl);
      },
    ),
    openProjectRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/projects/:id',
        clause: 'General request rules',
        status: 'stated',
        key: 'id',
        params: projectId,
      },
      (request) => presentOne(request, request.baseUrl),
    ),
    projectRoute(
      platform,
      {
        method: 'PUT',
        path: '/api/v4/projects/:id',
        clause: 'General request rules',
        status: 'inferred',
        key: 'id',
        params: () => ({ ...projectId(), ...projectValues() }),
      },
      'maintainer',
      (request) => {
        const { params } = request;
        demandOneOf(request.linkParameters(), Object.keys(projectValues()));
        updateProject(platform, request, {
          name: params.name,
          path: params.path,
          description: params.description,
          visibility: params.visibility,
          defaultBranch: params.default_branch,
          issuesAccess: issuesAccess(params),
        });
        return presentAgain(request, request);
      },
    ),
    projectRoute(
      platform,
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id',
        clause: 'General request rules',
        status: 'inferred',
        key: 'id',
        answer: 202,
        params: projectId,
      },
      'owner',
      ({ project }) => {
        deleteProject(platform, project);
        return { message: '202 Accepted' };
      },
    ),
    ...(['archive', 'unarchive'] as const).map((action) =>
      projectRoute(
        platform,
        {
          method: 'POST',
          path: `/api/v4/projects/:id/${action}`,
          clause: 'General request rules',
          status: 'inferred',
          key: 'id',
          params: projectId,
        },
        'owner',
        (request) => {
          setArchived(platform, request.project, action === 'archive');
          return presentAgain(request, request);
        },
      ),
    ),
    ...memberRoutes(platform),
  ];
}

/** The lowest access level that the filters of a list ask for; undefined when membership does not matter. */
function lowestLevel(params: ListParams): number | undefined {
  const wished = [
    ...(params.owned ? [accessLevels.owner] : []),
    ...(params.membership ? [accessLevels.guest] : []),
    ...(params.min_access_level === undefined ? [] : [Number(params.min_access_level)]),
  ];
  return wished.length === 0 ? undefined : Math.max(...wished);
}

/** The older switch counts when the newer one is not sent. */
function issuesAccess(params: {
  readonly issues_access_level: FeatureAccess | undefined;
  readonly issues_enabled: boolean | undefined;
}): FeatureAccess | undefined {
  if (params.issues_access_level !== undefined || params.issues_enabled === undefined) return params.issues_access_level;
  return params.issues_enabled ? 'enabled' : 'disabled';
}
