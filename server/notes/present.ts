import { isoTime } from '../clock.ts';
import type { AnswerOf } from '../http/answers.ts';
import type { noteAnswer } from './answers.ts';
import type { NoteRow } from './store.ts';

/** A comment or system note. `author` is the presented person, null when they are gone. */
export function presentNote(note: NoteRow, author: AnswerOf<typeof noteAnswer>['author']): AnswerOf<typeof noteAnswer> {
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    attachment: null,
    author,
    created_at: isoTime(note.created_at),
    updated_at: isoTime(note.updated_at),
    system: note.system === 1,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    project_id: note.project_id,
    resolvable: false,
    confidential: note.internal === 1,
    internal: note.internal === 1,
    imported: false,
    imported_from: 'none',
    noteable_iid: note.noteable_iid,
    commands_changes: {},
  };
}
