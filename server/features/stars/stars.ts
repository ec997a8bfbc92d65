import type { Feature } from '../../http/feature.ts';
import { starRoutes } from './routes.ts';

export { insertStar } from './store.ts';

/** Stars of projects. */
export const stars: Feature = { routes: starRoutes };
