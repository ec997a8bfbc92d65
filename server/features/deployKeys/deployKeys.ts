import type { Feature } from '../../http/feature.ts';
import { deployKeyRoutes } from './routes.ts';

export { isPushingKey } from './store.ts';

/** Records of the SSH keys of projects. */
export const deployKeys: Feature = { routes: deployKeyRoutes };
