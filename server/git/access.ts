import { type FoundProject, holdsRole, type Project } from '../projects/projects.ts';

/** Who may push to any branch of a project. */
export function mayPush({ project, standing }: FoundProject): boolean {
  return standing.isSignedIn && project.archived === 0 && holdsRole(standing, 'developer');
}

/** The default branch is protected: maintainers push to it and nobody deletes it. */
export function isProtected(project: Project, branch: string): boolean {
  return branch === project.default_branch;
}

export function mayPushTo(found: FoundProject, branch: string): boolean {
  return mayPush(found) && (!isProtected(found.project, branch) || holdsRole(found.standing, 'maintainer'));
}
