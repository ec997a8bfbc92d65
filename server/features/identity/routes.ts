import { eitherOf, listOf, type ResponseOf } from '../../http/responses.ts';
import { conflict, forbidden, invalidParameters, invalidRecord, notFound } from '../../core/errors.ts';
import { demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  offsetResponse,
  offsetTooDeep,
  pageParameters,
  readCursor,
} from '../../http/pagination.ts';
import {
  boolean,
  fallback,
  integer,
  oneOf,
  opaque,
  required,
  string,
  time,
  limited,
  type ParametersOf,
} from '../../http/params.ts';
import {
  administratorRoute,
  type ApiRequest,
  openRoute,
  RawResponse,
  type Route,
  userRoute,
  type SignedInRequest,
} from '../../http/route.ts';
import { accountLocks } from '../attempts/attempts.ts';
import { maximumOffset } from '../settings/settings.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { compareReleases } from '../../../src/contract/releases.ts';
import { hashPassword } from '../../core/secrets.ts';
import {
  presentUserBasic,
  presentUserPrivate,
  presentUserProfile,
  userBasic,
  userPrivate,
  userProfile,
} from '../profiles/profiles.ts';
import { versionResponse } from './responses.ts';
import { followRoutes } from './followRoutes.ts';
import {
  countMatchingUsers,
  createUser,
  enterprisePasswords,
  findUser,
  listUsers,
  personalNamespaceId,
  setEnterpriseGroup,
  storePassword,
  updateUser,
  type UserFilter,
  type UserOrder,
} from '../users/users.ts';
import { type Caller, isAdministrator, type User } from '../../core/caller.ts';
import { isEmail, lengthErrors, passwordProblem, usernameProblem } from '../accountRules/accountRules.ts';
import { twoFactorFilter } from '../secondFactors/secondFactors.ts';
import { endSessionsOf } from '../signIn/signIn.ts';
import { stateRoutes } from './stateRoutes.ts';
import { statusRoutes } from './statusRoutes.ts';
import { tokenRoutes } from '../personalTokens/personalTokens.ts';

const userListParameters = () => ({
  username: string(),
  search: string(),
  active: fallback(false, boolean),
  blocked: fallback(false, boolean),
  external: fallback(false, boolean),
  humans: fallback(false, boolean),
  exclude_active: fallback(false, boolean),
  exclude_external: fallback(false, boolean),
  exclude_humans: fallback(false, boolean),
  exclude_internal: fallback(false, boolean),
  without_project_bots: fallback(false, boolean),
  without_projects: fallback(false, boolean),
  extern_uid: string(),
  provider: string(),
  admins: fallback(false, boolean),
  two_factor: string(),
  created_after: time(),
  created_before: time(),
  order_by: oneOf(['id', 'name', 'username', 'created_at', 'updated_at'])(),
  sort: oneOf(['asc', 'desc'])(),
  pagination: string(),
  cursor: opaque(),
  ...pageParameters(),
});

type UserListParams = ParametersOf<typeof userListParameters>;

const showParameters = () => ({ id: required(integer) });
const newParameters = () => ({
  email: required(string),
  name: required(string),
  username: required(string),
  password: string(),
  reset_password: boolean(),
  force_random_password: boolean(),
  skip_confirmation: boolean(),
  admin: fallback(false, boolean),
  external: fallback(false, boolean),
  private_profile: fallback(false, boolean),
  bio: string(),
});
const changes = (core: Core) => ({
  username: string(),
  name: string(),
  email: string(),
  password: string(),
  bio: string(),
  admin: boolean(),
  external: boolean(),
  private_profile: boolean(),
  enterprise_group_id: limited(core.profile, enterprisePasswords, integer()),
});

const changedParameters = (core: Core) => ({ id: required(integer), ...changes(core) });

