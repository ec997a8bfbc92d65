import { type FoundProject, holdsRole, type Project } from '../projects/projects.ts';

/** Returns true if the caller can push to any branch of the project. */
export function mayPush({ project, access }: FoundProject): boolean {
  return access.isSignedIn && project.archived === 0 && holdsRole(access, 'developer');
}

/** Returns true for the default branch, which only maintainers can push to and which cannot be deleted. */
export function isProtected(project: Project, branch: string): boolean {
  return branch === project.default_branch;
}

export function mayPushTo(found: FoundProject, branch: string): boolean {
  return mayPush(found) && (!isProtected(found.project, branch) || holdsRole(found.access, 'maintainer'));
}
