import type { Feature } from '../../http/feature.ts';
import { scheduleMemberExpiry } from './memberships.ts';
import { projectMemberPages } from './pages.ts';
import { memberRoutes } from './routes.ts';

export { memberLists, memberMetadata, memberRows, type MembersOf } from './memberRows.ts';
export {
  changeMembership,
  checkLastOwner,
  endMembership,
  makeOwner,
  type Member,
  type Membership,
  mustBeMember,
  startMembership,
} from './memberships.ts';
export { membersPage } from './pages.ts';
export { addMember, containerOf, leaveProjectsWithGroup, removeMember } from './projectMembers.ts';
export {
  countOwners,
  deleteMembershipsBelow,
  deleteMembershipsOf,
  inheritedLevelSql,
  type MemberContainer,
  membershipLevels,
  namespaceLevelSql,
  ownLevelSql,
  projectMembersBelowSql,
  projectMembershipsSql,
} from './store.ts';

/** Members of projects. Groups add the routes of their own members. */
export const members: Feature = { routes: memberRoutes, pages: projectMemberPages, start: scheduleMemberExpiry };
