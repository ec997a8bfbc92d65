import type { NoteRow } from './store.ts';

/** Threads and comments on changes of a merge request are resolved one day; plain comments and system notes are not. */
export function isResolvable(note: Pick<NoteRow, 'noteable_type' | 'system' | 'type'>): boolean {
  return note.noteable_type === 'MergeRequest' && note.system === 0 && note.type !== null;
}
