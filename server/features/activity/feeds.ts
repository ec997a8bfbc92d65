import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { abilitiesIn, type FoundProject, projectsOfMember, viewerId } from '../projectAccess/projectAccess.ts';
import { type EventVisibility, eventVisibility } from './rules.ts';
import { type FeedOwner, projectsOfAuthor } from './store.ts';

/** A feed without filters, and what its reader can see of it. */
export interface VisibleFeed {
  readonly owner: FeedOwner;
  readonly visibility: EventVisibility;
}

/** Returns the feed of a user's own events. */
export function feedOfUser(core: Core, userId: number, caller: Caller | undefined): VisibleFeed {
  const ids = projectsOfAuthor(core.store, userId);
  return { owner: { kind: 'author', id: userId }, visibility: visibilityInUserFeed(core, ids, caller) };
}

/** Returns the feed of all events in the projects of which the caller is a member. */
export function feedOfMemberships(core: Core, caller: Caller): VisibleFeed {
  const ids = projectsOfMember(core, caller.user.id);
  return { owner: { kind: 'projects', ids }, visibility: visibilityInUserFeed(core, ids, caller) };
}

/** Returns the feed of all events in a project. */
export function feedOfProject({ project, can }: FoundProject, caller: Caller | undefined): VisibleFeed {
  const visibility = eventVisibility([{ id: project.id, can }], viewerId(caller), { withoutMergeRequests: false });
  return { owner: { kind: 'project', id: project.id }, visibility };
}

function visibilityInUserFeed(core: Core, ids: readonly number[], caller: Caller | undefined): EventVisibility {
  const abilities = abilitiesIn(core, ids, caller);
  const projects = ids.map((id) => ({ id, can: abilities.get(id) }));
  return eventVisibility(projects, viewerId(caller), { withoutMergeRequests: !core.dialect.mergeRequestEventsInUserFeeds });
}
