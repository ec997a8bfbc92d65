import type { TrackingCore } from './trackingCore.ts';
import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { trackedErrorRoutes } from './api/errorRoutes.ts';
import { errorTrackingPages } from './pages/errorPages.ts';
import { errorTrackingWebRoutes } from './pages/pageJson.ts';
import { ingestRoutes } from './receive/ingestRoutes.ts';
import { ingestStatsRoutes } from './receive/ingestStatsRoutes.ts';
import { keyUseRoutes } from './receive/keyUseRoutes.ts';
import { appReleaseRoutes } from './releases/releaseRoutes.ts';
import { scheduleRetention } from './retention/retention.ts';
import { errorTrackingSettingRoutes } from './settings/settingsRoutes.ts';
import { sourceMapRoutes } from './sourceMaps/sourceMapRoutes.ts';
import { startReleaseChecks } from './status/releaseChecks.ts';

export { trackedErrorRoutes } from './api/errorRoutes.ts';
export { errorTrackingGraphql, sentryErrorsOf } from './api/sentryErrors.ts';
export { countErrors, rehashTrackedUsers } from './demoStore.ts';
export { type ErrorHistory, openHistory, type PastEvent, type RepeatedEvent } from './errorHistory.ts';
export { userHasher } from './event/userHashes.ts';
export { findError } from './read/readErrors.ts';
export { ingestRefusal } from './receive/ingestRoutes.ts';
export { createIngestStats, type IngestStats } from './receive/ingestStats.ts';
export { keyUseRoutes } from './receive/keyUseRoutes.ts';
export { streamProject } from './receive/localStream.ts';
export { setErrorTracking, tracksErrors } from './settings/errorTrackingSettings.ts';
export type { TrackingCore } from './trackingCore.ts';
export { createInbox, type Inbox } from './write/inbox.ts';

/** Reception of events from SDKs. Separate from the other routes, so that the first event does not wait for their creation. */
export const errorIngestion: Feature<TrackingCore> = { routes: ingestRoutes };

/** Tracked errors, releases with their health, source maps and settings of error tracking. */
export const errorTracking: Feature<GitCore & LiveCore & TrackingCore> = {
  routes: (core) => [
    ...errorTrackingSettingRoutes(core),
    ...appReleaseRoutes(core),
    ...ingestStatsRoutes(core),
    ...keyUseRoutes(core),
    ...trackedErrorRoutes(core),
    ...sourceMapRoutes(core),
  ],
  pages: (core) => [...errorTrackingWebRoutes(core), ...errorTrackingPages(core)],
  start: (core) => {
    scheduleRetention(core);
    startReleaseChecks(core);
  },
};
