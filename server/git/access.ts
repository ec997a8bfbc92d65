import { type FoundProject, holdsRole, type Project } from '../projects/projects.ts';

/** Who may push to any branch of a project. */
export function mayPush({ project, access }: FoundProject): boolean {
  return access.isSignedIn && project.archived === 0 && holdsRole(access, 'developer');
}

/** The default branch is protected: maintainers push to it and nobody deletes it. */
export function isProtected(project: Project, branch: string): boolean {
  return branch === project.default_branch;
}

export function mayPushTo(found: FoundProject, branch: string): boolean {
  return mayPush(found) && (!isProtected(found.project, branch) || holdsRole(found.access, 'maintainer'));
}
