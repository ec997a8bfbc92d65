import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import {
  badRequest,
  invalidRecord,
  notFound,
  nothingFound,
  recordNotFound,
  unauthorized,
  wrongState,
} from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, date, integer, oneOf, required, someOf, string, strings, time, type ParametersOf } from '../../http/params.ts';
import { administratorRoute, RawResponse, type Route, userRoute, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { newPersonalToken, personalToken } from './responses.ts';
import { type Caller, isAdministrator, type User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { presentPersonalToken } from './present.ts';
import {
  countPersonalTokens,
  listPersonalTokens,
  personalTokenById,
  type PersonalTokenFilter,
  type PersonalTokenOrder,
  type PersonalTokenRow,
} from './store.ts';
import {
  endPersonalToken,
  expiryAfterRotation,
  expiryProblem,
  issuePersonalToken,
  latestExpiry,
  rotatePersonalToken,
  tokenErrors,
} from './tokens.ts';

const metadata = { specRef: 'Personal access tokens', status: 'inferred' } as const;
/** Scopes that users can give to the tokens they create through the API. */
const ownScopes = ['k8s_proxy', 'self_rotate'] as const;

const sortings = {
  created_asc: ['created', 'asc'],
  created_desc: ['created', 'desc'],
  expires_asc: ['expires', 'asc'],
  expires_desc: ['expires', 'desc'],
  last_used_asc: ['last_used', 'asc'],
  last_used_desc: ['last_used', 'desc'],
  name_asc: ['name', 'asc'],
  name_desc: ['name', 'desc'],
} as const satisfies Record<string, readonly [PersonalTokenOrder, 'asc' | 'desc']>;

const listParameters = () => ({
  user_id: integer(),
  search: string(),
  revoked: boolean(),
  state: oneOf(['active', 'inactive'])(),
  created_after: time(),
  created_before: time(),
  expires_after: date(),
  expires_before: date(),
  last_used_after: time(),
  last_used_before: time(),
  sort: string(),
  ...pageParameters(),
});
const rotateParameters = () => ({ expires_at: date() });
const revokeParameters = () => ({ id: required(integer) });
const rotateTokenParameters = () => ({ id: required(integer), expires_at: date() });
const newParameters = () => ({
  id: required(integer),
  name: required(string),
  description: string(),
  scopes: required(strings),
  expires_at: date(),
});

/** Returns the routes that list, show, create, rotate and revoke personal access tokens (docs/interface.md#personal-access-tokens). */
export function tokenRoutes(core: Core): Route[] {
  return [
    userRoute(
      { method: 'GET', path: '/api/v4/personal_access_tokens', body: listOf(personalToken), ...metadata, params: listParameters },
      (request) => listTokens(core, request),
    ),
    userRoute(
      { method: 'GET', path: '/api/v4/personal_access_tokens/self', body: personalToken, ...metadata, alsoScopes: ALL_SCOPES },
      ({ caller, now }) => presentPersonalToken(ownToken(core, caller), now),
    ),
    userRoute({ method: 'DELETE', path: '/api/v4/personal_access_tokens/self', ...metadata, alsoScopes: ALL_SCOPES }, (request) =>
      revokeOwnToken(core, request),
    ),
    userRoute(
      {
        method: 'POST',
        path: '/api/v4/personal_access_tokens/self/rotate',
        body: newPersonalToken,
        ...metadata,
        addedIn: '16.10',
        successStatus: 200,
        alsoScopes: ['self_rotate'],
        rotates: true,
        params: rotateParameters,
      },
      (request) => rotateOwnToken(core, request),
    ),
    userRoute(
      {
        method: 'GET',
        path: '/api/v4/personal_access_tokens/:id',
        body: personalToken,
        ...metadata,
        key: 'id',
        params: () => ({ id: required(integer) }),
      },
      ({ caller, params, now }) => presentPersonalToken(tokenFor(core, caller, params.id), now),
    ),
    userRoute(
      { method: 'DELETE', path: '/api/v4/personal_access_tokens/:id', ...metadata, key: 'id', params: revokeParameters },
      (request) => revokeToken(core, request),
    ),
    userRoute(
      {
        method: 'POST',
        path: '/api/v4/personal_access_tokens/:id/rotate',
        body: newPersonalToken,
        ...metadata,
        addedIn: '16.0',
        key: 'id',
        successStatus: 200,
        rotates: true,
        params: rotateTokenParameters,
      },
      (request) => rotateToken(core, request),
    ),
    userRoute(
      {
        method: 'POST',
        path: '/api/v4/user/personal_access_tokens',
        body: newPersonalToken,
        ...metadata,
        addedIn: '16.5',
        params: () => ({
          name: required(string),
          description: string(),
          scopes: required(someOf(ownScopes)),
          expires_at: date(),
        }),
      },
      ({ caller, params, now }) => created(core, caller.user, params, now),
    ),
    administratorRoute(
      {
        method: 'POST',
        path: '/api/v4/users/:id/personal_access_tokens',
        body: newPersonalToken,
        ...metadata,
        key: 'id',
        params: newParameters,
      },
      (request) => createTokenFor(core, request),
    ),
  ];
}

function listTokens(core: Core, request: SignedInRequest<ParametersOf<typeof listParameters>>): RawResponse {
  const { caller, params, now } = request;
  const seesAll = isAdministrator(caller);
  if (!seesAll && params.user_id !== undefined && params.user_id !== caller.user.id) {
    throw unauthorized('only administrators can list the tokens of other users', 'token.owner');
  }
  const filter: PersonalTokenFilter = {
    userId: seesAll ? params.user_id : caller.user.id,
    search: params.search === '' ? undefined : params.search,
    revoked: params.revoked,
    active: params.state === undefined ? undefined : params.state === 'active',
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    expiresAfter: params.expires_after,
    expiresBefore: params.expires_before,
    lastUsedAfter: params.last_used_after,
    lastUsedBefore: params.last_used_before,
    now,
  };
  const [order, sort] = isSorting(params.sort) ? sortings[params.sort] : (['id', 'asc'] as const);
  return new RawResponse(
    offsetResponse(
      request,
      params,
      {
        count: (cap) => countPersonalTokens(core.store, filter, cap),
        rows: (limit, offset) => listPersonalTokens(core.store, filter, { order, sort, limit, offset }),
      },
      (row) => presentPersonalToken(row, now),
    ),
  );
}

function revokeOwnToken(core: Core, { caller, now }: SignedInRequest<unknown>): void {
  endPersonalToken(core, ownToken(core, caller), now);
}

function rotateOwnToken(
  core: Core,
  { caller, params, now }: SignedInRequest<ParametersOf<typeof rotateParameters>>,
): ResponseOf<typeof newPersonalToken> {
  if (caller.credential.kind !== 'personal') {
    throw wrongState('405 Method Not Allowed', 'only personal access tokens can be rotated');
  }
  return rotated(core, ownToken(core, caller), params.expires_at, now);
}

function revokeToken(core: Core, { caller, params, now }: SignedInRequest<ParametersOf<typeof revokeParameters>>): void {
  endPersonalToken(core, tokenFor(core, caller, params.id), now);
}

function rotateToken(
  core: Core,
  { caller, params, now }: SignedInRequest<ParametersOf<typeof rotateTokenParameters>>,
): ResponseOf<typeof newPersonalToken> {
  return rotated(core, tokenFor(core, caller, params.id), params.expires_at, now);
}

function createTokenFor(
  core: Core,
  { params, now }: SignedInRequest<ParametersOf<typeof newParameters>>,
): ResponseOf<typeof newPersonalToken> {
  const user = findUser(core, params.id);
  if (user === undefined) throw notFound('User');
  return created(core, user, params, now);
}

function ownToken(core: Core, caller: Caller): PersonalTokenRow {
  if (caller.credential.kind !== 'personal') {
    throw badRequest('This endpoint requires token type to be a personal access token');
  }
  const token = personalTokenById(core.store, caller.credential.tokenId);
  if (token === undefined) throw recordNotFound('the token no longer exists');
  return token;
}

/** Returns a token by its ID. Only administrators learn whether it exists (docs/interface.md#personal-access-tokens). */
function tokenFor(core: Core, caller: Caller, id: number): PersonalTokenRow {
  const token = personalTokenById(core.store, id);
  if (isAdministrator(caller)) {
    if (token === undefined) throw nothingFound('no token has this ID');
    return token;
  }
  if (token?.user_id !== caller.user.id) throw unauthorized('the caller has no token with this ID', 'token.owner');
  return token;
}

/** Rotates a token. The new token belongs to the owner of the old one, whoever the caller is. */
function rotated(
  core: Core,
  token: PersonalTokenRow,
  input: number | undefined,
  now: number,
): ResponseOf<typeof newPersonalToken> {
  const owner = findUser(core, token.user_id);
  if (owner === undefined) throw nothingFound('the owner of the token no longer exists');
  const problem = expiryProblem(input ?? null, now);
  if (Object.keys(problem).length > 0) throw invalidRecord(problem);
  const issued = rotatePersonalToken(core, owner, token, input ?? expiryAfterRotation(now));
  if (issued === undefined) throw unauthorized('the token is revoked or expired and cannot be rotated', 'token.alive');
  return { ...presentPersonalToken(issued.row, now), token: issued.token };
}

function created(
  core: Core,
  user: User,
  params: {
    readonly name: string;
    readonly description: string | undefined;
    readonly scopes: readonly string[];
    readonly expires_at: number | undefined;
  },
  now: number,
): ResponseOf<typeof newPersonalToken> {
  const { name, description, scopes, expires_at } = params;
  const input = { name, description, scopes: [...new Set(scopes)], expiresAt: expires_at ?? latestExpiry(now) };
  const validationErrors = tokenErrors(core, input, now);
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  const issued = issuePersonalToken(core, user, input);
  return { ...presentPersonalToken(issued.row, now), token: issued.token };
}

/** Returns true for a known sort order; GitLab ignores unknown ones. */
function isSorting(text: string | undefined): text is keyof typeof sortings {
  return text !== undefined && Object.hasOwn(sortings, text);
}
