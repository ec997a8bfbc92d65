import type { Feature } from '../../http/feature.ts';
import { virtualRegistryRoutes } from './routes.ts';

export { addCacheEntry, createRegistry, createUpstream } from './manageUpstreams.ts';

/** Virtual registries and their upstreams. */
export const virtualRegistries: Feature = { routes: virtualRegistryRoutes };
