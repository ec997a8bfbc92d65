import type { Feature } from '../../feature.ts';
import { deprecationPages } from './pages.ts';
import { deprecationRoutes } from './routes.ts';

/** Announced deprecations, and the calls of deprecated elements. */
export const deprecationFeature: Feature = {
  routes: (platform) => [...deprecationRoutes(platform), ...deprecationPages(platform)],
};
