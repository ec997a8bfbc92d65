import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { followUsernames } from './manageProjects.ts';
import { type ProjectRepository, projectRoutes } from './routes.ts';

export type { RemovedContainer } from './changes.ts';
export { type ProjectFields, type ProjectListing, type ProjectPresenter, projectsGraphql, type ProjectsPart } from './graphql.ts';
export { associatedProjects, projectList, projectListParameters, searchProjects } from './lists.ts';
export {
  createProject,
  deletePersonalProjects,
  deleteProjectsWithGroup,
  errorsOfNew,
  hasProjectBeyond,
  limitProjectVisibility,
  mayCreateProjectIn,
  moveProjectsWithGroup,
  type NewProject,
  noteProjectActivity,
  projectContributions,
  setArchived,
  setDefaultBranch,
  setSource,
} from './manageProjects.ts';
export { presentOneProject, presentProjectBasic, presentProjects } from './present.ts';
export { associatedProject, listedProject, namespaceMembers, projectBasic, projectResponse } from './responses.ts';
export { skipIssueIid, takeIid, touchProject, writeProjectReadOnly, writeProjectStorage } from './store.ts';
export { transferProject } from './transfer.ts';

/** Creating, changing, showing and listing projects. `repository` does what projects need of their repositories. */
export function projects(repository: ProjectRepository): Feature<GitCore> {
  return {
    routes: (core) => projectRoutes(core, repository),
    subscribe: followUsernames,
  };
}
