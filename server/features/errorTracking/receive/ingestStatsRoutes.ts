import type { TrackingCore } from '../trackingCore.ts';
import * as z from 'zod';
import { isoTime } from '../../../core/clock.ts';
import { count, moment, named, type ResponseOf } from '../../../http/responses.ts';
import { notFound } from '../../../core/errors.ts';
import { type ParametersOf, required, string } from '../../../http/params.ts';
import type { Route } from '../../../http/route.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import { ingestReport } from './ingestReport.ts';
import type { IngestStatsRow } from './ingestStatsStore.ts';
import { tracksErrors } from '../settings/errorTrackingSettings.ts';

const times = () => ({ count: count(), last_at: moment() });
const byType = () => z.array(z.strictObject({ type: z.string(), ...times() }));
const byReason = () => z.array(z.strictObject({ reason: z.string(), ...times() }));

export const ingestStatsResponse = named('ErrorTrackingArrivals', () =>
  z.strictObject({
    /** Start of the statistics. */
    since: moment(),
    /** Stored items by type, duplicates, and items of ignored types. */
    accepted: byType(),
    repeated: byType(),
    ignored: byType(),
    /** Items that were read but not stored, by reason. */
    dropped: byReason(),
    /** Items that SDKs report as discarded. */
    discarded_by_sdks: z.array(z.strictObject({ reason: z.string(), category: z.string(), ...times() })),
    /** Requests by refusal code. */
    refused: byReason(),
    last_refused: z
      .strictObject({
        at: moment(),
        status: count(),
        reason: z.string(),
        words: z.string(),
        /** Advice on sending an accepted request. */
        passes: z.string(),
        endpoint: z.enum(['envelope', 'store', 'stream']),
        /** First characters of the client key. */
        key_start: z.string().nullable(),
        /** Name and version of the SDK. */
        client: z.string().nullable(),
      })
      .nullable(),
  }),
);

const projectParameters = () => ({ id: required(string) });

/** Routes of the ingest statistics of a project, a resource of this server only. For reporters, like errors. */
export function ingestStatsRoutes(core: TrackingCore): Route[] {
  return [
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/error_tracking/arrivals',
        specRef: 'Tracked errors',
        status: 'local',
        key: 'id',
        body: ingestStatsResponse,
        params: projectParameters,
      },
      'reporter',
      (request) => showIngestStats(core, request),
    ),
  ];
}

function showIngestStats(
  core: TrackingCore,
  { project }: ProjectRequest<ParametersOf<typeof projectParameters>>,
): ResponseOf<typeof ingestStatsResponse> {
  if (!tracksErrors(core, project.id)) {
    throw notFound('Error Tracking Setting', 'error tracking of the project is off');
  }
  const { since, counts, lastRefused } = ingestReport(core, project.id);
  return {
    since: isoTime(since),
    accepted: counts.accepted.map(typed),
    repeated: counts.repeated.map(typed),
    ignored: counts.ignored.map(typed),
    dropped: counts.dropped.map(reasoned),
    discarded_by_sdks: counts.discarded.map((row) => ({ reason: row.name, category: row.category, ...timesOf(row) })),
    refused: counts.refused.map(reasoned),
    last_refused:
      lastRefused === undefined
        ? null
        : {
            at: isoTime(lastRefused.at),
            status: lastRefused.status,
            reason: lastRefused.code,
            words: lastRefused.reason,
            passes: lastRefused.passes,
            endpoint: lastRefused.endpoint,
            key_start: lastRefused.key_start,
            client: lastRefused.client,
          },
  };
}

function timesOf({ quantity, last_at }: IngestStatsRow) {
  return { count: quantity, last_at: isoTime(last_at) };
}

function typed(row: IngestStatsRow) {
  return { type: row.name, ...timesOf(row) };
}

function reasoned(row: IngestStatsRow) {
  return { reason: row.name, ...timesOf(row) };
}
