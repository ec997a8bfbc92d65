import { notFound, refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, type ParametersOf, required, string, time } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import {
  administratorRoute,
  type ApiRequest,
  openRoute,
  RawResponse,
  type RequestOf,
  type Route,
  type SignedInRequest,
  userRoute,
} from '../../http/route.ts';
import { findUser, findUserByIdOrName } from '../users/users.ts';
import { addSshKey, mustFindSshKey, removeSshKey } from './manageSshKeys.ts';
import { presentKeyWithUser, presentSshKey } from './present.ts';
import { readFingerprint } from './publicKey.ts';
import { sshKey, sshKeyWithUser } from './responses.ts';
import { countKeys, keyByFingerprint, keyById, listKeys, type SshKeyRow, type UsageType, usageTypes } from './store.ts';

const metadata = { specRef: 'SSH keys', status: 'inferred', key: 'id' } as const;
const reading = { ...metadata, method: 'GET', alsoScopes: ['read_user'] } as const;
const OWN = '/api/v4/user/keys';
const OF_USER = '/api/v4/users/:id/keys';

const newKeyParameters = () => ({
  key: required(string),
  title: required(string),
  expires_at: time(),
  usage_type: fallback<UsageType>('auth_and_signing', oneOf(usageTypes)),
});
const oneParameters = () => ({ key_id: required(integer) });
const findParameters = () => ({ fingerprint: required(string) });
const oneOfUser = () => ({ id: required(integer), ...oneParameters() });

/** Returns the routes of the SSH keys of users. */
export function sshKeyRoutes(core: Core): Route[] {
  return [...ownKeyRoutes(core), ...userKeyRoutes(core), ...instanceKeyRoutes(core)];
}

function ownKeyRoutes(core: Core): Route[] {
  const one = `${OWN}/:key_id`;
  return [
    userRoute({ ...reading, path: OWN, body: listOf(sshKey), params: pageParameters }, (request) =>
      list(core, request, request.caller.user),
    ),
    userRoute({ ...metadata, method: 'POST', path: OWN, body: sshKey, params: newKeyParameters }, (request) =>
      add(core, request, request.caller.user),
    ),
    userRoute({ ...reading, path: one, body: sshKey, params: oneParameters }, (request) =>
      show(core, request, request.caller.user),
    ),
    userRoute({ ...metadata, method: 'DELETE', path: one, params: oneParameters }, ({ params, caller: { user } }) =>
      removeSshKey(core, mustFindSshKey(core, user, params.key_id)),
    ),
  ];
}

function userKeyRoutes(core: Core): Route[] {
  const one = `${OF_USER}/:key_id`;
  return [
    openRoute(
      { ...reading, path: OF_USER, body: listOf(sshKey), params: () => ({ id: required(string), ...pageParameters() }) },
      (request) => list(core, request, demandUser(findUserByIdOrName(core, request.params.id))),
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'POST',
        path: OF_USER,
        body: sshKey,
        params: () => ({ id: required(integer), ...newKeyParameters() }),
      },
      (request) => add(core, request, demandUser(findUser(core, request.params.id))),
    ),
    openRoute({ ...reading, path: one, body: sshKey, params: oneOfUser }, (request) =>
      show(core, request, demandUser(findUser(core, request.params.id))),
    ),
    administratorRoute({ ...metadata, method: 'DELETE', path: one, params: oneOfUser }, ({ params }) =>
      removeSshKey(core, mustFindSshKey(core, demandUser(findUser(core, params.id)), params.key_id)),
    ),
  ];
}

function instanceKeyRoutes(core: Core): Route[] {
  return [
    administratorRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/keys/:id',
        body: sshKeyWithUser,
        params: () => ({ id: required(integer) }),
      },
      (request) => showWithUser(core, request, keyById(core.store, request.params.id)),
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/keys',
        body: sshKeyWithUser,
        params: findParameters,
      },
      (request) => find(core, request),
    ),
  ];
}

function demandUser(user: User | undefined): User {
  if (user === undefined) throw notFound('User');
  return user;
}

function list(core: Core, request: ApiRequest<ParametersOf<typeof pageParameters>>, user: User): RawResponse {
  const pages = {
    count: (cap: number) => countKeys(core.store, user.id, cap),
    rows: (limit: number, offset: number) => listKeys(core.store, user.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, (row) => presentSshKey(row, user, request.baseUrl)));
}

function add(
  core: Core,
  { params, baseUrl }: ApiRequest<ParametersOf<typeof newKeyParameters>>,
  user: User,
): ResponseOf<typeof sshKey> {
  const { title, key, usage_type: usageType, expires_at: expiresAt } = params;
  return presentSshKey(addSshKey(core, user, { title, key, usageType, expiresAt }), user, baseUrl);
}

function show(
  core: Core,
  { params, baseUrl }: ApiRequest<ParametersOf<typeof oneParameters>>,
  user: User,
): ResponseOf<typeof sshKey> {
  return presentSshKey(mustFindSshKey(core, user, params.key_id), user, baseUrl);
}

function find(core: Core, request: RequestOf<typeof findParameters>): ResponseOf<typeof sshKeyWithUser> {
  const fingerprint = readFingerprint(request.params.fingerprint);
  if (fingerprint === undefined) throw refusedChange('Failed to return the key', 'not a fingerprint');
  return showWithUser(core, request, keyByFingerprint(core.store, fingerprint));
}

function showWithUser(
  core: Core,
  { baseUrl, caller }: SignedInRequest<unknown>,
  key: SshKeyRow | undefined,
): ResponseOf<typeof sshKeyWithUser> {
  const user = key === undefined ? undefined : findUser(core, key.user_id);
  if (key === undefined || user === undefined) throw notFound('Key');
  return presentKeyWithUser(core, key, user, { baseUrl, viewer: caller.user.id });
}
