import type { Feature } from '../../http/feature.ts';
import { protectedRefRoutes } from './routes.ts';

export {
  isGranted,
  isGrantedToDevelopers,
  matches,
  protectBranch,
  protectFirstBranch,
  type ProtectionRule,
  rulesFor,
  unprotectBranch,
} from './manageProtectedRefs.ts';

/** Protected branches and tags. */
export const protectedRefs: Feature = { routes: protectedRefRoutes };
