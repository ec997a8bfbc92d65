import type { Feature } from '../../feature.ts';
import { smartHttpRoutes } from './routes.ts';

/** Fetches and pushes of git over HTTP. */
export const smartHttp: Feature = { routes: smartHttpRoutes };
