import type { Feature } from '../../http/feature.ts';
import { securitySettingRoutes } from './routes.ts';

export { refusalLines } from './findings.ts';
export { secretPushProtectionGraphql } from './graphql.ts';
export { refuseSecrets, secretsInPush } from './scan.ts';
export { hasSecretPushProtection } from './setting.ts';
export { secretProtectedSql } from './store.ts';

/** Security settings of projects. The check of pushes is in `scan.ts`. */
export const secretPushProtection: Feature = { routes: securitySettingRoutes };
