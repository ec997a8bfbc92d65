import type { Feature } from '../../http/feature.ts';
import { protectedRefRoutes } from './routes.ts';

/** Protected branches and tags. */
export const protectedRefs: Feature = { routes: protectedRefRoutes };
