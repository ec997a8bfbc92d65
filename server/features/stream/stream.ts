import type { Feature } from '../../http/feature.ts';
import type { LiveCore } from '../../core/live.ts';
import type { TrackingCore } from '../errorTracking/errorTracking.ts';
import { followLive } from './occurrences.ts';
import { streamRoutes, type StreamSources } from './routes.ts';

export { followLive } from './occurrences.ts';

/** Live updates. `sourcesOf` returns the routes whose rules decide who learns about which event. */
export function stream<Needs extends LiveCore & TrackingCore>(sourcesOf: (core: Needs) => StreamSources): Feature<Needs> {
  return { routes: (core) => streamRoutes(core, sourcesOf(core)), subscribe: followLive };
}
