import type { Feature } from '../../feature.ts';
import { addOnRoutes } from './addOnRoutes.ts';
import { billingRoutes } from './routes.ts';

/** Subscriptions and purchases of namespaces. */
export const billingFeature: Feature = { routes: (platform) => [...billingRoutes(platform), ...addOnRoutes(platform)] };
