import type { Feature } from '../../http/feature.ts';
import { addOnRoutes } from './addOnRoutes.ts';
import { billingRoutes } from './routes.ts';

export { billing, billingMembers, changeLimits } from './namespaceBilling.ts';
export { limitParameters } from './parameters.ts';

/** Subscriptions and purchases of namespaces. */
export const billingFeature: Feature = { routes: (core) => [...billingRoutes(), ...addOnRoutes(core)] };
