import type { Feature } from '../../http/feature.ts';
import { runnerListRoutes } from './listRoutes.ts';
import { registrationRoutes } from './registrationRoutes.ts';
import { runnerRoutes } from './routes.ts';

export { runnersGraphql } from './graphql.ts';

/** Runners for CI jobs and their registration. */
export const runners: Feature = {
  routes: (core) => [...registrationRoutes(core), ...runnerListRoutes(core), ...runnerRoutes(core)],
};
