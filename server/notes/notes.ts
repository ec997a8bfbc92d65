import type { Platform } from '../platform.ts';
import type { Note } from './comments.ts';
import { countComments, deleteNotesOf, listNotesByIds, type Noteable } from './store.ts';

// Comments, threads and system notes of whatever can have them. Who may read and write them, and what follows, is the noteable's to say.

export { noteAnswer } from './answers.ts';
export { addNote, changedNote, comment, type NewComment, type Note, type Noted, noteList } from './comments.ts';
export { presentNote } from './present.ts';
export { issuableActions, readQuickActions } from './issuableActions.ts';
export { type QuickAction } from './quickActions.ts';
export { noteRoutes } from './routes.ts';
export type { Noteable } from './store.ts';

export function notesByIds(platform: Platform, ids: readonly number[]): ReadonlyMap<number, Note> {
  return new Map(listNotesByIds(platform.store, ids).map((note) => [note.id, note]));
}

export function deleteAllNotes(platform: Platform, noteable: Noteable): void {
  deleteNotesOf(platform.store, noteable);
}

/** Number of comments, without system notes, by the number of the noteable. */
export function commentCounts(platform: Platform, type: Noteable['type'], ids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(countComments(platform.store, type, ids).map((row) => [row.noteable_id, row.n]));
}
