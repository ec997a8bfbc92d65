import type * as z from 'zod';
import { listOf } from '../http/responses.ts';
import { jsonResponse } from '../http/requestContext.ts';
import { badRequest, forbidden, invalidParameters, notFound, recordNotFound } from '../http/failures.ts';
import { offsetResponse, pageParameters } from '../http/pagination.ts';
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
} from '../http/params.ts';
import { RawResponse, type Route, type SignedInRequest, type userRoute } from '../http/route.ts';
import { peopleOf, type User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
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

/** Rows here name the project or group as `:id`. */
interface Named {
  readonly id: Parameter<string>;
}

type Row<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[1], 'params'> & { readonly params: () => Shape };

/** A kind of thing that has notes. */
export interface CommentableKind {
  /** Path of one, such as `/api/v4/projects/:id/issues/:issue_iid`. */
  readonly path: string;
  /** Its number in the path, by the name of the parameter. */
  readonly number: () => Readonly<Record<string, Parameter<number>>>;
  readonly key: 'id' | 'iid';
  /** Whether threads on it are resolved. */
  readonly hasResolution: boolean;
  /** A route for people who see what it belongs to; throws 404 when they do not see the thing itself. */
  route<Shape extends ParameterSet & Named>(
    row: Row<Shape>,
    handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>, commentable: Commentable) => unknown,
  ): Route;
}

