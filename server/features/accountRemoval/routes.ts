import { notFound } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { boolean, fallback, integer, required } from '../../http/params.ts';
import { administratorRoute, type RequestOf, type Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { removeAccount } from './removeAccount.ts';

const removalParameters = () => ({ id: required(integer), hard_delete: fallback(false, boolean) });

/** Returns the route with which administrators delete accounts. */
export function accountRemovalRoutes(core: Core): Route[] {
  return [
    administratorRoute(
      {
        method: 'DELETE',
        path: '/api/v4/users/:id',
        specRef: 'Users',
        status: 'inferred',
        key: 'id',
        successStatus: 204,
        params: removalParameters,
      },
      (request) => remove(core, request),
    ),
  ];
}

function remove(core: Core, { params }: RequestOf<typeof removalParameters>): void {
  const user = findUser(core, params.id);
  if (user === undefined) throw notFound('User');
  removeAccount(core, user, { withContributions: params.hard_delete });
}
