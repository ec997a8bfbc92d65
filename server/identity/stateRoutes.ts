import { badRequest, forbidden, notFound } from '../http/failures.ts';
import { integer, required } from '../http/params.ts';
import { administratorRoute, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { findUser, type User } from './identity.ts';
import { disableSecondFactor } from './secondFactor.ts';
import { setUserState } from './store.ts';

/** What administrators do with the account of a person. */
export function stateRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const facts = { clause: 'Authentication', status: 'inferred', key: 'id', params: () => ({ id: required(integer) }) } as const;

  return [
    ...(['block', 'unblock'] as const).map((action) =>
      administratorRoute(
        platform,
        { ...facts, method: 'POST', path: `/api/v4/users/:id/${action}` },
        ({ params, caller, now }) => {
          const user = theUser(params.id);
          if (action === 'block' && user.id === caller.user.id)
            throw forbidden(undefined, 'administrators cannot block themselves');
          setUserState(store, user.id, action === 'block' ? 'blocked' : 'active', now);
          return true;
        },
      ),
    ),
    administratorRoute(
      platform,
      { ...facts, method: 'PATCH', path: '/api/v4/users/:id/disable_two_factor', first: '15.2', answer: 204 },
      ({ params }) => {
        const user = theUser(params.id);
        if (user.admin === 1) {
          throw forbidden(
            'Two-factor authentication for admins cannot be disabled via the API. Use the Rails console',
            'administrators switch it off on their own settings page; a one-time sign-in link leads there without a code',
          );
        }
        if (!disableSecondFactor(platform, user)) throw badRequest('Two-factor authentication is not enabled for this user');
      },
    ),
  ];

  function theUser(id: number): User {
    const user = findUser(platform, id);
    if (user === undefined) throw notFound('User');
    return user;
  }
}
