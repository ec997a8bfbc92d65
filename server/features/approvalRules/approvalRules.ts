import type { Feature } from '../../http/feature.ts';
import { approvalRuleRoutes } from './routes.ts';

export { approversOf } from './manageApprovalRules.ts';

/** Approval rules of merge requests. */
export const approvalRules: Feature = { routes: approvalRuleRoutes };
