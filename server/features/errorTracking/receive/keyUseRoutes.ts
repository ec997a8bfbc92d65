import * as z from 'zod';
import { DAY, isoTime } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/errors.ts';
import { RETENTION_DAYS } from '../../../core/retention.ts';
import { integer, type ParametersOf, required, string } from '../../../http/params.ts';
import { count, day, moment, named, type ResponseOf } from '../../../http/responses.ts';
import type { Route } from '../../../http/route.ts';
import { clientKeyMembers, clientKeyOf, presentClientKey } from '../../clientKeys/clientKeys.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import type { TrackingCore } from '../trackingCore.ts';
import { keyDays, keyPrograms, keyState, type KeyStateRow, MAX_NAMED_PROGRAMS, type ProgramRow } from './keyUseStore.ts';

const useMembers = () => ({
  created_at: moment(),
  /** When a request with the key was last accepted. */
  last_used_at: moment().nullable(),
  last_refused: z.strictObject({ at: moment(), status: count(), reason: z.string(), words: z.string() }).nullable(),
  /** Days with events within the retention, the newest first, in UTC. */
  events_by_day: z.array(z.strictObject({ day: day(), count: count() })),
  /** Programs that sent something within the retention, the one that sent last first, at most 1,000. `count` is the number of events. */
  programs: z.array(
    z.strictObject({
      release: z.string().nullable(),
      server_name: z.string().nullable(),
      sdk: z.string().nullable(),
      count: count(),
      first_at: moment(),
      last_at: moment(),
    }),
  ),
  /** Number of further programs. */
  more_programs: count(),
});

export const usedClientKey = named('ErrorTrackingClientKeyWithUse', () => {
  const [documented, observed] = clientKeyMembers();
  return z.union([z.strictObject({ ...documented, ...useMembers() }), z.strictObject({ ...observed, ...useMembers() })]);
});

const keyParameters = () => ({ id: required(string), key_id: required(integer) });

/** Route of one client key with its use, a resource of this server only. */
export function keyUseRoutes(core: TrackingCore): Route[] {
  return [
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/error_tracking/client_keys/:key_id',
        specRef: 'Client keys',
        status: 'local',
        key: 'id',
        body: usedClientKey,
        params: keyParameters,
      },
      'maintainer',
      (request) => showKey(core, request),
    ),
  ];
}

function showKey(
  core: TrackingCore,
  { project, params, baseUrl }: ProjectRequest<ParametersOf<typeof keyParameters>>,
): ResponseOf<typeof usedClientKey> {
  const key = clientKeyOf(core, project.id, params.key_id);
  if (key === undefined) throw recordNotFound('the project has no such client key');
  return { ...presentClientKey(core, key, baseUrl), ...useOf(core, key) };
}

/** Use of a client key up to now. */
export interface KeyUsage {
  readonly state: KeyStateRow | undefined;
  readonly days: readonly { readonly day: number; readonly events: number }[];
  readonly programs: readonly ProgramRow[];
}

/** Returns the use of a client key within the retention. The caller checks access. */
export function keyUsage({ store, clock, ingestStats }: TrackingCore, keyId: number): KeyUsage {
  ingestStats.flush();
  const sinceDay = Math.floor(clock.now() / DAY) - RETENTION_DAYS;
  return {
    state: keyState(store, keyId),
    days: keyDays(store, keyId, sinceDay),
    programs: keyPrograms(store, keyId, sinceDay * DAY),
  };
}

function useOf(core: TrackingCore, key: { readonly id: number; readonly created_at: number }) {
  const { state, days, programs } = keyUsage(core, key.id);
  return {
    created_at: isoTime(key.created_at),
    last_used_at: isoTimeOrNull(state?.used_at),
    last_refused: refusalOf(state),
    events_by_day: days.map((one) => ({ day: isoTime(one.day * DAY).slice(0, 10), count: one.events })),
    programs: programs.slice(0, MAX_NAMED_PROGRAMS).map((program) => ({
      release: program.release_version || null,
      server_name: program.server_name || null,
      sdk: program.sdk || null,
      count: program.events,
      first_at: isoTime(program.first_at),
      last_at: isoTime(program.last_at),
    })),
    more_programs: Math.max(0, programs.length - MAX_NAMED_PROGRAMS),
  };
}

function refusalOf(state: KeyStateRow | undefined) {
  if (state === undefined) return null;
  const { refused_at: at, refused_code: code, refused_status: status, refused_reason: reason } = state;
  if (at === null || code === null || status === null || reason === null) return null;
  return { at: isoTime(at), status, reason: code, words: reason };
}

function isoTimeOrNull(time: number | null | undefined): string | null {
  return time === null || time === undefined ? null : isoTime(time);
}
