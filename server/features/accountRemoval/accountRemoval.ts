import type { Feature } from '../../http/feature.ts';
import { accountRemovalRoutes } from './routes.ts';

/** The deletion of accounts with what belongs to them. */
export const accountRemoval: Feature = { routes: accountRemovalRoutes };
