import { type DeprecationId, deprecationIds, deprecationOf, stateIn } from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { isoTime } from '../../clock.ts';
import { forbidden, invalidParameters } from '../../http/failures.ts';
import { boolean, fallback, string } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { openRoute, type Route, userRoute } from '../../http/route.ts';
import { isAdministrator } from '../../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { releases } from '../../profile.ts';
import { deprecationPath } from './headers.ts';
import { deprecatedCall, deprecation } from './responses.ts';
import { listCalls, type StoredCall } from './store.ts';

const metadata = { specRef: 'Deprecations', status: 'local' } as const;

/** Returns the routes of the registry of deprecations and of the calls of deprecated elements. */
export function deprecationRoutes(platform: Platform): Route[] {
  return [
    openRoute(
      platform,
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/deprecations',
        body: listOf(deprecation),
        params: () => ({ release: string() }),
      },
      ({ params, baseUrl }) => {
        const release = releaseOf(platform, params.release);
        return deprecationIds.map((id) => presentDeprecation(id, release, baseUrl));
      },
    ),
    userRoute(
      platform,
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/deprecated_calls',
        body: listOf(deprecatedCall),
        params: () => ({ release: string(), all: fallback(false, boolean) }),
      },
      ({ params, caller, baseUrl }) => {
        if (params.all && !isAdministrator(caller)) {
          throw forbidden(undefined, 'only administrators may list the calls of all users', 'role.administrator');
        }
        const release = releaseOf(platform, params.release);
        platform.deprecatedCalls.flush();
        return listCalls(platform.store, params.all ? undefined : caller.user.id).map((call) =>
          presentCall(call, release, baseUrl),
        );
      },
    ),
  ];
}

/** @throws {WireFailure} 400 for a release that the server cannot emulate. */
function releaseOf({ profile }: Platform, sent: string | undefined): Release {
  if (sent === undefined) return profile.release;
  const release = releases.find((known) => known === sent);
  if (release === undefined) throw invalidParameters(['release does not have a valid value']);
  return release;
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
