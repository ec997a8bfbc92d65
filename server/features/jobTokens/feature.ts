import type { Feature } from '../../http/feature.ts';
import { jobTokenScopeRoutes } from './scopeRoutes.ts';
import { jobTokenRoutes } from './tokenRoutes.ts';

/** Tokens of running jobs, and the projects that they reach. */
export const jobTokens: Feature = {
  routes: (core) => [...jobTokenRoutes(core), ...jobTokenScopeRoutes(core)],
};
