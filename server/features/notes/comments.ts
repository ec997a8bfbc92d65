import type { ChangedNote } from './changes.ts';
import { badRequest, forbidden } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
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

/** A resource that can have notes, with the abilities of the caller. */
export interface Commentable {
  readonly noteable: Noteable;
  readonly can: {
    readonly readInternal: boolean;
    readonly write: boolean;
    readonly writeInternal: boolean;
    /** Change and delete notes of other users. */
    readonly administer: boolean;
    /** Set the creation time of a comment. */
    readonly backdate: boolean;
    /** Resolve threads; false for resources without resolvable threads. */
    readonly resolve: boolean;
  };
  /** Called in the transaction that adds a note. */
  added(note: Note, author: User): void;
  /** Called in the transaction that resolves or reopens a thread. */
  resolved?(by: User): void;
  /** Names of the supported quick actions. */
  readonly quickActions: readonly string[];
  /** Applies quick actions in the transaction of the comment and returns messages about their results. */
  act(by: User, actions: readonly QuickAction[]): readonly string[];
  /** Called after the transaction of a comment with quick actions, for work that runs external programs. */
  settled?(): Promise<void>;
  /** Throws `Refused` for an invalid position in the changes; undefined for resources without changes. */
  readonly checkPosition: ((position: Position) => Promise<void>) | undefined;
}

/** Returns the form of a note in published changes. */
export function changedNote(note: Note): ChangedNote {
  return { id: note.id, type: note.type ?? 'Note', internal: note.internal === 1, system: note.system === 1 };
}

export function findNote(core: Core, noteable: Noteable, id: number): Note | undefined {
  return noteById(core.store, noteable, id);
}

export interface NewNote {
  readonly body: string;
  readonly authorId: number;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly type?: NoteType | null;
  readonly discussionId?: string | undefined;
  readonly position?: Position | undefined;
  /** In milliseconds; defaults to the current time. */
  readonly createdAt?: number | undefined;
}

/** Stores a note without checking access. */
export function addNote(core: Core, noteable: Noteable, note: NewNote): Note {
  const id = insertNote(core.store, {
    noteable,
    body: note.body,
    authorId: note.authorId,
    system: note.system ?? false,
    internal: note.internal ?? false,
    type: note.type ?? null,
    discussionId: note.discussionId,
    position: note.position === undefined ? null : JSON.stringify(note.position),
    at: note.createdAt ?? core.clock.now(),
  });
  const added = noteById(core.store, noteable, id);
  if (added === undefined) throw new Error('the new note was not stored');
  return added;
}

export interface NewComment {
  readonly body: string;
  readonly internal?: boolean;
  /** In milliseconds. Respected for owners and administrators only. */
  readonly createdAt?: number | undefined;
}

/** Position of a comment in discussions: standalone, the start of a thread (optionally on a line of the changes), or a reply. */
export type Placement =
  | { readonly kind: 'alone' }
  | { readonly kind: 'thread'; readonly position?: Position | undefined }
  | { readonly kind: 'reply'; readonly to: readonly Note[] };

/**
 * Adds a comment. Quick actions are applied and removed from the text. If no text is left, no note is created and the messages of the
 * quick actions are returned.
 *
 * @throws {Forbidden} without access, `Refused` for an empty text or too many quick actions.
 */
export function comment(
  core: Core,
  commentable: Commentable,
  author: User,
  input: NewComment,
  placement: Placement = { kind: 'alone' },
): { readonly note: Note } | { readonly done: readonly string[] } {
  const { can } = commentable;
  if (!can.write) throw forbidden(undefined, 'the caller cannot comment here', 'note.create');
  const first = placement.kind === 'reply' ? placement.to[0] : undefined;
  const internal = first === undefined ? (input.internal ?? false) : first.internal === 1;
  if (internal && !can.writeInternal)
    throw forbidden(undefined, 'internal notes require at least the reporter role', 'note.internal');
  checkBody(input.body);
  const { text, actions } = splitQuickActions(input.body, commentable.quickActions);
  if (actions.length > MAX_QUICK_ACTIONS) {
    throw badRequest(
      `A comment can have at most ${MAX_QUICK_ACTIONS} quick actions`,
      'no quick action was applied; split them over several comments',
    );
  }
  return core.store.transaction(() => {
    const done = actions.length === 0 ? [] : commentable.act(author, actions);
    if (text === '') return { done };
    // A reply to a standalone comment turns it into a thread.
    if (first?.type === null) writeNoteType(core.store, first.id, 'DiscussionNote');
    const position = placement.kind === 'thread' ? placement.position : undefined;
    const note = addNote(core, commentable.noteable, {
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

/** @throws {Refused} for a comment without text. */
export function checkBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}', 'the comment is empty');
}

/**
 * Resolves or reopens those of some notes that are resolvable.
 *
 * @throws {Forbidden} without access.
 */
export function resolveNotes(core: Core, commentable: Commentable, by: User, notes: readonly Note[], resolved: boolean): void {
  if (!commentable.can.resolve)
    throw forbidden(undefined, 'resolving threads requires at least the developer role, or being the author', 'note.resolve');
  const at = core.clock.now();
  const affected = notes.filter((note) => isResolvable(note) && (note.resolved_at === null) === resolved);
  if (affected.length === 0) return;
  core.store.transaction(() => {
    writeResolution(
      core.store,
      affected.map((note) => note.id),
      resolved ? { userId: by.id, at } : null,
    );
    commentable.resolved?.(by);
  });
}

export function rewriteNote(core: Core, note: Note, body: string): Note {
  const now = core.clock.now();
  writeNoteBody(core.store, note.id, body, now);
  return { ...note, body, updated_at: now };
}

/** Deletes a note and, through a trigger of the schema, its activity event. */
export function deleteNote(core: Core, note: Note): void {
  deleteNoteRow(core.store, note.id);
}

/** Returns accessors for a page of notes and their count, for `offsetResponse`. */
export function noteList(
  core: Core,
  filter: NoteFilter,
  order: 'created_at' | 'updated_at',
  sort: 'asc' | 'desc',
): { count(cap: number): number; rows(limit: number, offset: number): readonly Note[] } {
  return {
    count: (cap) => countNotes(core.store, filter, cap),
    rows: (limit, offset) => listNotes(core.store, filter, { order, sort, limit, offset }),
  };
}

/** Returns accessors for a page of discussions with their notes, and their count. */
export function discussionList(
  core: Core,
  filter: NoteFilter,
): { count(cap: number): number; rows(limit: number, offset: number): readonly (readonly Note[])[] } {
  return {
    count: (cap) => countDiscussions(core.store, filter, cap),
    rows: (limit, offset) => {
      const ids = listDiscussionIds(core.store, filter, limit, offset);
      const notes = Map.groupBy(notesOfDiscussions(core.store, filter, ids), (note) => note.discussion_id);
      return ids.map((id) => notes.get(id) ?? []);
    },
  };
}

/** Returns the visible notes of a discussion; empty if it does not exist. */
export function discussionNotes(core: Core, filter: NoteFilter, id: string): readonly Note[] {
  return notesOfDiscussions(core.store, filter, [id]);
}
