import type { Platform } from '../platform.ts';
import {
  countComments,
  countNotes,
  deleteNoteRow,
  deleteNotesOf,
  insertNote,
  listNotes,
  listNotesByIds,
  noteById,
  type Noteable,
  type NoteFilter,
  type NoteRow,
  writeNoteBody,
} from './store.ts';

// Comments and system notes of whatever can have them. Who may read and write them, and what follows, is the noteable's to say.

export { noteAnswer } from './answers.ts';
export { presentNote } from './present.ts';
export type { Noteable, NoteFilter } from './store.ts';

export type Note = NoteRow;

export function findNote(platform: Platform, noteable: Noteable, id: number): Note | undefined {
  return noteById(platform.store, noteable, id);
}

export function notesByIds(platform: Platform, ids: readonly number[]): ReadonlyMap<number, Note> {
  return new Map(listNotesByIds(platform.store, ids).map((note) => [note.id, note]));
}

export function addNote(
  platform: Platform,
  noteable: Noteable,
  note: {
    readonly body: string;
    readonly authorId: number;
    readonly system?: boolean;
    readonly internal?: boolean;
    /** Milliseconds; now when left out. */
    readonly createdAt?: number | undefined;
  },
): Note {
  const id = insertNote(platform.store, {
    noteable,
    body: note.body,
    authorId: note.authorId,
    system: note.system ?? false,
    internal: note.internal ?? false,
    at: note.createdAt ?? platform.clock.now(),
  });
  const added = noteById(platform.store, noteable, id);
  if (added === undefined) throw new Error('the new note is not there');
  return added;
}

export function rewriteNote(platform: Platform, note: Note, body: string): Note {
  const now = platform.clock.now();
  writeNoteBody(platform.store, note.id, body, now);
  return { ...note, body, updated_at: now };
}

/** Deletes a note and, through the schema, the event that tells of it. */
export function deleteNote(platform: Platform, note: Note): void {
  deleteNoteRow(platform.store, note.id);
}

export function deleteAllNotes(platform: Platform, noteable: Noteable): void {
  deleteNotesOf(platform.store, noteable);
}

/** A page of notes and how many there are, for `offsetAnswer`. */
export function noteList(
  platform: Platform,
  filter: NoteFilter,
  order: 'created_at' | 'updated_at',
  sort: 'asc' | 'desc',
): { count(cap: number): number; rows(limit: number, offset: number): readonly Note[] } {
  return {
    count: (cap) => countNotes(platform.store, filter, cap),
    rows: (limit, offset) => listNotes(platform.store, filter, { order, sort, limit, offset }),
  };
}

/** Number of comments, without system notes, by the number of the noteable. */
export function commentCounts(platform: Platform, type: Noteable['type'], ids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(countComments(platform.store, type, ids).map((row) => [row.noteable_id, row.n]));
}
