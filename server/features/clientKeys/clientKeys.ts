import type { Feature } from '../../http/feature.ts';
import { clientKeyRoutes } from './clientKeyRoutes.ts';

export { clientKeyMembers } from './clientKeyResponses.ts';
export { presentClientKey } from './clientKeyRoutes.ts';
export { anyKeyById } from './clientKeyStore.ts';
export { remakeClientKeys } from './demoStore.ts';
export { type ClientKey, clientKeyOf, clientKeysOf, createClientKey, findClientKey } from './manageClientKeys.ts';

/** Keys with which SDKs send errors to a project. */
export const clientKeys: Feature = { routes: clientKeyRoutes };
