import { listOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, required, type ParametersOf } from '../../http/params.ts';
import { openRoute, RawResponse, type Route, userRoute, type SignedInRequest, type ApiRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { isProfileShown, presentUserBasic, userBasic } from '../profiles/profiles.ts';
import { countFollows, deleteFollow, findUser, insertFollow, listFollows } from '../users/users.ts';

const metadata = { specRef: 'Users', status: 'inferred', key: 'id' } as const;

const changeFollowParameters = () => ({ id: required(integer) });

const showFollowsParameters = () => ({ id: required(integer), ...pageParameters() });

/** Returns the routes that follow and unfollow users and list their followers. */
export function followRoutes(core: Core): Route[] {
  return [
    ...(['follow', 'unfollow'] as const).map((action) =>
      userRoute(
        {
          ...metadata,
          method: 'POST',
          path: `/api/v4/users/:id/${action}`,
          body: userBasic,
          authenticateFirst: true,
          params: changeFollowParameters,
        },
        (request) => changeFollow(core, request, action),
      ),
    ),
    ...(['followers', 'following'] as const).map((side) =>
      openRoute(
        {
          ...metadata,
          method: 'GET',
          path: `/api/v4/users/:id/${side}`,
          body: listOf(userBasic),
          alsoScopes: ['read_user'],
          params: showFollowsParameters,
        },
        (request) => showFollows(core, request, side),
      ),
    ),
  ];
}

function changeFollow(
  core: Core,
  { params, caller, baseUrl, context }: SignedInRequest<ParametersOf<typeof changeFollowParameters>>,
  action: 'follow' | 'unfollow',
): unknown {
  const user = findUser(core, params.id);
  if (user === undefined) throw notFound('User');
  const change = action === 'follow' ? insertFollow : deleteFollow;
  if (change(core.store, caller.user.id, user.id)) return presentUserBasic(core, user, baseUrl);
  context.noteRefusal('follow.changed', 'already in this state, or the user is the caller');
  return new RawResponse({ status: 304 });
}

function showFollows(
  core: Core,
  request: ApiRequest<ParametersOf<typeof showFollowsParameters>>,
  side: 'followers' | 'following',
): RawResponse {
  const { params, caller, baseUrl } = request;
  const user = findUser(core, params.id);
  if (user === undefined || !isProfileShown(user, caller)) throw notFound('User');
  const pages = {
    count: (cap: number) => countFollows(core.store, side, user.id, cap),
    rows: (limit: number, offset: number) => listFollows(core.store, side, user.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (one) => presentUserBasic(core, one, baseUrl)));
}
