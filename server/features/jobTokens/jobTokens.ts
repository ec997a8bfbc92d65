import type { Feature } from '../../http/feature.ts';
import { jobTokenScopeRoutes } from './scopeRoutes.ts';
import { jobTokenRoutes } from './tokenRoutes.ts';

export { authenticateJob, isAdmitted, JOB_TOKEN_PREFIX } from './authentication.ts';
export { jobTokenFieldsOf, jobTokensGraphql } from './graphql.ts';

/** Tokens of running jobs, and the projects that they reach. */
export const jobTokens: Feature = {
  routes: (core) => [...jobTokenRoutes(core), ...jobTokenScopeRoutes(core)],
};
