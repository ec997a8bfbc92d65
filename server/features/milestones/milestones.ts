import type { Feature } from '../../http/feature.ts';
import { milestoneRoutes } from './routes.ts';

export { milestoneSql } from './filters.ts';
export {
  createMilestone,
  findMilestone,
  findMilestoneByIid,
  findMilestoneByTitle,
  type Milestone,
  milestonesById,
  mustFindMilestone,
  searchMilestones,
  updateMilestone,
} from './manageMilestones.ts';
export { milestoneResponse } from './responses.ts';
export { milestoneFilters, milestoneWildcards, requestedByTitle, requestedByWildcard, type RequestedMilestone } from './rules.ts';
export { listMilestones, type MilestoneContainer } from './store.ts';

/** Milestones of projects and groups. */
export const milestones: Feature = { routes: milestoneRoutes };
