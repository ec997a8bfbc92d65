import type { Feature } from '../../http/feature.ts';
import { clientKeyRoutes } from './clientKeyRoutes.ts';

export { remakeClientKeys } from './demoStore.ts';
export { clientKeysOf, createClientKey, findClientKey } from './manageClientKeys.ts';

/** Keys with which SDKs send errors to a project. */
export const clientKeys: Feature = { routes: clientKeyRoutes };
