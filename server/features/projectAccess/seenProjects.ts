import { listProjects, projectIdsOfMember } from './store.ts';
import { accessOf, type FoundProject, type Project, seenBy, viewerId } from './access.ts';
import type { ShownProject } from './shown.ts';
import { accessLevels, visibleProjectsSql } from '../abilities/abilities.ts';
import type { Core } from '../../core/core.ts';
import type { Caller } from '../../core/caller.ts';

/** Returns the visible projects of a group without its subgroups, newest first; at most 100. */
export function projectsOfGroup(core: Core, groupId: number, caller: Caller | undefined): FoundProject<ShownProject>[] {
  const filter = { viewer: viewerId(caller), visible: visibleProjectsSql(accessOf(caller)), groupId };
  const rows = listProjects(core.store, filter, { order: 'created_at', sort: 'desc', limit: 100, offset: 0 });
  return rows.map((row) => seenBy(row, caller)).filter((found) => found !== undefined);
}

/** Returns the visible projects in a user's personal namespace, newest first; at most 100. */
export function ownProjects(core: Core, userId: number, caller: Caller | undefined): FoundProject<ShownProject>[] {
  const filter = { viewer: viewerId(caller), visible: visibleProjectsSql(accessOf(caller)), namespaceOwner: userId };
  const rows = listProjects(core.store, filter, { order: 'created_at', sort: 'desc', limit: 100, offset: 0 });
  return rows.map((row) => seenBy(row, caller)).filter((found) => found !== undefined);
}

/** Returns the projects that a caller can see, or is a member of, the most recently active first. */
export function listSeenProjects(
  core: Core,
  caller: Caller | undefined,
  { isMember, limit, offset }: { readonly isMember: boolean; readonly limit: number; readonly offset: number },
): Project[] {
  const filter = {
    viewer: viewerId(caller),
    visible: visibleProjectsSql(accessOf(caller)),
    ...(isMember ? { minLevel: accessLevels.guest } : {}),
  };
  return listProjects(core.store, filter, { order: 'last_activity_at', sort: 'desc', limit, offset });
}

/** Returns the ids of the projects that a user is a member of, directly or through a group. */
export function projectsOfMember(core: Core, userId: number): number[] {
  return projectIdsOfMember(core.store, userId);
}