export function identityRoutes(core: Core): Route[] {
  return [
    userRoute(
      {
        method: 'GET',
        path: '/api/v4/version',
        body: versionResponse,
        specRef: 'Releases, tiers and offerings',
        status: 'inferred',
        alsoScopes: ['read_user'],
      },
      () => version(core),
    ),
    userRoute(
      {
        method: 'GET',
        path: '/api/v4/metadata',
        body: versionResponse,
        specRef: 'Releases, tiers and offerings',
        status: 'inferred',
        addedIn: '15.2',
        alsoScopes: ['read_user'],
      },
      () => version(core),
    ),
    userRoute(
      { method: 'GET', path: '/api/v4/user', body: userPrivate, specRef: 'Users', status: 'inferred', alsoScopes: ['read_user'] },
      ({ caller, baseUrl }) => presentOwn(core, caller.user, baseUrl),
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/users',
        body: listOf(eitherOf(userBasic, userPrivate)),
        specRef: 'Users',
        status: 'stated',
        key: 'id',
        alsoScopes: ['read_user'],
        params: userListParameters,
      },
      (request) => listUsersPage(core, request),
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/users/:id',
        body: eitherOf(userBasic, userProfile, userPrivate),
        specRef: 'Users',
        status: 'inferred',
        key: 'id',
        alsoScopes: ['read_user'],
        params: showParameters,
      },
      (request) => showUser(core, request),
    ),
    administratorRoute(
      { method: 'POST', path: '/api/v4/users', body: userPrivate, specRef: 'Users', status: 'inferred', params: newParameters },
      (request) => addUser(core, request),
    ),
    administratorRoute(
      {
        method: 'PUT',
        path: '/api/v4/users/:id',
        body: userPrivate,
        specRef: 'Users',
        status: 'inferred',
        key: 'id',
        params: () => changedParameters(core),
      },
      (request) => changeUser(core, request),
    ),
    ...stateRoutes(core),
    ...followRoutes(core),
    ...statusRoutes(core),
    ...tokenRoutes(core),
  ];
}

function hasEnterpriseUsers(core: Core): boolean {
  return isAvailable(enterprisePasswords, core.profile);
}

function listUsersPage(core: Core, request: ApiRequest<ParametersOf<typeof userListParameters>>): RawResponse {
  const { caller, params } = request;
  if (caller === undefined && params.username === undefined) {
    throw forbidden('Not authorized to access /api/v4/users', 'without a token, the parameter username is required');
  }
  const seesAll = caller !== undefined && isAdministrator(caller);
  if ((params.extern_uid === undefined) !== (params.provider === undefined)) {
    throw invalidParameters(['extern_uid, provider provide all or none of parameters']);
  }
  const filter = userFilter(params, seesAll);
  const sort = params.sort ?? 'desc';
  const order: UserOrder = params.order_by ?? 'id';
  const isLocked = accountLocks(core);
  const present = (user: User): unknown =>
    seesAll
      ? presentForAdministrator(core, caller, user, request.baseUrl, isLocked)
      : presentUserBasic(core, user, request.baseUrl, isLocked);
  if (usesKeyset(core, request)) {
    const after =
      params.cursor === undefined || params.cursor === ''
        ? undefined
        : readCursor(params.cursor, order, isText(order) ? 'string' : 'number');
    const rows = listUsers(core.store, filter, {
      order,
      sort,
      limit: keysetSize(params.per_page),
      ...(after === undefined ? {} : { after }),
    });
    return new RawResponse(keysetResponse(request, order, rows, (row) => ({ value: row[order], id: row.id }), present));
  }
  if (params.page * params.per_page > maximumOffset(core)) throw offsetTooDeep('User', maximumOffset(core));
  return new RawResponse(
    offsetResponse(
      request,
      params,
      {
        count: (cap) => countMatchingUsers(core.store, filter, cap),
        rows: (limit, offset) => listUsers(core.store, filter, { order, sort, limit, offset }),
      },
      present,
    ),
  );
}

function showUser(core: Core, { caller, params, baseUrl }: ApiRequest<ParametersOf<typeof showParameters>>): unknown {
  if (caller === undefined) throw forbidden('Not authorized!', 'this endpoint requires a token');
  const user = findUser(core, params.id);
  if (user === undefined) throw notFound('User');
  return presentFor(core, caller, user, baseUrl);
}

