import type { Feature } from '../../http/feature.ts';
import { deployTokenRoutes } from './routes.ts';

/** Tokens of projects and groups for git clients. */
export const deployTokens: Feature = { routes: deployTokenRoutes };
