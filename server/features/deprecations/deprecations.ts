import { retentionWork } from '../../core/retention.ts';
import type { Feature } from '../../http/feature.ts';
import { deprecationPages } from './pages.ts';
import type { DeprecationsCore } from './deprecationsCore.ts';
import type { Replica } from './replica.ts';
import { deprecationRoutes } from './routes.ts';
import { deleteCallsUntil, oldestCall } from './store.ts';

export { callContributions, createDeprecatedCalls, type DeprecatedCalls } from './calls.ts';
export { createRecordedReads, type RecordedReads } from './reads.ts';
export type { Replica, ReplicaRequest, ReplicaResponse } from './replica.ts';

/** Number of rows that are deleted per turn of the event loop. */
const SLICE = 500;

/** Announced deprecations, and the calls of deprecated elements. `openReplica` copies the server; reads are sent to the copy again. */
export function deprecationFeature<Needs extends DeprecationsCore>(
  openReplica: (core: Needs, baseUrl: string) => Replica,
): Feature<Needs> {
  return {
    routes: (core) => {
      const open = (baseUrl: string): Replica => openReplica(core, baseUrl);
      return [...deprecationRoutes(core, open), ...deprecationPages(core, open)];
    },
    start: ({ schedule, store }) => {
      schedule.add(
        retentionWork({
          name: 'calls of deprecated elements past their retention',
          oldest: () => oldestCall(store),
          deleteUntil: (time) => deleteCallsUntil(store, time, SLICE) === SLICE,
        }),
      );
    },
  };
}
