import { notFound } from '../../core/errors.ts';
import { oneOf, required, string } from '../../http/params.ts';
import { openRoute, type Route, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { availabilities, userStatus } from './responses.ts';
import { findUserByIdOrName } from './accounts.ts';
import { changeStatus, type Clearance, clearances, presentStatus, setStatus } from './status.ts';

const clearanceNames = Object.keys(clearances).filter((name): name is Clearance => name in clearances);

/** Returns the routes of user statuses. */
export function statusRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Users', status: 'inferred', body: userStatus } as const;
  const values = () => ({
    emoji: string(),
    message: string(),
    availability: oneOf(availabilities)(),
    clear_status_after: oneOf(clearanceNames)(),
  });

  return [
    openRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/users/:user_id/status',
        key: 'id',
        alsoScopes: ['read_user'],
        params: () => ({ user_id: required(string) }),
      },
      ({ params }) => {
        const user = findUserByIdOrName(core, params.user_id);
        if (user === undefined) throw notFound('User');
        return presentStatus(core, user.id);
      },
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
        { ...metadata, method, path: '/api/v4/user/status', authenticateFirst: true, params: values },
        ({ params, caller }) => {
          const { emoji, message, availability, clear_status_after: clearAfter } = params;
          change(core, caller.user.id, { emoji, message, availability, clearAfter });
          return presentStatus(core, caller.user.id);
        },
      ),
    ),
  ];
}
