import type { Feature } from '../../feature.ts';
import { jobTokenScopeRoutes } from './scopeRoutes.ts';

/** Tokens of running jobs, and the projects that they reach. */
export const jobTokens: Feature = { routes: jobTokenScopeRoutes };
