import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { discussionResponse, noteResponse } from './responses.ts';
import { readPosition } from './position.ts';
import { isResolvable } from './rules.ts';
import type { NoteRow } from './store.ts';

type Wire = ResponseOf<typeof noteResponse>;

/** Presents a comment or system note. `person` presents users and returns null for deleted ones. */
export function presentNote(note: NoteRow, person: (id: number | null) => Wire['author']): Wire {
  const resolvable = isResolvable(note);
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    attachment: null,
    author: person(note.author_id),
    created_at: isoTime(note.created_at),
    updated_at: isoTime(note.updated_at),
    system: note.system === 1,
    noteable_id: note.noteable_type === 'Commit' ? null : note.noteable_id,
    noteable_type: note.noteable_type,
    project_id: note.project_id,
    ...(note.position === null && note.commit_id === null ? {} : { commit_id: note.commit_id }),
    ...(note.position === null ? {} : { position: readPosition(note.position) }),
    resolvable,
    ...(resolvable
      ? {
          resolved: note.resolved_at !== null,
          resolved_by: person(note.resolved_by),
          resolved_at: note.resolved_at === null ? null : isoTime(note.resolved_at),
        }
      : {}),
    confidential: note.internal === 1,
    internal: note.internal === 1,
    imported: false,
    imported_from: 'none',
    noteable_iid: note.noteable_iid,
    commands_changes: {},
  };
}

/** Presents a discussion of at least one note, the first of which started it. */
export function presentDiscussion(
  notes: readonly NoteRow[],
  person: (id: number | null) => Wire['author'],
): ResponseOf<typeof discussionResponse> {
  return {
    id: notes[0]?.discussion_id ?? '',
    individual_note: notes[0]?.type === null,
    notes: notes.map((note) => presentNote(note, person)),
  };
}
