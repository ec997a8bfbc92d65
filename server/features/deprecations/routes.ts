import type { DeprecationsCore } from './deprecationsCore.ts';
import { type DeprecationId, deprecationIds, deprecationOf, stateIn } from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { isoTime } from '../../core/clock.ts';
import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, oneOf, required, type ParametersOf } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { openRoute, RawResponse, type Route, userRoute, type ApiRequest, type SignedInRequest } from '../../http/route.ts';
import { type Caller, isAdministrator } from '../../core/caller.ts';
import { releases } from '../../core/profile.ts';
import { deprecationPath } from '../../http/deprecationHeaders.ts';
import type { OpenReplica } from './replica.ts';
import { deprecatedCall, deprecation, whatIfResult } from './responses.ts';
import { countCalls, deleteCalls, listCalls, type StoredCall } from './store.ts';
import { whatIf } from './whatIf.ts';

const metadata = { specRef: 'Deprecations', status: 'local' } as const;

const showDeprecationsParameters = () => ({ release: oneOf(releases)(), ...pageParameters() });

const showCallsParameters = () => ({
  release: oneOf(releases)(),
  all: fallback(false, boolean),
  deprecation: oneOf(deprecationIds)(),
  breaks: boolean(),
  ...pageParameters(),
});

const removeCallsParameters = () => ({ all: fallback(false, boolean) });

/** Returns the routes of the registry of deprecations and of the calls of deprecated elements. */
export function deprecationRoutes(core: DeprecationsCore, openReplica: OpenReplica): Route[] {
  return [
    openRoute(
      { ...metadata, method: 'GET', path: '/api/v4/deprecations', body: listOf(deprecation), params: showDeprecationsParameters },
      (request) => showDeprecations(core, request),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/deprecated_calls', body: listOf(deprecatedCall), params: showCallsParameters },
      (request) => showCalls(core, request),
    ),
    userRoute({ ...metadata, method: 'DELETE', path: '/api/v4/deprecated_calls', params: removeCallsParameters }, (request) =>
      removeCalls(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/deprecations/what_if',
        successStatus: 200,
        body: whatIfResult,
        params: () => ({ release: required(oneOf(releases)) }),
      },
      ({ params: { release }, caller, baseUrl }) =>
        whatIf(core, openReplica, { release, userId: isAdministrator(caller) ? undefined : caller.user.id, baseUrl }),
    ),
  ];
}

function showDeprecations(
  core: DeprecationsCore,
  request: ApiRequest<ParametersOf<typeof showDeprecationsParameters>>,
): RawResponse {
  const { params, baseUrl } = request;
  const list = {
    count: () => deprecationIds.length,
    rows: (limit: number, offset: number) => deprecationIds.slice(offset, offset + limit),
  };
  const release = params.release ?? core.profile.release;
  return new RawResponse(offsetResponse(request, params, list, (id) => presentDeprecation(id, release, baseUrl)));
}

function showCalls(core: DeprecationsCore, request: SignedInRequest<ParametersOf<typeof showCallsParameters>>): RawResponse {
  const { params, caller, baseUrl } = request;
  const release = params.release ?? core.profile.release;
  core.deprecatedCalls.flush();
  const filter = {
    userId: usersOf(caller, params.all),
    deprecations: selectedDeprecations(release, params.deprecation, params.breaks),
  };
  const list = {
    count: () => countCalls(core.store, filter),
    rows: (limit: number, offset: number) => listCalls(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, list, (call) => presentCall(call, release, baseUrl)));
}

function removeCalls(
  core: DeprecationsCore,
  { params, caller }: SignedInRequest<ParametersOf<typeof removeCallsParameters>>,
): void {
  const userId = usersOf(caller, params.all);
  core.deprecatedCalls.flush();
  deleteCalls(core.store, userId);
}

/**
 * Returns the ID of the user whose calls are meant, or undefined for those of everyone.
 * @throws {Forbidden} If somebody else than an administrator asks for those of everyone.
 */
function usersOf(caller: Caller, all: boolean): number | undefined {
  if (!all) return caller.user.id;
  if (isAdministrator(caller)) return undefined;
  throw forbidden(undefined, 'only administrators have access to the calls of all users', 'role.administrator');
}

/** Returns the deprecations that the filters of a request select, or undefined if they select all. */
function selectedDeprecations(
  release: Release,
  id: DeprecationId | undefined,
  breaks: boolean | undefined,
): readonly DeprecationId[] | undefined {
  if (id === undefined && breaks === undefined) return undefined;
  return deprecationIds.filter(
    (known) => (id === undefined || known === id) && (breaks === undefined || (stateIn(known, release) === 'removed') === breaks),
  );
}

function presentDeprecation(id: DeprecationId, release: Release, baseUrl: string) {
  const { kind, items, announcedIn, removedIn, textNames, replacement, note } = deprecationOf(id);
  return {
    id,
    kind,
    items,
    announced_in: announcedIn,
    removed_in: removedIn ?? null,
    text_names: textNames ?? null,
    state: stateIn(id, release),
    replacement,
    note: note ?? null,
    web_url: `${baseUrl}${deprecationPath(id)}`,
  };
}

function presentCall(call: StoredCall, release: Release, baseUrl: string) {
  const { removedIn, replacement } = deprecationOf(call.deprecation);
  return {
    deprecation: call.deprecation,
    request: call.request,
    username: call.username,
    user_agent: call.user_agent,
    application: call.application_name,
    count: call.count,
    first_at: isoTime(call.first_at),
    last_at: isoTime(call.last_at),
    removed_in: removedIn ?? null,
    breaks: stateIn(call.deprecation, release) === 'removed',
    replacement,
    web_url: `${baseUrl}${deprecationPath(call.deprecation)}`,
  };
}
