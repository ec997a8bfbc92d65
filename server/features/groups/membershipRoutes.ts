import { listOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, oneOf, required } from '../../http/params.ts';
import { administratorRoute, RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { membership } from './responses.ts';
import { countMemberships, listMemberships } from './memberships.ts';

const showMembershipsParameters = () => ({
  user_id: required(integer),
  type: oneOf(['Project', 'Namespace'])(),
  ...pageParameters(),
});

/** Returns the route that lists the direct group and project memberships of a user. */
export function membershipRoutes(core: Core): Route[] {
  return [
    administratorRoute(
      {
        method: 'GET',
        path: '/api/v4/users/:user_id/memberships',
        body: listOf(membership),
        specRef: 'Users',
        status: 'inferred',
        key: 'id',
        alsoScopes: ['read_user'],
        params: showMembershipsParameters,
      },
      (request) => showMemberships(core, request),
    ),
  ];
}

function showMemberships(core: Core, request: RequestOf<typeof showMembershipsParameters>): RawResponse {
  const { params } = request;
  const user = findUser(core, params.user_id);
  if (user === undefined) throw notFound('User');
  const filter = { userId: user.id, type: params.type };
  const pages = {
    count: (cap: number) => countMemberships(core.store, filter, cap),
    rows: (limit: number, offset: number) => listMemberships(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (row) => row));
}
