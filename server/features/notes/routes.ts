import type * as z from 'zod';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { badRequest, forbidden, invalidParameters, notFound, recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import {
  absent,
  boolean,
  fallback,
  integer,
  oneOf,
  type Parameter,
  type ParameterSet,
  required,
  string,
  time,
  type ParametersOf,
} from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest, type userRoute } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { discussionResponse, noteResponse, noteCommands } from './responses.ts';
import {
  checkBody,
  comment,
  deleteNote,
  discussionList,
  discussionNotes,
  findNote,
  type Note,
  type Commentable,
  noteList,
  resolveNotes,
  rewriteNote,
} from './comments.ts';
import { type Position, positionParameter } from './position.ts';
import { presentDiscussion, presentNote } from './present.ts';
import { isResolvable } from './rules.ts';

/** All paths name the project or group as `:id`. */
interface Named {
  readonly id: Parameter<string>;
}

type NoteRoute<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[0], 'params'> & {
  readonly params: () => Shape;
};

/** A kind of resource that can have notes. */
export interface CommentableKind {
  /** Path of one resource, such as `/api/v4/projects/:id/issues/:issue_iid`. */
  readonly path: string;
  /** The path parameter with the ID or IID of the resource, or with the name of a commit. */
  readonly number: () => Readonly<Record<string, Parameter<number> | Parameter<string>>>;
  readonly key: 'id' | 'iid';
  /** True if its threads can be resolved. */
  readonly hasResolution: boolean;
  /** True for commits, whose comments can have positions, and which have discussions but no list of notes. */
  readonly isCommit?: boolean;
  /** Returns a route for users who can see the project or group; it throws `NotFound` if they cannot see the resource itself. */
  route<Shape extends ParameterSet & Named>(
    route: NoteRoute<Shape>,
    handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>, commentable: Commentable) => unknown,
  ): Route;
}

const pathParameters = (kind: CommentableKind) => ({ ...kind.number(), id: required(string) });
const noteParameters = (kind: CommentableKind) => ({ ...pathParameters(kind), note_id: required(integer) });
const discussionParameters = (kind: CommentableKind) => ({ ...pathParameters(kind), discussion_id: required(string) });
const newComment = () => ({ body: required(string), created_at: time() });
const listParameters = (kind: CommentableKind) => ({
  ...pathParameters(kind),
  order_by: fallback<'created_at' | 'updated_at'>('created_at', oneOf(['created_at', 'updated_at'])),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  activity_filter: fallback<'all_notes' | 'only_comments' | 'only_activity'>(
    'all_notes',
    oneOf(['all_notes', 'only_comments', 'only_activity']),
  ),
  ...pageParameters(),
});
const newParameters = (kind: CommentableKind) => ({
  ...pathParameters(kind),
  ...newComment(),
  internal: boolean(),
  confidential: boolean(),
});
const changedParameters = (kind: CommentableKind) => ({ ...noteParameters(kind), body: required(string) });
const discussionListParameters = (kind: CommentableKind) => ({ ...pathParameters(kind), ...pageParameters() });
const newDiscussionParameters = (kind: CommentableKind) => ({
  ...pathParameters(kind),
  ...newComment(),
  position: kind.hasResolution || kind.isCommit === true ? positionParameter() : absent<Position>(),
});
const resolveParameters = (kind: CommentableKind) => ({ ...discussionParameters(kind), resolved: required(boolean) });
const newReplyParameters = (kind: CommentableKind) => ({ ...discussionParameters(kind), ...newComment() });
const replyParameters = (kind: CommentableKind) => ({ ...discussionParameters(kind), note_id: required(integer) });
const changedReplyParameters = (kind: CommentableKind) => ({
  ...replyParameters(kind),
  body: string(),
  resolved: kind.hasResolution ? boolean() : absent<boolean>(),
});

