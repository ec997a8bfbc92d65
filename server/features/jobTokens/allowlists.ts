import type { Caller } from '../../core/caller.ts';
import { findGroup, type FoundGroup } from '../groups/groups.ts';
import type { Core } from '../../core/core.ts';
import { findProjects, type FoundProject } from '../projectAccess/projectAccess.ts';
import { deleteTarget, type Direction, hasTarget, insertTarget, type Target, targetGroups, targetProjects } from './store.ts';

// Allowlists of job tokens. A project with limits always reaches itself.

export type { Direction, Target } from './store.ts';

/** Maximum number of projects, and of groups, in an allowlist. */
const MAX_ENTRIES = 200;

/** Adds a project or group. Returns the text of GitLab if that is impossible. */
export function allow({ store }: Core, projectId: number, direction: Direction, target: Target): string | undefined {
  const kind = 'projectId' in target ? 'project' : 'group';
  return store.transaction(() => {
    if ('projectId' in target && target.projectId === projectId) {
      return "Validation failed: Target project can't be the same as the source project";
    }
    if (hasTarget(store, projectId, direction, target)) return `Target ${kind} is already in the job token scope`;
    const count = kind === 'project' ? targetProjects(store, projectId, direction).length : targetGroups(store, projectId).length;
    if (count >= MAX_ENTRIES) {
      return `Validation failed: Source project exceeds the allowable number of ${kind} links in this scope`;
    }
    insertTarget(store, projectId, direction, target);
    return undefined;
  });
}

/** Removes a project or group. Returns false if it was not in the allowlist. */
export function disallow({ store }: Core, projectId: number, direction: Direction, target: Target): boolean {
  return store.transaction(() => {
    if (!hasTarget(store, projectId, direction, target)) return false;
    deleteTarget(store, projectId, direction, target);
    return true;
  });
}

/** Returns the projects of an allowlist that the caller can see, by ID. The project itself is one of them. */
export function allowedProjects(
  core: Core,
  project: FoundProject['project'],
  direction: Direction,
  caller: Caller | undefined,
): FoundProject[] {
  const ids = [project.id, ...targetProjects(core.store, project.id, direction)];
  return [...findProjects(core, ids, caller).values()].toSorted((a, b) => a.project.id - b.project.id);
}

/** Returns the groups of an allowlist that the caller can see, by ID. */
export function allowedGroups(core: Core, projectId: number, caller: Caller | undefined): FoundGroup[] {
  return targetGroups(core.store, projectId)
    .map((id) => findGroup(core, id, caller))
    .filter((found) => found !== undefined);
}
