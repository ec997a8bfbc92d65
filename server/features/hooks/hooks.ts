import type { Feature } from '../../http/feature.ts';
import type { HookCore } from './hookCore.ts';
import { recordDeliveries } from './occurrences.ts';
import { hookRoutes } from './routes.ts';
import { scheduleDeliveries } from './sending.ts';

export { sendWaiting } from './sending.ts';

/** Hooks of projects and groups: requests to receivers on this machine about what happens. */
export const hooks: Feature<HookCore> = { routes: hookRoutes, subscribe: recordDeliveries, start: scheduleDeliveries };
