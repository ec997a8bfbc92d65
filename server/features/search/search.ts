import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { searchRoutes } from './routes.ts';

/** Searches of the instance, of groups and of projects. */
export const search: Feature<GitCore> = { routes: searchRoutes };
