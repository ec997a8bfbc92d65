import { html } from 'hono/html';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { ago, type Markup } from '../../web/layout.ts';
import type { Writer } from '../../web/writing.ts';
import { type Note, noteList } from './comments.ts';
import type { NoteFilter } from './store.ts';

const MAX_NOTES_SHOWN = 200;

/** Returns the comment section of a page, oldest comments first. */
export async function commentSection(core: Core, filter: NoteFilter, write: Writer, now: number): Promise<Markup> {
  const notes = noteList(core, filter, 'created_at', 'asc').rows(MAX_NOTES_SHOWN + 1, 0);
  const items = await Promise.all(notes.slice(0, MAX_NOTES_SHOWN).map((note) => noteItem(core, note, write, now)));
  return html`<section class="card" aria-labelledby="notes">
<h2 id="notes">Comments</h2>
${items.length === 0 ? html`<p class="muted">No comments yet.</p>` : html`<ol class="rows">${items}</ol>`}
${notes.length > MAX_NOTES_SHOWN ? html`<p class="muted small">Showing the first ${MAX_NOTES_SHOWN} comments.</p>` : ''}
</section>`;
}

async function noteItem(core: Core, note: Note, write: Writer, now: number): Promise<Markup> {
  const author = findUser(core, note.author_id);
  const head = html`${author === undefined ? 'Deleted user' : html`<a href="/${author.username}">${author.name}</a>`}
<span class="muted small">${ago(note.created_at, now)}</span>`;
  const text = await write(note.body, { level: 3, name: `note-${note.id}-` });
  if (note.system === 1) return html`<li id="note_${note.id}" class="muted system">${head} ${text}</li>`;
  return html`<li id="note_${note.id}"><p>${head}${note.internal === 1 ? html` <span class="badge">internal note</span>` : ''}</p>
${text}</li>`;
}
