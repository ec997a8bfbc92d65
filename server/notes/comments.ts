import type { ChangedNote } from '../changes.ts';
import { badRequest, forbidden } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type Position, readPosition } from './position.ts';
import { MAX_QUICK_ACTIONS, type QuickAction, splitQuickActions } from './quickActions.ts';
import { isResolvable } from './rules.ts';
import {
  countDiscussions,
  countNotes,
  deleteNoteRow,
  insertNote,
  listDiscussionIds,
  listNotes,
  noteById,
  type Noteable,
  type NoteFilter,
  type NoteRow,
  notesOfDiscussions,
  type NoteType,
  writeNoteBody,
  writeNoteType,
  writeResolution,
} from './store.ts';

export type Note = NoteRow;

/** Something that has notes, as one person finds it. */
export interface Commentable {
  readonly noteable: Noteable;
  readonly can: {
    readonly readInternal: boolean;
    readonly write: boolean;
    readonly writeInternal: boolean;
    /** Change and delete what others wrote. */
    readonly administer: boolean;
    /** Say when a comment was made. */
    readonly backdate: boolean;
    /** Resolve threads, where there is something to resolve. */
    readonly resolve: boolean;
  };
  /** What follows a new note, in its transaction. */
  added(note: Note, author: User): void;
  /** What follows when a thread is resolved or opened again, in the transaction that does it. */
  resolved?(by: User): void;
  /** Names of the quick actions that it knows. */
  readonly quickActions: readonly string[];
  /** Does what quick actions say, in the transaction of the comment, and tells in words what was done. */
  act(by: User, actions: readonly QuickAction[]): readonly string[];
  /** What follows quick actions when the comment is written, and takes programs. */
  settled?(): Promise<void>;
  /** Throws 400 where a note cannot stand at a place of the changes; undefined for what has no changes. */
  readonly checkPosition: ((position: Position) => Promise<void>) | undefined;
}

/** A note as changes are told of it. */
export function changedNote(note: Note): ChangedNote {
  return { id: note.id, type: note.type ?? 'Note', internal: note.internal === 1, system: note.system === 1 };
}

export function findNote(platform: Platform, noteable: Noteable, id: number): Note | undefined {
  return noteById(platform.store, noteable, id);
}

export interface NewNote {
  readonly body: string;
  readonly authorId: number;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly type?: NoteType | null;
  readonly discussionId?: string | undefined;
  readonly position?: Position | undefined;
  /** Milliseconds; now when left out. */
  readonly createdAt?: number | undefined;
}

/** Writes a note, whoever may. */
export function addNote(platform: Platform, noteable: Noteable, note: NewNote): Note {
  const id = insertNote(platform.store, {
    noteable,
    body: note.body,
    authorId: note.authorId,
    system: note.system ?? false,
    internal: note.internal ?? false,
    type: note.type ?? null,
    discussionId: note.discussionId,
    position: note.position === undefined ? null : JSON.stringify(note.position),
    at: note.createdAt ?? platform.clock.now(),
  });
  const added = noteById(platform.store, noteable, id);
  if (added === undefined) throw new Error('the new note is not there');
  return added;
}

export interface NewComment {
  readonly body: string;
  readonly internal?: boolean;
  /** Milliseconds. Counts for owners and administrators only. */
  readonly createdAt?: number | undefined;
}

/** How a comment is part of a discussion: alone, as the beginning of a thread or of one about a line, or as an answer. */
export type Placement =
  | { readonly kind: 'alone' }
  | { readonly kind: 'thread'; readonly position?: Position | undefined }
  | { readonly kind: 'reply'; readonly to: readonly Note[] };

/**
 * Comments on something. Quick actions are done and taken out; when nothing is left, no note is made, and what was done is answered in
 * words. Throws 403 when the person may not, and 400 for an empty text or too many quick actions.
 */
export function comment(
  platform: Platform,
  commentable: Commentable,
  author: User,
  input: NewComment,
  placement: Placement = { kind: 'alone' },
): { readonly note: Note } | { readonly done: readonly string[] } {
  const { can } = commentable;
  if (!can.write) throw forbidden(undefined, 'the caller may not comment here', 'note.create');
  const first = placement.kind === 'reply' ? placement.to[0] : undefined;
  const internal = first === undefined ? (input.internal ?? false) : first.internal === 1;
  if (internal && !can.writeInternal) throw forbidden(undefined, 'only reporters write internal notes', 'note.internal');
  checkBody(input.body);
  const { text, actions } = splitQuickActions(input.body, commentable.quickActions);
  if (actions.length > MAX_QUICK_ACTIONS) {
    throw badRequest(
      `A comment can have at most ${MAX_QUICK_ACTIONS} quick actions`,
      `the comment has more quick actions, and none of them was done; send them in several comments`,
    );
  }
  return platform.store.transaction(() => {
    const done = actions.length === 0 ? [] : commentable.act(author, actions);
    if (text === '') return { done };
    // A plain comment that is answered becomes the first of a thread.
    if (first?.type === null) writeNoteType(platform.store, first.id, 'DiscussionNote');
    const position = placement.kind === 'thread' ? placement.position : undefined;
    const note = addNote(platform, commentable.noteable, {
      body: text,
      authorId: author.id,
      internal,
      type: typeOf(placement, first),
      discussionId: first?.discussion_id,
      position: position ?? (first?.position === null || first === undefined ? undefined : readPosition(first.position)),
      createdAt: can.backdate ? input.createdAt : undefined,
    });
    commentable.added(note, author);
    return { note };
  });
}

function typeOf(placement: Placement, first: Note | undefined): NoteType | null {
  if (placement.kind === 'alone') return null;
  if (placement.kind === 'thread') return placement.position === undefined ? 'DiscussionNote' : 'DiffNote';
  return first?.type === 'DiffNote' ? 'DiffNote' : 'DiscussionNote';
}

/** Throws 400 for a comment without text. */
export function checkBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}', 'the comment is empty');
}

/** Resolves those of some notes that can be, or opens them again. Throws 403 when the person may not. */
export function resolveNotes(
  platform: Platform,
  commentable: Commentable,
  by: User,
  notes: readonly Note[],
  resolved: boolean,
): void {
  if (!commentable.can.resolve) throw forbidden(undefined, 'developers and the author resolve threads', 'note.resolve');
  const at = platform.clock.now();
  const changing = notes.filter((note) => isResolvable(note) && (note.resolved_at === null) === resolved);
  if (changing.length === 0) return;
  platform.store.transaction(() => {
    writeResolution(
      platform.store,
      changing.map((note) => note.id),
      resolved ? { userId: by.id, at } : null,
    );
    commentable.resolved?.(by);
  });
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

/** A page of notes and how many there are, for `offsetResponse`. */
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

/** A page of discussions, each with its notes. */
export function discussionList(
  platform: Platform,
  filter: NoteFilter,
): { count(cap: number): number; rows(limit: number, offset: number): readonly (readonly Note[])[] } {
  return {
    count: (cap) => countDiscussions(platform.store, filter, cap),
    rows: (limit, offset) => {
      const ids = listDiscussionIds(platform.store, filter, limit, offset);
      const notes = Map.groupBy(notesOfDiscussions(platform.store, filter, ids), (note) => note.discussion_id);
      return ids.map((id) => notes.get(id) ?? []);
    },
  };
}

/** Notes of one discussion as far as they may be read; empty when there is none. */
export function discussionNotes(platform: Platform, filter: NoteFilter, id: string): readonly Note[] {
  return notesOfDiscussions(platform.store, filter, [id]);
}