/** Comments, system notes and discussions of one kind of thing. All of it needs a token, as on the real platform. */
export function noteRoutes(platform: Platform, kind: CommentableKind): Route[] {
  const metadata = { specRef: 'Comments', status: 'inferred', key: kind.key } as const;
  const all = `${kind.path}/notes`;
  const one = `${all}/:note_id`;
  const discussions = `${kind.path}/discussions`;
  const discussion = `${discussions}/:discussion_id`;
  const responses = `${discussion}/notes`;
  const response = `${responses}/:note_id`;
  const pathParameters = () => ({ ...kind.number(), id: required(string) });
  const notePlace = () => ({ ...pathParameters(), note_id: required(integer) });
  const discussionPlace = () => ({ ...pathParameters(), discussion_id: required(string) });
  const newComment = () => ({ body: required(string), created_at: time() });
  const written = { body: noteResponse, also: { successStatus: 202, body: noteCommands } } as const;

  const present = (note: Note, baseUrl: string): unknown => presentNote(note, peopleOf(platform, baseUrl));
  const presentThread = (notes: readonly Note[], baseUrl: string): unknown =>
    presentDiscussion(notes, peopleOf(platform, baseUrl));
  const filterOf = (commentable: Commentable) => ({ noteable: commentable.noteable, withInternal: commentable.can.readInternal });

  const mustFind = (commentable: Commentable, id: number, discussionId?: string): Note => {
    const note = findNote(platform, commentable.noteable, id);
    const isElsewhere = discussionId !== undefined && note?.discussion_id !== discussionId;
    if (note === undefined || isElsewhere || (note.internal === 1 && !commentable.can.readInternal)) {
      throw recordNotFound('no such note, or the caller may not see it');
    }
    return note;
  };

  const mustFindThread = (commentable: Commentable, id: string, what = 'Discussion'): readonly Note[] => {
    const notes = discussionNotes(platform, filterOf(commentable), id);
    if (notes.length === 0) throw notFound(what);
    return notes;
  };

  const mustAdminister = (commentable: Commentable, note: Note, user: User): void => {
    const isAble = note.author_id === user.id || commentable.can.administer;
    if (note.system === 1 || !isAble || !commentable.can.write) {
      throw forbidden(undefined, 'only its author and maintainers change a comment, and nobody a system note', 'note.administer');
    }
  };

  /** The answer of a comment: the note, its thread, or what its quick actions did. */
  const responseOf = async (
    commentable: Commentable,
    made: ReturnType<typeof comment>,
    show: (note: Note) => unknown,
  ): Promise<unknown> => {
    await commentable.settled?.();
    return 'note' in made ? show(made.note) : new RawResponse(jsonResponse(202, { commands_changes: {}, summary: made.done }));
  };

  return [
    kind.route(
      {
        ...metadata,
        method: 'GET',
        path: all,
        body: listOf(noteResponse),
        params: () => ({
          ...pathParameters(),
          order_by: fallback<'created_at' | 'updated_at'>('created_at', oneOf(['created_at', 'updated_at'])),
          sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
          activity_filter: fallback<'all_notes' | 'only_comments' | 'only_activity'>(
            'all_notes',
            oneOf(['all_notes', 'only_comments', 'only_activity']),
          ),
          ...pageParameters(),
        }),
      },
      (request, commentable) => {
        const { params } = request;
        const system = params.activity_filter === 'all_notes' ? undefined : params.activity_filter === 'only_activity';
        const list = noteList(platform, { ...filterOf(commentable), system }, params.order_by, params.sort);
        const person = peopleOf(platform, request.baseUrl);
        return new RawResponse(offsetResponse(request, params, list, (note) => presentNote(note, person)));
      },
    ),
    kind.route(
      {
        ...metadata,
        ...written,
        method: 'POST',
        path: all,
        params: () => ({ ...pathParameters(), ...newComment(), internal: boolean(), confidential: boolean() }),
      },
      (request, commentable) => {
        const { params, caller } = request;
        const made = comment(platform, commentable, caller.user, {
          body: params.body,
          internal: params.internal ?? params.confidential ?? false,
          createdAt: params.created_at,
        });
        return responseOf(commentable, made, (note) => present(note, request.baseUrl));
      },
    ),
    kind.route(
      { ...metadata, method: 'GET', path: one, body: noteResponse, params: notePlace },
      ({ params, baseUrl }, commentable) => present(mustFind(commentable, params.note_id), baseUrl),
    ),
    kind.route(
      { ...metadata, method: 'PUT', path: one, body: noteResponse, params: () => ({ ...notePlace(), body: string() }) },
      ({ params, caller, baseUrl }, commentable) => {
        const note = mustFind(commentable, params.note_id);
        mustAdminister(commentable, note, caller.user);
        if (params.body === undefined) return present(note, baseUrl);
        checkBody(params.body);
        return present(rewriteNote(platform, note, params.body), baseUrl);
      },
    ),
    kind.route({ ...metadata, method: 'DELETE', path: one, params: notePlace }, ({ params, caller }, commentable) => {
      const note = mustFind(commentable, params.note_id);
      mustAdminister(commentable, note, caller.user);
      deleteNote(platform, note);
    }),
    kind.route(
      {
        ...metadata,
        method: 'GET',
        path: discussions,
        body: listOf(discussionResponse),
        params: () => ({ ...pathParameters(), ...pageParameters() }),
      },
      (request, commentable) => {
        const person = peopleOf(platform, request.baseUrl);
        const list = discussionList(platform, filterOf(commentable));
        return new RawResponse(offsetResponse(request, request.params, list, (notes) => presentDiscussion(notes, person)));
      },
    ),
    kind.route(
      {
        ...metadata,
        method: 'POST',
        path: discussions,
        body: discussionResponse,
        also: written.also,
        params: () => ({
          ...pathParameters(),
          ...newComment(),
          position: kind.hasResolution ? positionParameter() : absent<Position>(),
        }),
      },
      async (request, commentable) => {
        const { params, caller, baseUrl } = request;
        const { position } = params;
        if (position !== undefined) await commentable.checkPosition?.(position);
        const input = { body: params.body, createdAt: params.created_at };
        const made = comment(platform, commentable, caller.user, input, { kind: 'thread', position });
        return responseOf(commentable, made, (note) => presentThread([note], baseUrl));
      },
    ),
    kind.route(
      { ...metadata, method: 'GET', path: discussion, body: discussionResponse, params: discussionPlace },
      ({ params, baseUrl }, commentable) => presentThread(mustFindThread(commentable, params.discussion_id), baseUrl),
    ),
    ...(kind.hasResolution
      ? [
          kind.route(
            {
              ...metadata,
              method: 'PUT',
              path: discussion,
              body: discussionResponse,
              params: () => ({ ...discussionPlace(), resolved: required(boolean) }),
            },
            ({ params, caller, baseUrl }, commentable) => {
              const notes = mustFindThread(commentable, params.discussion_id);
              resolveNotes(platform, commentable, caller.user, notes, params.resolved);
              return presentThread(mustFindThread(commentable, params.discussion_id), baseUrl);
            },
          ),
        ]
      : []),
    kind.route(
      { ...metadata, method: 'GET', path: responses, body: listOf(noteResponse), params: discussionPlace },
      ({ params, baseUrl }, commentable) => {
        const person = peopleOf(platform, baseUrl);
        return mustFindThread(commentable, params.discussion_id, 'Notes').map((note) => presentNote(note, person));
      },
    ),
    kind.route(
      { ...metadata, ...written, method: 'POST', path: responses, params: () => ({ ...discussionPlace(), ...newComment() }) },
      ({ params, caller, baseUrl }, commentable) => {
        const to = mustFindThread(commentable, params.discussion_id);
        if (to[0]?.system === 1) throw badRequest('Discussion can not be replied to.', 'nobody answers a system note');
        const input = { body: params.body, createdAt: params.created_at };
        const made = comment(platform, commentable, caller.user, input, { kind: 'reply', to });
        return responseOf(commentable, made, (note) => present(note, baseUrl));
      },
    ),
    kind.route(
      {
        ...metadata,
        method: 'GET',
        path: response,
        body: noteResponse,
        params: () => ({ ...discussionPlace(), note_id: required(integer) }),
      },
      ({ params, baseUrl }, commentable) => present(mustFind(commentable, params.note_id, params.discussion_id), baseUrl),
    ),
    kind.route(
      {
        ...metadata,
        method: 'PUT',
        path: response,
        body: noteResponse,
        params: () => ({
          ...discussionPlace(),
          note_id: required(integer),
          body: string(),
          resolved: kind.hasResolution ? boolean() : absent<boolean>(),
        }),
      },
      ({ params, caller, baseUrl }, commentable) => {
        const note = mustFind(commentable, params.note_id, params.discussion_id);
        const { body, resolved } = params;
        if (body !== undefined && resolved !== undefined) throw invalidParameters(['body, resolved are mutually exclusive']);
        if (resolved !== undefined) {
          if (!isResolvable(note)) throw forbidden(undefined, 'only notes of threads are resolved', 'note.resolve');
          resolveNotes(platform, commentable, caller.user, [note], resolved);
          return present(mustFind(commentable, note.id), baseUrl);
        }
        if (body === undefined) throw invalidParameters([missing(kind)]);
        mustAdminister(commentable, note, caller.user);
        checkBody(body);
        return present(rewriteNote(platform, note, body), baseUrl);
      },
    ),
    kind.route(
      {
        ...metadata,
        method: 'DELETE',
        path: response,
        params: () => ({ ...discussionPlace(), note_id: required(integer) }),
      },
      ({ params, caller }, commentable) => {
        const note = mustFind(commentable, params.note_id, params.discussion_id);
        mustAdminister(commentable, note, caller.user);
        deleteNote(platform, note);
      },
    ),
  ];
}

function missing({ hasResolution }: CommentableKind): string {
  return hasResolution ? 'body, resolved are missing, exactly one parameter must be provided' : 'body is missing';
}
