import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { scheduleDueIssues } from './dueIssues.ts';
import { milestonePages } from './milestonePages.ts';
import { issuePages } from './pages.ts';
import { issueRoutes } from './routes.ts';

export type { ChangedIssue, FormerIssue } from './changes.ts';
export { skipDueNotices } from './dueIssues.ts';
export { issueFields, issuesGraphql, issuesOf } from './graphql.ts';
export {
  assignmentNote,
  commentableIssue,
  commentOnIssue,
  createIssue,
  distinctPeople,
  findIssue,
  hasSameMembers,
  type Issue,
  issueContributions,
  issuesById,
  namesOf,
  noteOnIssue,
  peopleOnIssue,
  takeWorkItemIid,
  updateIssue,
} from './manageIssues.ts';
export { searchIssues } from './lists.ts';
export { presentIssues } from './present.ts';
export { issueMembers, issueResponse, listedIssue } from './responses.ts';
export { issueTypes, readAssignee, taskCounts } from './rules.ts';

/** Issues, and the pages of milestones, which list them. */
export const issues: Feature = { routes: issueRoutes, pages: milestonePages, start: scheduleDueIssues };

/** Pages of projects and issues. The page of a project matches every path, so it comes after all other pages. */
export const projectPages: Feature<GitCore> = { pages: issuePages };
