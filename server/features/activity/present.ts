import { isoTime } from '../../core/clock.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { notesByIds, presentNote } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import type { EventResponse } from './responses.ts';
import { actionName, actionNumbers, pushActionName } from './rules.ts';
import { type EventRow, pushesOf } from './store.ts';

/** Returns events as feeds list them. Project feeds also have the member `data` (docs/interface.md#activity-events). */
export function presentEvents(
  core: Core,
  rows: readonly EventRow[],
  baseUrl: string,
  listing: 'user' | 'project',
): EventResponse[] {
  const person = peopleOf(core, baseUrl);
  const noteIds = rows.map((row) => row.note_id).filter((id) => id !== null);
  const pushIds = rows.filter((row) => row.action === actionNumbers.pushed).map((row) => row.id);
  const notes = noteIds.length === 0 ? undefined : notesByIds(core, noteIds);
  const pushes = pushIds.length === 0 ? undefined : pushesOf(core.store, pushIds);
  return rows.map((row) => {
    const author = person(row.author_id);
    if (author === null) throw new Error(`the author ${row.author_id} of the event ${row.id} does not exist`);
    const note = row.note_id === null ? undefined : notes?.get(row.note_id);
    const push = pushes?.get(row.id);
    return {
      id: row.id,
      title: null,
      project_id: row.project_id,
      action_name: push === undefined ? actionName(row.action, row.target_type) : pushActionName(push, core.dialect),
      target_id: row.target_id,
      target_iid: row.target_iid,
      target_type: row.target_type,
      author_id: row.author_id,
      target_title: row.target_title,
      created_at: isoTime(row.created_at),
      ...(note === undefined ? {} : { note: presentNote(note, person) }),
      author,
      imported: false,
      imported_from: 'none',
      ...(listing === 'project' ? { data: null } : {}),
      ...(push === undefined ? {} : { push_data: push }),
      author_username: author.username,
    };
  });
}
