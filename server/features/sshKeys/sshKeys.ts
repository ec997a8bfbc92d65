import type { Feature } from '../../http/feature.ts';
import { sshKeyRoutes } from './routes.ts';

export { readPublicKey } from './publicKey.ts';
export { isKeyOfUser } from './store.ts';

/** Records of the SSH keys of users. */
export const sshKeys: Feature = { routes: sshKeyRoutes };
