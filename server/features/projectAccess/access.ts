import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type Abilities, abilitiesOf, type Access, accessLevels } from '../abilities/abilities.ts';
import { guardedProjects, projectByFormerPath, projectById, projectByPath, type ProjectRow, projectsByIds } from './store.ts';

export type Project = ProjectRow;

/** A project with the permissions of one user. */
export interface FoundProject<Of extends Project = Project> {
  readonly project: Of;
  readonly access: Access;
  readonly can: Abilities;
  /** ID of the user; 0 for anonymous callers. */
  readonly userId: number;
}

/** Returns the access of a user to projects in general, without a membership. */
export function accessOf(caller: Pick<Caller, 'user'> | undefined): Omit<Access, 'level'> {
  return {
    isSignedIn: caller !== undefined,
    isExternal: caller?.user.external === 1,
    isAdministrator: caller?.user.admin === 1,
  };
}

/** Returns the user id for queries; 0 for anonymous callers. */
export function viewerId(caller: Pick<Caller, 'user'> | undefined): number {
  return caller?.user.id ?? 0;
}

/** Returns a stored project with the permissions of the caller; undefined if it is not visible to the caller. */
export function seenBy<Of extends Project>(
  project: Of | undefined,
  caller: Pick<Caller, 'user'> | undefined,
): FoundProject<Of> | undefined {
  if (project === undefined) return undefined;
  const access = { ...accessOf(caller), level: project.level };
  const can = abilitiesOf(project, access);
  return can.readProject ? { project, access, can, userId: viewerId(caller) } : undefined;
}

/** Finds a project by id or full path. Projects that are not visible to the caller are treated as absent. */
export function findProject(
  core: Core,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundProject | undefined {
  const key = typeof idOrPath === 'number' ? { id: idOrPath } : projectKey(idOrPath);
  if (key === undefined) return undefined;
  const viewer = viewerId(caller);
  const row = 'id' in key ? projectById(core.store, key.id, viewer) : projectByPath(core.store, key.path, viewer);
  return seenBy(row, caller);
}

/**
 * Finds a project by its full path for a credential that belongs to no user and gives access to the code of this project. Returns undefined
 * if `isPermitted` does not accept the project.
 */
export function findProjectForReading(
  core: Core,
  fullPath: string,
  isPermitted: (project: Project) => boolean,
): FoundProject | undefined {
  const key = projectKey(fullPath);
  const project = key === undefined || 'id' in key ? undefined : projectByPath(core.store, key.path, 0);
  if (project === undefined || !isPermitted(project)) return undefined;
  const access = { ...accessOf(undefined), level: accessLevels.reporter };
  return { project, access, can: abilitiesOf(project, access), userId: 0 };
}

/** Returns the visible project that had this full path before it was renamed. */
export function findMovedProject(
  core: Core,
  formerPath: string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundProject | undefined {
  const key = projectKey(formerPath);
  if (key === undefined || 'id' in key) return undefined;
  return seenBy(projectByFormerPath(core.store, key.path, viewerId(caller)), caller);
}

/** Returns what the caller may do in the visible projects among some ids, by id. */
export function abilitiesIn(
  core: Core,
  ids: readonly number[],
  caller: Pick<Caller, 'user'> | undefined,
): ReadonlyMap<number, Abilities> {
  const rows = guardedProjects(core.store, ids, viewerId(caller));
  const abilities = rows.map((row) => [row.id, abilitiesOf(row, { ...accessOf(caller), level: row.level })] as const);
  return new Map(abilities.filter(([, can]) => can.readProject));
}

/** Returns the visible projects among some ids, by id. */
export function findProjects(
  core: Core,
  ids: readonly number[],
  caller: Pick<Caller, 'user'> | undefined,
): ReadonlyMap<number, FoundProject> {
  const found = new Map<number, FoundProject>();
  for (const row of projectsByIds(core.store, ids, viewerId(caller))) {
    const seen = seenBy(row, caller);
    if (seen !== undefined) found.set(row.id, seen);
  }
  return found;
}

/**
 * Parses a path parameter that identifies a project. Text that is neither an id nor contains a slash is invalid
 * (docs/interface.md#resource-addresses).
 */
export function projectKey(text: string): { readonly id: number } | { readonly path: string } | undefined {
  if (/^-?\d+$/.test(text)) return { id: Number(text) };
  return text.includes('/') ? { path: text } : undefined;
}
