// Projects as a user sees them: finding them, routes and pages of one project, and the rows of lists. Who may see what is decided in
// `abilities`; `projects` creates and changes them.

export {
  abilitiesIn,
  accessOf,
  findMovedProject,
  findProject,
  findProjectForReading,
  findProjects,
  type FoundProject,
  type Project,
  seenBy,
  viewerId,
} from './access.ts';
export { type ContainerRoute, containerRoutes } from './containerRoute.ts';
export { areRelated, goesBackTo } from './forkNetwork.ts';
export { type ProjectPageRequest, projectPageRoute } from './page.ts';
export { openProjectRoute, type ProjectRequest, projectRoute } from './route.ts';
export { listSeenProjects, ownProjects, projectsOfGroup, projectsOfMember } from './seenProjects.ts';
export {
  presentProjectIdentity,
  projectAddresses,
  type ShownProject,
  shownProject,
  shownProjects,
} from './shown.ts';
export {
  countProjects,
  isProject,
  listProjects,
  namespaceFullNameSql,
  projectById,
  type ProjectFilter,
  type ProjectOrder,
  projectsByIds,
} from './store.ts';
