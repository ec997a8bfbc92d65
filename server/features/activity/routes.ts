import { listOf } from '../../http/responses.ts';
import { notFound, unauthenticated } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { date, fallback, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, openRoute, RawResponse, type RequestOf, type Route, userRoute } from '../../http/route.ts';
import { findUserByIdOrName } from '../users/users.ts';
import { isProfileShown } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { openProjectRoute } from '../projectAccess/projectAccess.ts';
import { projectEvent, userEvent } from './responses.ts';
import { feedOfMemberships, feedOfProject, feedOfUser, type VisibleFeed } from './feeds.ts';
import { presentEvents } from './present.ts';
import { actionNumbers, actions, dayBounds, targetFilters, targetTypes } from './rules.ts';
import { countEvents, type Feed, listEvents } from './store.ts';

const feedParameters = () => ({
  action: oneOf(actions)(),
  target_type: oneOf(targetFilters)(),
  before: date(),
  after: date(),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

const ownFeedParameters = () => ({ ...feedParameters(), scope: string() });

const userFeedParameters = () => ({ id: required(string), ...feedParameters() });

const projectFeedParameters = () => ({ project_id: required(string), ...feedParameters() });

/**
 * Returns the routes of the three event feeds (docs/interface.md#activity-events). Events that the caller cannot see are excluded before
 * pagination, so all pages are full.
 */
export function activityRoutes(core: Core): Route[] {
  return [
    userRoute(
      {
        method: 'GET',
        path: '/api/v4/events',
        body: listOf(userEvent),
        specRef: 'Activity events',
        status: 'stated',
        alsoScopes: ['read_user'],
        params: ownFeedParameters,
      },
      (request) => showOwnFeed(core, request),
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/users/:id/events',
        body: listOf(userEvent),
        specRef: 'Activity events',
        status: 'stated',
        key: 'id',
        alsoScopes: ['read_user'],
        params: userFeedParameters,
      },
      (request) => showUserFeed(core, request),
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:project_id/events',
        body: listOf(projectEvent),
        specRef: 'Activity events',
        status: 'stated',
        key: 'id',
        params: projectFeedParameters,
      },
      (request) => respond(core, request, feedOfProject(request, request.caller), 'project'),
    ),
  ];
}

function showOwnFeed(core: Core, request: RequestOf<typeof ownFeedParameters>): RawResponse {
  const { caller, params } = request;
  const feed = params.scope === 'all' ? feedOfMemberships(core, caller) : feedOfUser(core, caller.user.id, caller);
  return respond(core, request, feed, 'user');
}

function showUserFeed(core: Core, request: ApiRequest<ParametersOf<typeof userFeedParameters>>): RawResponse {
  const { caller, params } = request;
  if (caller === undefined && core.dialect.tokenForUserFeeds) {
    throw unauthenticated('the events of a user require a token in the dialect documented');
  }
  const user = findUserByIdOrName(core, params.id);
  if (user === undefined) throw notFound('User');
  if (!isProfileShown(user, caller)) {
    return new RawResponse(offsetResponse(request, params, { count: () => 0, rows: () => [] }, () => null));
  }
  return respond(core, request, feedOfUser(core, user.id, caller), 'user');
}

function respond(
  core: Core,
  request: ApiRequest<ParametersOf<typeof feedParameters>>,
  { owner, visibility }: VisibleFeed,
  listing: 'user' | 'project',
): RawResponse {
  const { params } = request;
  const { from, until } = dayBounds(params.before, params.after);
  const feed: Feed = {
    owner,
    action: params.action === undefined ? undefined : actionNumbers[params.action],
    targetType: params.target_type === undefined ? undefined : targetTypes[params.target_type],
    from,
    until,
    visibility,
  };
  return new RawResponse(
    offsetResponse(
      request,
      params,
      {
        count: (cap) => countEvents(core.store, feed, cap),
        rows: (limit, offset) =>
          presentEvents(core, listEvents(core.store, feed, { sort: params.sort, limit, offset }), request.baseUrl, listing),
      },
      (item) => item,
    ),
  );
}
