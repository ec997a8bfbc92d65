import type { Feature } from '../../http/feature.ts';
import { securitySettingRoutes } from './routes.ts';

/** Security settings of projects. The check of pushes is in `scan.ts`. */
export const secretPushProtection: Feature = { routes: securitySettingRoutes };
