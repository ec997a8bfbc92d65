import { type ResponseOf, listOf } from '../../http/responses.ts';
import { badRequest, recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integer, required, string, time, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import { enterpriseUsers, findUser, personalNamespaceId } from '../users/users.ts';
import { presentUserPrivate, userPrivate } from '../profiles/profiles.ts';
import { twoFactorFilter } from '../secondFactors/secondFactors.ts';
import type { Caller, User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Group, FoundGroup } from './access.ts';
import { groupRoute } from './route.ts';

const metadata = {
  method: 'GET',
  specRef: 'Users',
  status: 'inferred',
  key: 'id',
  tiers: ['premium', 'ultimate'],
} as const;

const showEnterpriseUsersParameters = () => ({
  id: required(string),
  username: string(),
  search: string(),
  active: fallback(false, boolean),
  blocked: fallback(false, boolean),
  created_after: time(),
  created_before: time(),
  two_factor: string(),
  ...pageParameters(),
});

const showEnterpriseUserParameters = () => ({ id: required(string), user_id: required(integer) });

/** Returns the routes with which owners list the enterprise users of a top-level group; administrators set them with `PUT /users/:id`. */
export function enterpriseRoutes(core: Core): Route[] {
  return [
    groupRoute(
      {
        ...metadata,
        path: '/api/v4/groups/:id/enterprise_users',
        body: listOf(userPrivate),
        addedIn: '17.7',
        params: showEnterpriseUsersParameters,
      },
      'owner',
      (request) => showEnterpriseUsers(core, request),
    ),
    groupRoute(
      {
        ...metadata,
        path: '/api/v4/groups/:id/enterprise_users/:user_id',
        body: userPrivate,
        addedIn: '17.9',
        params: showEnterpriseUserParameters,
      },
      'owner',
      (request) => showEnterpriseUser(core, request),
    ),
  ];
}

function showEnterpriseUsers(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof showEnterpriseUsersParameters>> & FoundGroup,
): RawResponse {
  const { params, group } = request;
  demandTopLevel(group);
  const users = enterpriseUsers(core, group.id, {
    ...(params.username === undefined ? {} : { username: params.username }),
    ...(params.search === undefined || params.search === '' ? {} : { search: params.search }),
    active: params.active,
    blocked: params.blocked,
    ...(params.created_after === undefined ? {} : { createdAfter: params.created_after }),
    ...(params.created_before === undefined ? {} : { createdBefore: params.created_before }),
    ...twoFactorFilter(params.two_factor),
  });
  return new RawResponse(offsetResponse(request, params, users, (user) => present(core, user, request)));
}

function showEnterpriseUser(
  core: Core,
  { params, group, caller, baseUrl }: SignedInRequest<ParametersOf<typeof showEnterpriseUserParameters>> & FoundGroup,
): ResponseOf<typeof userPrivate> {
  demandTopLevel(group);
  const user = findUser(core, params.user_id);
  if (user?.enterprise_group_id !== group.id) throw recordNotFound('the group has no enterprise user with this ID');
  return present(core, user, { caller, baseUrl });
}

function present(
  core: Core,
  user: User,
  { caller, baseUrl }: { readonly caller: Caller; readonly baseUrl: string },
): ResponseOf<typeof userPrivate> {
  return presentUserPrivate(core, user, baseUrl, {
    namespaceId: personalNamespaceId(core, user),
    withAdmin: false,
    viewer: caller.user.id,
  });
}

function demandTopLevel(group: Group): void {
  if (group.parent_id !== null) throw badRequest('Must be a top-level group');
}
