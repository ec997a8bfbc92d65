import type { Caller } from '../../core/caller.ts';
import type { Contributions } from '../../core/contributions.ts';
import type { Core } from '../../core/core.ts';
import type { OffsetList } from '../../http/pagination.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { readableInternalNotesSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import type { Note } from './comments.ts';
import { presentNote } from './present.ts';
import type { noteResponse } from './responses.ts';
import {
  countComments,
  countFoundNotes,
  deleteNotesBy,
  deleteNotesOf,
  findNotes,
  handOverNotes,
  hasUnresolved,
  listCommenters,
  listNotesByIds,
  type Noteable,
  type NoteSearch,
} from './store.ts';

export type { NoteCreated } from './changes.ts';
export { addNote, changedNote, comment, type Commentable, type NewComment, type Note, noteList } from './comments.ts';
export { renameDiscussions } from './demoStore.ts';
export { issuableActions, readQuickActions } from './issuableActions.ts';
export { commentSection } from './pages.ts';
export { type Position, readPosition } from './position.ts';
export { presentNote } from './present.ts';
export type { QuickAction } from './quickActions.ts';
export { noteResponse } from './responses.ts';
export { noteRoutes } from './routes.ts';
export type { Noteable } from './store.ts';

// Comments, threads and system notes of all resources that can have them. The resource itself decides about access and side effects.

export function notesByIds(core: Core, ids: readonly number[]): ReadonlyMap<number, Note> {
  return new Map(listNotesByIds(core.store, ids).map((note) => [note.id, note]));
}

/** Returns true if a resource has unresolved threads. */
export function hasOpenThreads(core: Core, noteable: Noteable): boolean {
  return hasUnresolved(core.store, noteable);
}

export function deleteAllNotes(core: Core, noteable: Noteable): void {
  deleteNotesOf(core.store, noteable);
}

/** Comments and system notes of deleted accounts. */
export const noteContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverNotes(store, fromUserId, toUserId),
  remove: ({ store }, userId) => deleteNotesBy(store, userId),
};

/** Returns the IDs of the users who commented on a resource. */
export function commentersOf(core: Core, noteable: Noteable, withInternal: boolean): readonly number[] {
  return listCommenters(core.store, noteable, withInternal);
}

/** Returns the comments of a project that contain a text. `readable` is the SQL condition for the notes `n` that the user can read. */
export function searchNotes(
  core: Core,
  baseUrl: string,
  filter: NoteSearch,
  sort: 'asc' | 'desc',
): OffsetList<ResponseOf<typeof noteResponse>> {
  const person = peopleOf(core, baseUrl);
  return {
    count: (cap) => countFoundNotes(core.store, filter, cap),
    rows: (limit, offset) => findNotes(core.store, filter, { sort, limit, offset }).map((note) => presentNote(note, person)),
  };
}

/** Returns the number of comments visible to the caller, without system notes, by the ID of the noteable. */
export function commentCounts(
  core: Core,
  type: 'Issue' | 'MergeRequest',
  ids: readonly number[],
  caller: Pick<Caller, 'user'> | undefined,
): ReadonlyMap<number, number> {
  const seen = { viewer: viewerId(caller), readableInternal: readableInternalNotesSql(accessOf(caller)) };
  return new Map(countComments(core.store, type, ids, seen).map((row) => [row.noteable_id, row.n]));
}
