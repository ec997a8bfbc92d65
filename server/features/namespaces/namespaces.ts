import type { Feature } from '../../http/feature.ts';
import { namespaceRoutes } from './routes.ts';

/** Groups and the personal namespaces of users, with their limits. */
export const namespaces: Feature = { routes: namespaceRoutes };