async function addUser(
  core: Core,
  { params, caller, baseUrl }: SignedInRequest<ParametersOf<typeof newParameters>>,
): Promise<ResponseOf<typeof userPrivate>> {
  const passwordSources = [params.password, params.reset_password, params.force_random_password];
  if (passwordSources.every((source) => source === undefined || source === false)) {
    throw invalidParameters([
      'password, reset_password, force_random_password are missing, at least one parameter must be provided',
    ]);
  }
  const validationErrors = lengthErrors({ username: params.username, name: params.name, bio: params.bio });
  const badUsername = usernameProblem(params.username);
  if (badUsername !== undefined) validationErrors['username'] = [badUsername];
  if (params.name.trim() === '') validationErrors['name'] = ["can't be blank"];
  if (!isEmail(params.email)) validationErrors['email'] = ['is invalid'];
  const weak = params.password === undefined ? undefined : passwordProblem(params.password);
  if (weak !== undefined) validationErrors['password'] = [weak];
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  const user = createUser(core, {
    username: params.username,
    name: params.name,
    email: params.email,
    admin: params.admin,
    external: params.external,
    privateProfile: params.private_profile,
    bio: params.bio ?? '',
    passwordHash: params.password === undefined ? null : await hashPassword(params.password),
  });
  if (user === 'email taken') throw conflict('Email has already been taken');
  if (user === 'username taken') throw conflict('Username has already been taken');
  return presentForAdministrator(core, caller, user, baseUrl);
}

async function changeUser(
  core: Core,
  { params, caller, baseUrl, linkParameters, hasSent }: SignedInRequest<ParametersOf<typeof changedParameters>>,
): Promise<ResponseOf<typeof userPrivate>> {
  const names = Object.keys(changes(core)).filter((name) => name !== 'enterprise_group_id' || hasEnterpriseUsers(core));
  demandOneOf({ hasSent }, names);
  if (findUser(core, params.id) === undefined) throw notFound('User');
  if (params.admin === false && params.id === caller.user.id) {
    throw forbidden(undefined, 'administrators cannot revoke their own administrator rights');
  }
  const validationErrors = lengthErrors({ username: params.username, name: params.name, bio: params.bio });
  const badUsername = params.username === undefined ? undefined : usernameProblem(params.username);
  if (badUsername !== undefined) validationErrors['username'] = [badUsername];
  if (params.name?.trim() === '') validationErrors['name'] = ["can't be blank"];
  if (params.email !== undefined && !isEmail(params.email)) validationErrors['email'] = ['is invalid'];
  const weak = params.password === undefined ? undefined : passwordProblem(params.password);
  if (weak !== undefined) validationErrors['password'] = [weak];
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  const passwordHash = params.password === undefined ? undefined : await hashPassword(params.password);
  const changed = core.store.transaction(() => {
    // The user can be changed or deleted while the hash is computed.
    const user = findUser(core, params.id);
    if (user === undefined) throw notFound('User');
    const moved = inEnterpriseGroup(
      core,
      user,
      isSentEmpty(linkParameters(), 'enterprise_group_id') ? null : params.enterprise_group_id,
    );
    const updated = updateUser(core, moved, {
      username: params.username ?? user.username,
      name: params.name ?? user.name,
      email: params.email ?? user.email,
      bio: params.bio ?? user.bio,
      admin: flag(params.admin, user.admin),
      external: flag(params.external, user.external),
      private_profile: flag(params.private_profile, user.private_profile),
    });
    if (updated === 'email taken') throw conflict('Email has already been taken');
    if (updated === 'username taken') throw conflict('Username has already been taken');
    if (passwordHash === undefined) return updated;
    storePassword(core, updated, passwordHash);
    // Sessions were started with the old password and must not outlive it.
    endSessionsOf(core, user.id);
    return updated;
  });
  return presentForAdministrator(core, caller, changed, baseUrl);
}

