import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { forkRoutes } from './routes.ts';

export { addFork } from './createFork.ts';

/** Forks of projects. */
export const forks: Feature<GitCore> = { routes: forkRoutes };
