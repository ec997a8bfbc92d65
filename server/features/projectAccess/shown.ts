import { isoTime } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from './access.ts';
import { detailsOfProject, projectDetails, type ProjectDetails } from './store.ts';
import { baseHost } from '../../support/baseHost.ts';

/** A project with what responses show of it. */
export type ShownProject = Project & ProjectDetails;

/** Returns a project with what responses show of it. */
export function shownProject(core: Core, project: Project): ShownProject {
  return { ...project, ...(detailsOfProject(core.store, project.id) ?? noDetails) };
}

/** Returns projects with what responses show of them. */
export function shownProjects(core: Core, projects: readonly Project[]): ShownProject[] {
  const details = projectDetails(
    core.store,
    projects.map(({ id }) => id),
  );
  return projects.map((project) => ({ ...project, ...(details.get(project.id) ?? noDetails) }));
}

/** Details of a project that was deleted after it was found. */
const noDetails: ProjectDetails = { has_branches: 0, readme_path: null, topics: null, forks_count: 0 };

/** The members that identify a project, which all forms have. */
export function presentProjectIdentity(project: Project) {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespace_full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: isoTime(project.created_at),
  };
}

/** The addresses of a project. */
export function projectAddresses({ full_path: path }: Pick<Project, 'full_path'>, baseUrl: string) {
  return {
    ssh_url_to_repo: `git@${baseHost(baseUrl).hostname}:${path}.git`,
    http_url_to_repo: `${baseUrl}/${path}.git`,
    web_url: `${baseUrl}/${path}`,
  };
}