function presentOwn(core: Core, user: User, baseUrl: string): ResponseOf<typeof userPrivate> {
  return presentUserPrivate(core, user, baseUrl, {
    namespaceId: personalNamespaceId(core, user),
    withAdmin: user.admin === 1,
    viewer: user.id,
  });
}

function presentForAdministrator(
  core: Core,
  caller: Caller,
  user: User,
  baseUrl: string,
  isLocked = accountLocks(core),
): ResponseOf<typeof userPrivate> {
  const options = { namespaceId: personalNamespaceId(core, user), withAdmin: true, viewer: caller.user.id };
  return presentUserPrivate(core, user, baseUrl, options, isLocked);
}

function presentFor(
  core: Core,
  caller: Caller | undefined,
  user: User,
  baseUrl: string,
): ResponseOf<typeof userPrivate | typeof userBasic | typeof userProfile> {
  if (caller !== undefined && isAdministrator(caller)) {
    return presentForAdministrator(core, caller, user, baseUrl);
  }
  return user.private_profile === 1 && caller?.user.id !== user.id
    ? presentUserBasic(core, user, baseUrl)
    : presentUserProfile(core, user, baseUrl, caller?.user.id ?? 0);
}

/** Sets the enterprise group, which GitLab derives from the domain of the email address. */
function inEnterpriseGroup(core: Core, user: User, groupId: number | null | undefined): User {
  if (groupId === undefined || !hasEnterpriseUsers(core)) return user;
  const changed = setEnterpriseGroup(core, user, groupId);
  if (changed === 'no group') throw notFound('Group');
  if (changed === 'not top-level') throw invalidRecord({ enterprise_group_id: ['must be a top-level group'] });
  return changed;
}

function version(core: Core): ResponseOf<typeof versionResponse> {
  return {
    version: `${core.profile.release}.0-ee`,
    revision: 'signalbox',
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  };
}

/** Converts a boolean parameter to its stored form; keeps the previous value if it was not sent. */
function flag(sent: boolean | undefined, before: 0 | 1): 0 | 1 {
  return sent === undefined ? before : sent ? 1 : 0;
}

function isText(order: UserOrder): boolean {
  return order === 'name' || order === 'username';
}

/** Returns the filter of a users list. Flags count only if true; `admins` and `two_factor` count for administrators only. */
function userFilter(params: UserListParams, seesAll: boolean): UserFilter {
  return {
    ...(params.username === undefined ? {} : { username: params.username }),
    ...(params.search === undefined || params.search === '' ? {} : { search: params.search }),
    active: params.active,
    blocked: params.blocked,
    external: params.external,
    excludeActive: params.exclude_active,
    excludeExternal: params.exclude_external,
    // All users but the ghost user are humans. Nobody is a bot or belongs to an external provider.
    ...(params.humans || params.exclude_internal ? { humans: true } : params.exclude_humans ? { humans: false } : {}),
    nobody: (params.exclude_humans && (params.humans || params.exclude_internal)) || (seesAll && params.extern_uid !== undefined),
    withoutProjects: params.without_projects && seesAll,
    admins: params.admins && seesAll,
    ...(seesAll ? twoFactorFilter(params.two_factor) : {}),
    ...(params.created_after === undefined ? {} : { createdAfter: params.created_after }),
    ...(params.created_before === undefined ? {} : { createdBefore: params.created_before }),
  };
}

/**
 * Returns true if a users list uses keyset pagination. From release 16.5 on that is the default unless the request has `page`
 * (docs/interface.md#pagination); the observed dialect uses offset pagination by default.
 */
function usesKeyset(core: Core, request: ApiRequest<UserListParams>): boolean {
  if (compareReleases(core.profile.release, '16.5') < 0) {
    if (request.params.pagination === 'keyset')
      throw keysetUnavailable('keyset pagination of users requires release 16.5 or later');
    return false;
  }
  if (request.params.pagination !== undefined) return request.params.pagination === 'keyset';
  if (request.hasSent('page')) return false;
  return request.linkParameters()['cursor'] !== undefined || core.dialect.usersKeysetByDefault;
}
