import { notFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { date, fallback, oneOf, required, string } from '../http/params.ts';
import { type ApiRequest, openRoute, Prepared, type Route, userRoute } from '../http/route.ts';
import { findUserByIdOrName } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { findProjects, openProjectRoute, projectsOfMember, viewerId } from '../projects/projects.ts';
import { presentEvents } from './present.ts';
import {
  type Action,
  actionNumbers,
  actions,
  dayBounds,
  type Sight,
  sightOf,
  type TargetFilter,
  targetFilters,
  targetTypes,
} from './rules.ts';
import { countEvents, type Feed, type FeedOwner, listEvents, projectsOfAuthor } from './store.ts';

const feedParameters = () => ({
  action: oneOf(actions)(),
  target_type: oneOf(targetFilters)(),
  before: date(),
  after: date(),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

interface FeedParams {
  readonly action: Action | undefined;
  readonly target_type: TargetFilter | undefined;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly sort: 'asc' | 'desc';
  readonly page: number;
  readonly per_page: number;
}

/** The three feeds of the description. What the caller may not see is left out before the page is cut, so pages are full. */
export function activityRoutes(platform: Platform): Route[] {
  const { store, wording } = platform;

  const answer = (request: ApiRequest<FeedParams>, owner: FeedOwner, sight: Sight, listing: 'user' | 'project'): Prepared => {
    const { params } = request;
    const { from, until } = dayBounds(params.before, params.after);
    const feed: Feed = {
      owner,
      action: params.action === undefined ? undefined : actionNumbers[params.action],
      targetType: params.target_type === undefined ? undefined : targetTypes[params.target_type],
      from,
      until,
      sight,
    };
    return new Prepared(
      offsetAnswer(
        request,
        params,
        {
          count: (cap) => countEvents(store, feed, cap),
          rows: (limit, offset) =>
            presentEvents(platform, listEvents(store, feed, { sort: params.sort, limit, offset }), request.baseUrl, listing),
        },
        (item) => item,
      ),
    );
  };

  /** What a caller sees of these projects in a feed of people. */
  const sightInUserFeed = (request: ApiRequest<unknown>, ids: readonly number[]): Sight => {
    const found = findProjects(platform, ids, request.caller);
    const projects = ids.map((id) => ({ id, can: found.get(id)?.can }));
    return sightOf(projects, viewerId(request.caller), { withoutMergeRequests: !wording.mergeRequestEventsInUserFeeds });
  };

  const feedOfUser = (request: ApiRequest<FeedParams>, userId: number): Prepared => {
    const ids = projectsOfAuthor(store, userId);
    return answer(request, { kind: 'author', id: userId }, sightInUserFeed(request, ids), 'user');
  };

  return [
    userRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/events',
        clause: 'Activity events',
        status: 'stated',
        alsoScopes: ['read_user'],
        params: () => ({ ...feedParameters(), scope: string() }),
      },
      (request) => {
        if (request.params.scope !== 'all') return feedOfUser(request, request.caller.user.id);
        const ids = projectsOfMember(platform, request.caller.user.id);
        return answer(request, { kind: 'projects', ids }, sightInUserFeed(request, ids), 'user');
      },
    ),
    openRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/users/:id/events',
        clause: 'Activity events',
        status: 'stated',
        key: 'id',
        alsoScopes: ['read_user'],
        params: () => ({ id: required(string), ...feedParameters() }),
      },
      (request) => {
        const { caller } = request;
        const user = findUserByIdOrName(platform, request.params.id);
        if (user === undefined) throw notFound('User');
        const isShown = user.private_profile === 0 || caller?.user.id === user.id || caller?.user.admin === 1;
        if (!isShown) return new Prepared(offsetAnswer(request, request.params, { count: () => 0, rows: () => [] }, () => null));
        return feedOfUser(request, user.id);
      },
    ),
    openProjectRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/projects/:project_id/events',
        clause: 'Activity events',
        status: 'stated',
        key: 'id',
        params: () => ({ project_id: required(string), ...feedParameters() }),
      },
      (request) => {
        const { project, can } = request;
        const sight = sightOf([{ id: project.id, can }], viewerId(request.caller), { withoutMergeRequests: false });
        return answer(request, { kind: 'project', id: project.id }, sight, 'project');
      },
    ),
  ];
}
