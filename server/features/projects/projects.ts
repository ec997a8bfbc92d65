import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { followUsernames } from './manageProjects.ts';
import { scheduleMemberExpiry } from './memberships.ts';
import { projectMemberPages } from './pages.ts';
import { type ProjectRepository, projectRoutes } from './routes.ts';

export {
  type Abilities,
  abilitiesOf,
  type Access,
  type AccessLevel,
  accessLevels,
  type FeatureAccess,
  featureAccesses,
  holdsRole,
  isMoreVisible,
  isOpenTo,
  type ProjectRole,
  readableCodeSql,
  readableInternalNotesSql,
  readableIssuesSql,
  readableMilestonesSql,
  roleName,
  visibilities,
  visibilitiesBeyond,
  type Visibility,
  visibleProjectsSql,
} from './abilities.ts';
export {
  accessOf,
  findMovedProject,
  findProject,
  findProjectForReading,
  findProjects,
  type FoundProject,
  type Project,
  viewerId,
} from './access.ts';
export type { RemovedContainer } from './changes.ts';
export { type ContainerRoute, containerRoutes } from './containerRoute.ts';
export { type ProjectFields, type ProjectListing, type ProjectPresenter, projectsGraphql, type ProjectsPart } from './graphql.ts';
export { jobTokenScope, outboundLimited, setJobTokenScope } from './jobTokenScope.ts';
export { associatedProjects, projectList, projectListParameters, searchProjects } from './lists.ts';
export {
  areRelated,
  createProject,
  deletePersonalProjects,
  deleteProjectsWithGroup,
  errorsOfNew,
  goesBackTo,
  hasProjectBeyond,
  limitProjectVisibility,
  listSeenProjects,
  mayCreateProjectIn,
  moveProjectsWithGroup,
  type NewProject,
  noteProjectActivity,
  ownProjects,
  projectContributions,
  projectsOfGroup,
  projectsOfMember,
  setArchived,
  setDefaultBranch,
  setSource,
} from './manageProjects.ts';
export { memberLists, memberMetadata, memberRows, type MembersOf } from './memberRows.ts';
export {
  countOwners,
  deleteMembershipsBelow,
  deleteMembershipsOf,
  type MemberContainer,
  namespaceLevelSql,
  projectMembersBelowSql,
  projectMembershipsSql,
} from './memberStore.ts';
export { addMember, leaveProjectsWithGroup, removeMember } from './members.ts';
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
export { type ProjectPageRequest, projectPageRoute } from './page.ts';
export { membersPage } from './pages.ts';
export { presentOneProject, presentProjectBasic, presentProjects } from './present.ts';
export { associatedProject, listedProject, namespaceMembers, projectBasic, projectResponse } from './responses.ts';
export { openProjectRoute, type ProjectRequest, projectRoute } from './route.ts';
export {
  checksPushesForSecrets,
  hasSecretPushProtection,
  secretPushProtectionTiers,
  securitySettings,
  setSecretPushProtection,
} from './secretPushProtection.ts';
export { insertStar } from './stars.ts';
export {
  isProject,
  projectById,
  namespaceFullNameSql,
  skipIssueIid,
  takeIid,
  touchProject,
  writeProjectReadOnly,
  writeProjectStorage,
} from './store.ts';
export { transferProject } from './transfer.ts';

/** Projects and their members. `repository` does what projects need of their repositories. */
export function projects(repository: ProjectRepository): Feature<GitCore> {
  return {
    routes: (core) => projectRoutes(core, repository),
    pages: projectMemberPages,
    subscribe: followUsernames,
    start: scheduleMemberExpiry,
  };
}
