import type { NoteRow } from './store.ts';

/** Returns true for notes that can be resolved: threads and diff notes of merge requests, but not standalone comments and system notes. */
export function isResolvable(note: Pick<NoteRow, 'noteable_type' | 'system' | 'type'>): boolean {
  return note.noteable_type === 'MergeRequest' && note.system === 0 && note.type !== null;
}