/** Returns the routes of comments, system notes and discussions of one kind of resource. All require a token, as on GitLab. */
export function noteRoutes(core: Core, kind: CommentableKind): Route[] {
  const plain = { specRef: 'Comments', status: 'inferred', key: kind.key } as const;
  const metadata = kind.isCommit === true ? ({ ...plain, specRef: 'Commit comments' } as const) : plain;
  const all = `${kind.path}/notes`;
  const one = `${all}/:note_id`;
  const discussions = `${kind.path}/discussions`;
  const discussion = `${discussions}/:discussion_id`;
  const replies = `${discussion}/notes`;
  const reply = `${replies}/:note_id`;
  const written = { body: noteResponse, also: { successStatus: 202, body: noteCommands } } as const;
  const routes = [
    kind.route(
      { ...metadata, method: 'GET', path: all, body: listOf(noteResponse), params: () => listParameters(kind) },
      (request, commentable) => listNotes(core, request, commentable),
    ),
    kind.route(
      { ...metadata, ...written, method: 'POST', path: all, params: () => newParameters(kind) },
      (request, commentable) => createNote(core, request, commentable),
    ),
    kind.route(
      { ...metadata, method: 'GET', path: one, body: noteResponse, params: () => noteParameters(kind) },
      ({ params, baseUrl }, commentable) => present(core, mustFind(core, commentable, params.note_id), baseUrl),
    ),
    kind.route(
      { ...metadata, method: 'PUT', path: one, body: noteResponse, params: () => changedParameters(kind) },
      (request, commentable) => updateNote(core, request, commentable),
    ),
    kind.route({ ...metadata, method: 'DELETE', path: one, params: () => noteParameters(kind) }, (request, commentable) =>
      removeNote(core, request, commentable),
    ),
    kind.route(
      {
        ...metadata,
        method: 'GET',
        path: discussions,
        body: listOf(discussionResponse),
        params: () => discussionListParameters(kind),
      },
      (request, commentable) => listDiscussions(core, request, commentable),
    ),
    kind.route(
      {
        ...metadata,
        method: 'POST',
        path: discussions,
        body: discussionResponse,
        also: written.also,
        params: () => newDiscussionParameters(kind),
      },
      (request, commentable) => createDiscussion(core, request, commentable),
    ),
    kind.route(
      { ...metadata, method: 'GET', path: discussion, body: discussionResponse, params: () => discussionParameters(kind) },
      ({ params, baseUrl }, commentable) => presentThread(core, mustFindThread(core, commentable, params.discussion_id), baseUrl),
    ),
    ...(kind.hasResolution
      ? [
          kind.route(
            { ...metadata, method: 'PUT', path: discussion, body: discussionResponse, params: () => resolveParameters(kind) },
            (request, commentable) => resolveDiscussion(core, request, commentable),
          ),
        ]
      : []),
    kind.route(
      {
        ...metadata,
        method: 'GET',
        path: replies,
        body: listOf(noteResponse),
        params: () => discussionParameters(kind),
        pages: { by: 'none', because: 'GitLab returns all comments of a thread' },
      },
      (request, commentable) => listReplies(core, request, commentable),
    ),
    kind.route(
      { ...metadata, ...written, method: 'POST', path: replies, params: () => newReplyParameters(kind) },
      (request, commentable) => createReply(core, request, commentable),
    ),
    kind.route(
      { ...metadata, method: 'GET', path: reply, body: noteResponse, params: () => replyParameters(kind) },
      ({ params, baseUrl }, commentable) =>
        present(core, mustFind(core, commentable, params.note_id, params.discussion_id), baseUrl),
    ),
    kind.route(
      { ...metadata, method: 'PUT', path: reply, body: noteResponse, params: () => changedReplyParameters(kind) },
      (request, commentable) => updateReply(core, kind, request, commentable),
    ),
    kind.route({ ...metadata, method: 'DELETE', path: reply, params: () => replyParameters(kind) }, (request, commentable) =>
      removeReply(core, request, commentable),
    ),
  ];
  return kind.isCommit === true ? routes.filter(({ path }) => path.startsWith(discussions)) : routes;
}

function listNotes(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof listParameters>>,
  commentable: Commentable,
): RawResponse {
  const { params } = request;
  const system = params.activity_filter === 'all_notes' ? undefined : params.activity_filter === 'only_activity';
  const list = noteList(core, { ...filterOf(commentable), system }, params.order_by, params.sort);
  const person = peopleOf(core, request.baseUrl);
  return new RawResponse(offsetResponse(request, params, list, (note) => presentNote(note, person)));
}

function createNote(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof newParameters>>,
  commentable: Commentable,
): Promise<unknown> {
  const { params, caller } = request;
  const made = comment(core, commentable, caller.user, {
    body: params.body,
    internal: params.internal ?? params.confidential ?? false,
    createdAt: params.created_at,
  });
  return responseOf(commentable, made, (note) => present(core, note, request.baseUrl));
}

function updateNote(
  core: Core,
  { params, caller, baseUrl }: SignedInRequest<ParametersOf<typeof changedParameters>>,
  commentable: Commentable,
): ResponseOf<typeof noteResponse> {
  const note = mustFind(core, commentable, params.note_id);
  mustAdminister(commentable, note, caller.user);
  checkBody(params.body);
  return present(core, rewriteNote(core, note, params.body), baseUrl);
}

function removeNote(
  core: Core,
  { params, caller }: SignedInRequest<ParametersOf<typeof noteParameters>>,
  commentable: Commentable,
): void {
  const note = mustFind(core, commentable, params.note_id);
  mustAdminister(commentable, note, caller.user);
  deleteNote(core, note);
}

function listDiscussions(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof discussionListParameters>>,
  commentable: Commentable,
): RawResponse {
  const person = peopleOf(core, request.baseUrl);
  const list = discussionList(core, filterOf(commentable));
  return new RawResponse(offsetResponse(request, request.params, list, (notes) => presentDiscussion(notes, person)));
}

async function createDiscussion(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof newDiscussionParameters>>,
  commentable: Commentable,
): Promise<unknown> {
  const { params, caller, baseUrl } = request;
  const { position } = params;
  if (position !== undefined) await commentable.checkPosition?.(position);
  const input = { body: params.body, createdAt: params.created_at };
  const made = comment(core, commentable, caller.user, input, { kind: 'thread', position });
  return responseOf(commentable, made, (note) => presentThread(core, [note], baseUrl));
}

