import type { GitCore } from '../../../repositories/repositories.ts';
import type { TrackingCore } from '../trackingCore.ts';
import { isoTime } from '../../../core/clock.ts';
import { type ResponseOf, listOf } from '../../../http/responses.ts';
import { keysetResponse, keysetSize, pageParameters, readCursor } from '../../../http/pagination.ts';
import { opaque, type ParametersOf, required, string, time } from '../../../http/params.ts';
import { RawResponse, type Route } from '../../../http/route.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import { appRelease } from './releaseResponses.ts';
import { commitsOfReleases } from './releaseCommits.ts';
import type { ReleaseHealth } from './sessionRules.ts';
import { healthOf } from './sessions.ts';
import { type AppReleaseRow, type ErrorSums, errorSums, listAppReleases } from './sessionStore.ts';

const listParameters = () => ({
  id: required(string),
  environment: string(),
  // Period of events, and of starts of sessions.
  after: time(),
  before: time(),
  cursor: opaque(),
  per_page: pageParameters().per_page,
});

/** Routes of the releases of a project and their health (docs/interface.md#release-health). */
export function appReleaseRoutes(core: GitCore & TrackingCore): Route[] {
  return [
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/error_tracking/releases',
        specRef: 'Release health',
        status: 'local',
        key: 'id',
        body: listOf(appRelease),
        pages: { by: 'keyset', because: 'releases appear while others are read' },
        params: listParameters,
      },
      'reporter',
      (request) => listReleases(core, request),
    ),
  ];
}

async function listReleases(
  core: GitCore & TrackingCore,
  request: ProjectRequest<ParametersOf<typeof listParameters>>,
): Promise<RawResponse> {
  const { store, clock } = core;
  const { params, project } = request;
  const below = params.cursor === undefined ? undefined : readCursor(params.cursor, 'id', 'string').id;
  const rows = listAppReleases(store, project.id, { below, limit: keysetSize(params.per_page) });
  const ids = rows.map(({ id }) => id);
  core.inbox.flush();
  const window = { environment: params.environment, from: params.after, to: params.before };
  const [health, sums, commits] = await Promise.all([
    healthOf(store, project.id, ids, window, clock.now()),
    errorSums(store, ids, window),
    commitsOfReleases(
      core,
      project,
      rows.map(({ version }) => version),
    ),
  ]);
  const sumOf = new Map(sums.map((sum) => [sum.release_id, sum]));
  return new RawResponse(
    keysetResponse(
      request,
      'id',
      rows,
      ({ id }) => ({ value: id, id }),
      (row) => present(row, health.get(row.id), sumOf.get(row.id), commits.get(row.version)),
    ),
  );
}

function present(
  row: AppReleaseRow,
  health: ReleaseHealth | undefined,
  sums: ErrorSums | undefined,
  commit: string | undefined,
): ResponseOf<typeof appRelease> {
  return {
    id: row.id,
    version: row.version,
    first_seen: isoTime(row.first_seen_at),
    commit: commit ?? null,
    events: sums?.events ?? 0,
    new_errors: sums?.new_errors ?? 0,
    sessions: {
      total: health?.total ?? 0,
      healthy: health?.healthy ?? 0,
      errored: health?.errored ?? 0,
      crashed: health?.crashed ?? 0,
      abnormal: health?.abnormal ?? 0,
      crash_free_rate: health?.crashFreeSessions ?? null,
      duration_p50: health?.medianDuration ?? null,
    },
    users: { total: health?.users ?? 0, crashed: health?.crashedUsers ?? 0, crash_free_rate: health?.crashFreeUsers ?? null },
    adoption: health?.adoption ?? null,
  };
}
