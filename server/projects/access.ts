import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type Abilities, abilitiesOf, type Access } from './abilities.ts';
import { projectKey } from './rules.ts';
import { projectByFormerPath, projectById, projectByPath, projectsByIds, type ProjectRow } from './store.ts';

export type Project = ProjectRow;

/** A project as one person finds it. */
export interface FoundProject {
  readonly project: Project;
  readonly access: Access;
  readonly can: Abilities;
}

/** What a person is to projects in general, before their membership in one. */
export function accessOf(caller: Pick<Caller, 'user'> | undefined): Omit<Access, 'level'> {
  return {
    isSignedIn: caller !== undefined,
    isExternal: caller?.user.external === 1,
    isAdministrator: caller?.user.admin === 1,
  };
}

/** A person's number in the stores; nobody has 0. */
export function viewerId(caller: Pick<Caller, 'user'> | undefined): number {
  return caller?.user.id ?? 0;
}

/** A project of the store as a person sees it, or undefined when they do not. */
export function seenBy(project: Project | undefined, caller: Pick<Caller, 'user'> | undefined): FoundProject | undefined {
  if (project === undefined) return undefined;
  const access = { ...accessOf(caller), level: project.level };
  const can = abilitiesOf(project, access);
  return can.readProject ? { project, access, can } : undefined;
}

/** A project by number or full path. One that the person may not see looks like one that is not there. */
export function findProject(
  platform: Platform,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundProject | undefined {
  const key = typeof idOrPath === 'number' ? { id: idOrPath } : projectKey(idOrPath);
  if (key === undefined) return undefined;
  const viewer = viewerId(caller);
  const row = 'id' in key ? projectById(platform.store, key.id, viewer) : projectByPath(platform.store, key.path, viewer);
  return seenBy(row, caller);
}

/** The project that had this full path before it was renamed, when the person may see it. */
export function findMovedProject(
  platform: Platform,
  formerPath: string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundProject | undefined {
  const key = projectKey(formerPath);
  if (key === undefined || 'id' in key) return undefined;
  return seenBy(projectByFormerPath(platform.store, key.path, viewerId(caller)), caller);
}

/** Those of some projects that a person sees, by number. */
export function findProjects(
  platform: Platform,
  ids: readonly number[],
  caller: Pick<Caller, 'user'> | undefined,
): ReadonlyMap<number, FoundProject> {
  const found = new Map<number, FoundProject>();
  for (const row of projectsByIds(platform.store, ids, viewerId(caller))) {
    const seen = seenBy(row, caller);
    if (seen !== undefined) found.set(row.id, seen);
  }
  return found;
}