function resolveDiscussion(
  core: Core,
  { params, caller, baseUrl }: SignedInRequest<ParametersOf<typeof resolveParameters>>,
  commentable: Commentable,
): ResponseOf<typeof discussionResponse> {
  const notes = mustFindThread(core, commentable, params.discussion_id);
  resolveNotes(core, commentable, caller.user, notes, params.resolved);
  return presentThread(core, mustFindThread(core, commentable, params.discussion_id), baseUrl);
}

function listReplies(
  core: Core,
  { params, baseUrl }: SignedInRequest<ParametersOf<typeof discussionParameters>>,
  commentable: Commentable,
): unknown {
  const person = peopleOf(core, baseUrl);
  return mustFindThread(core, commentable, params.discussion_id, 'Notes').map((note) => presentNote(note, person));
}

function createReply(
  core: Core,
  { params, caller, baseUrl }: SignedInRequest<ParametersOf<typeof newReplyParameters>>,
  commentable: Commentable,
): Promise<unknown> {
  const to = mustFindThread(core, commentable, params.discussion_id);
  if (to[0]?.system === 1) throw badRequest('Discussion can not be replied to.', 'system notes cannot have replies');
  const input = { body: params.body, createdAt: params.created_at };
  const made = comment(core, commentable, caller.user, input, { kind: 'reply', to });
  return responseOf(commentable, made, (note) => present(core, note, baseUrl));
}

function updateReply(
  core: Core,
  kind: CommentableKind,
  { params, caller, baseUrl }: SignedInRequest<ParametersOf<typeof changedReplyParameters>>,
  commentable: Commentable,
): ResponseOf<typeof noteResponse> {
  const note = mustFind(core, commentable, params.note_id, params.discussion_id);
  const { body, resolved } = params;
  if (body !== undefined && resolved !== undefined) throw invalidParameters(['body, resolved are mutually exclusive']);
  if (resolved !== undefined) {
    if (!isResolvable(note)) throw forbidden(undefined, 'only notes in threads can be resolved', 'note.resolve');
    resolveNotes(core, commentable, caller.user, [note], resolved);
    return present(core, mustFind(core, commentable, note.id), baseUrl);
  }
  if (body === undefined) throw invalidParameters([missing(kind)]);
  mustAdminister(commentable, note, caller.user);
  checkBody(body);
  return present(core, rewriteNote(core, note, body), baseUrl);
}

function removeReply(
  core: Core,
  { params, caller }: SignedInRequest<ParametersOf<typeof replyParameters>>,
  commentable: Commentable,
): void {
  const note = mustFind(core, commentable, params.note_id, params.discussion_id);
  mustAdminister(commentable, note, caller.user);
  deleteNote(core, note);
}

function present(core: Core, note: Note, baseUrl: string): ResponseOf<typeof noteResponse> {
  return presentNote(note, peopleOf(core, baseUrl));
}

function presentThread(core: Core, notes: readonly Note[], baseUrl: string): ResponseOf<typeof discussionResponse> {
  return presentDiscussion(notes, peopleOf(core, baseUrl));
}

function filterOf(commentable: Commentable) {
  return { noteable: commentable.noteable, withInternal: commentable.can.readInternal };
}

function mustFind(core: Core, commentable: Commentable, id: number, discussionId?: string): Note {
  const note = findNote(core, commentable.noteable, id);
  const isInOtherDiscussion = discussionId !== undefined && note?.discussion_id !== discussionId;
  if (note === undefined || isInOtherDiscussion || (note.internal === 1 && !commentable.can.readInternal)) {
    throw recordNotFound('no such note, or it is not visible to the caller');
  }
  return note;
}

function mustFindThread(core: Core, commentable: Commentable, id: string, what = 'Discussion'): readonly Note[] {
  const notes = discussionNotes(core, filterOf(commentable), id);
  if (notes.length === 0) throw notFound(what);
  return notes;
}

function mustAdminister(commentable: Commentable, note: Note, user: User): void {
  const isAble = note.author_id === user.id || commentable.can.administer;
  if (note.system === 1 || !isAble || !commentable.can.write) {
    throw forbidden(
      undefined,
      'only the author and maintainers can change a comment, and nobody can change system notes',
      'note.administer',
    );
  }
}

/** Returns the response to a new comment: the note, its thread, or the messages of its quick actions. */
async function responseOf(
  commentable: Commentable,
  made: ReturnType<typeof comment>,
  show: (note: Note) => unknown,
): Promise<unknown> {
  await commentable.settled?.();
  return 'note' in made ? show(made.note) : new RawResponse(jsonResponse(202, { commands_changes: {}, summary: made.done }));
}

function missing({ hasResolution }: CommentableKind): string {
  return hasResolution ? 'body, resolved are missing, exactly one parameter must be provided' : 'body is missing';
}
