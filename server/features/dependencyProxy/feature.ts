import type { Feature } from '../../feature.ts';
import { dependencyProxyRoutes } from './routes.ts';

/** Cache of images that groups pull from other registries. */
export const dependencyProxy: Feature = { routes: dependencyProxyRoutes };
