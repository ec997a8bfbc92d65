import type { Feature } from '../../feature.ts';
import { deployTokenRoutes } from './routes.ts';

/** Tokens of projects and groups for git clients. */
export const deployTokens: Feature = { routes: deployTokenRoutes };
