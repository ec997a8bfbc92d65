import type { Feature } from '../../http/feature.ts';
import { deployTokenRoutes } from './routes.ts';

export { activeDeployToken, type DeployToken, deployTokenOf, isTokenOf, isTokenOfGroup } from './manageDeployTokens.ts';

/** Tokens of projects and groups for git clients. */
export const deployTokens: Feature = { routes: deployTokenRoutes };
