import { retentionWork } from '../../core/retention.ts';
import type { Feature } from '../../feature.ts';
import { deprecationPages } from './pages.ts';
import type { ServePlatform } from './replica.ts';
import { deprecationRoutes } from './routes.ts';
import { deleteCallsUntil, oldestCall } from './store.ts';

/** Number of rows that are deleted per turn of the event loop. */
const SLICE = 500;

/** Announced deprecations, and the calls of deprecated elements. `serve` creates the server of a copy, to which reads are sent again. */
export function deprecationFeature(serve: ServePlatform): Feature {
  return {
    routes: (platform) => [...deprecationRoutes(platform, serve), ...deprecationPages(platform, serve)],
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
