import { notFound } from '../../core/errors.ts';
import { oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { type ApiRequest, openRoute, type RequestOf, type Route, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { availabilities, userStatus } from './responses.ts';
import { findUserByIdOrName } from '../users/users.ts';
import { changeStatus, type Clearance, clearances, presentStatus, setStatus } from './status.ts';

const clearanceNames = Object.keys(clearances).filter((name): name is Clearance => name in clearances);

const metadata = { specRef: 'Users', status: 'inferred', body: userStatus } as const;

const showStatusParameters = () => ({ user_id: required(string) });

const changeStatusParameters = () => ({
  emoji: string(),
  message: string(),
  availability: oneOf(availabilities)(),
  clear_status_after: oneOf(clearanceNames)(),
});

/** Returns the routes of user statuses. */
export function statusRoutes(core: Core): Route[] {
  return [
    openRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/users/:user_id/status',
        key: 'id',
        alsoScopes: ['read_user'],
        params: showStatusParameters,
      },
      (request) => showStatus(core, request),
    ),
    userRoute({ ...metadata, method: 'GET', path: '/api/v4/user/status', alsoScopes: ['read_user'] }, ({ caller }) =>
      presentStatus(core, caller.user.id),
    ),
    // PUT replaces the status, PATCH changes the members that are sent.
    ...(
      [
        ['PUT', setStatus],
        ['PATCH', changeStatus],
      ] as const
    ).map(([method, change]) =>
      userRoute(
        { ...metadata, method, path: '/api/v4/user/status', authenticateFirst: true, params: changeStatusParameters },
        (request) => changeOwnStatus(core, request, change),
      ),
    ),
  ];
}

function showStatus(
  core: Core,
  { params }: ApiRequest<ParametersOf<typeof showStatusParameters>>,
): ResponseOf<typeof userStatus> {
  const user = findUserByIdOrName(core, params.user_id);
  if (user === undefined) throw notFound('User');
  return presentStatus(core, user.id);
}

function changeOwnStatus(
  core: Core,
  { params, caller }: RequestOf<typeof changeStatusParameters>,
  change: typeof setStatus | typeof changeStatus,
): ResponseOf<typeof userStatus> {
  const { emoji, message, availability, clear_status_after: clearAfter } = params;
  change(core, caller.user.id, { emoji, message, availability, clearAfter });
  return presentStatus(core, caller.user.id);
}
