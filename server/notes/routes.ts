import type * as z from 'zod';
import { listOf } from '../http/answers.ts';
import { jsonAnswer } from '../http/exchange.ts';
import { badRequest, forbidden, invalidParameters, notFound, recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
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
import { Prepared, type Route, type SignedInRequest, type userRoute } from '../http/route.ts';
import { peopleOf, type User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { discussionAnswer, noteAnswer, noteCommands } from './answers.ts';
import {
  checkBody,
  comment,
  deleteNote,
  discussionList,
  discussionNotes,
  findNote,
  type Note,
  type Noted,
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
export interface NotedKind {
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
    handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>, noted: Noted) => unknown,
  ): Route;
}

/** Comments, system notes and discussions of one kind of thing. All of it needs a token, as on the real platform. */
export function noteRoutes(platform: Platform, kind: NotedKind): Route[] {
  const facts = { specRef: 'Comments', status: 'inferred', key: kind.key } as const;
  const all = `${kind.path}/notes`;
  const one = `${all}/:note_id`;
  const discussions = `${kind.path}/discussions`;
  const discussion = `${discussions}/:discussion_id`;
  const answers = `${discussion}/notes`;
  const answer = `${answers}/:note_id`;
  const place = () => ({ ...kind.number(), id: required(string) });
  const notePlace = () => ({ ...place(), note_id: required(integer) });
  const discussionPlace = () => ({ ...place(), discussion_id: required(string) });
  const newComment = () => ({ body: required(string), created_at: time() });
  const written = { body: noteAnswer, also: { answer: 202, body: noteCommands } } as const;

  const present = (note: Note, baseUrl: string): unknown => presentNote(note, peopleOf(platform, baseUrl));
  const presentThread = (notes: readonly Note[], baseUrl: string): unknown =>
    presentDiscussion(notes, peopleOf(platform, baseUrl));
  const filterOf = (noted: Noted) => ({ noteable: noted.noteable, withInternal: noted.can.readInternal });

  const mustFind = (noted: Noted, id: number, discussionId?: string): Note => {
    const note = findNote(platform, noted.noteable, id);
    const isElsewhere = discussionId !== undefined && note?.discussion_id !== discussionId;
    if (note === undefined || isElsewhere || (note.internal === 1 && !noted.can.readInternal)) {
      throw recordNotFound('no such note, or the caller may not see it');
    }
    return note;
  };

  const mustFindThread = (noted: Noted, id: string, what = 'Discussion'): readonly Note[] => {
    const notes = discussionNotes(platform, filterOf(noted), id);
    if (notes.length === 0) throw notFound(what);
    return notes;
  };

  const mustAdminister = (noted: Noted, note: Note, user: User): void => {
    const isAble = note.author_id === user.id || noted.can.administer;
    if (note.system === 1 || !isAble || !noted.can.write) {
      throw forbidden(undefined, 'only its author and maintainers change a comment, and nobody a system note', 'note.administer');
    }
  };

  /** The answer of a comment: the note, its thread, or what its quick actions did. */
  const answerOf = async (noted: Noted, made: ReturnType<typeof comment>, show: (note: Note) => unknown): Promise<unknown> => {
    await noted.settled?.();
    return 'note' in made ? show(made.note) : new Prepared(jsonAnswer(202, { commands_changes: {}, summary: made.done }));
  };

  return [
    kind.route(
      {
        ...facts,
        method: 'GET',
        path: all,
        body: listOf(noteAnswer),
        params: () => ({
          ...place(),
          order_by: fallback<'created_at' | 'updated_at'>('created_at', oneOf(['created_at', 'updated_at'])),
          sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
          activity_filter: fallback<'all_notes' | 'only_comments' | 'only_activity'>(
            'all_notes',
            oneOf(['all_notes', 'only_comments', 'only_activity']),
          ),
          ...pageParameters(),
        }),
      },
      (request, noted) => {
        const { params } = request;
        const system = params.activity_filter === 'all_notes' ? undefined : params.activity_filter === 'only_activity';
        const list = noteList(platform, { ...filterOf(noted), system }, params.order_by, params.sort);
        const person = peopleOf(platform, request.baseUrl);
        return new Prepared(offsetAnswer(request, params, list, (note) => presentNote(note, person)));
      },
    ),
    kind.route(
      {
        ...facts,
        ...written,
        method: 'POST',
        path: all,
        params: () => ({ ...place(), ...newComment(), internal: boolean(), confidential: boolean() }),
      },
      (request, noted) => {
        const { params, caller } = request;
        const made = comment(platform, noted, caller.user, {
          body: params.body,
          internal: params.internal ?? params.confidential ?? false,
          createdAt: params.created_at,
        });
        return answerOf(noted, made, (note) => present(note, request.baseUrl));
      },
    ),
    kind.route({ ...facts, method: 'GET', path: one, body: noteAnswer, params: notePlace }, ({ params, baseUrl }, noted) =>
      present(mustFind(noted, params.note_id), baseUrl),
    ),
    kind.route(
      { ...facts, method: 'PUT', path: one, body: noteAnswer, params: () => ({ ...notePlace(), body: string() }) },
      ({ params, caller, baseUrl }, noted) => {
        const note = mustFind(noted, params.note_id);
        mustAdminister(noted, note, caller.user);
        if (params.body === undefined) return present(note, baseUrl);
        checkBody(params.body);
        return present(rewriteNote(platform, note, params.body), baseUrl);
      },
    ),
    kind.route({ ...facts, method: 'DELETE', path: one, params: notePlace }, ({ params, caller }, noted) => {
      const note = mustFind(noted, params.note_id);
      mustAdminister(noted, note, caller.user);
      deleteNote(platform, note);
    }),
    kind.route(
      {
        ...facts,
        method: 'GET',
        path: discussions,
        body: listOf(discussionAnswer),
        params: () => ({ ...place(), ...pageParameters() }),
      },
      (request, noted) => {
        const person = peopleOf(platform, request.baseUrl);
        const list = discussionList(platform, filterOf(noted));
        return new Prepared(offsetAnswer(request, request.params, list, (notes) => presentDiscussion(notes, person)));
      },
    ),
    kind.route(
      {
        ...facts,
        method: 'POST',
        path: discussions,
        body: discussionAnswer,
        also: written.also,
        params: () => ({ ...place(), ...newComment(), position: kind.hasResolution ? positionParameter() : absent<Position>() }),
      },
      async (request, noted) => {
        const { params, caller, baseUrl } = request;
        const { position } = params;
        if (position !== undefined) await noted.checkPosition?.(position);
        const wish = { body: params.body, createdAt: params.created_at };
        const made = comment(platform, noted, caller.user, wish, { kind: 'thread', position });
        return answerOf(noted, made, (note) => presentThread([note], baseUrl));
      },
    ),
    kind.route(
      { ...facts, method: 'GET', path: discussion, body: discussionAnswer, params: discussionPlace },
      ({ params, baseUrl }, noted) => presentThread(mustFindThread(noted, params.discussion_id), baseUrl),
    ),
    ...(kind.hasResolution
      ? [
          kind.route(
            {
              ...facts,
              method: 'PUT',
              path: discussion,
              body: discussionAnswer,
              params: () => ({ ...discussionPlace(), resolved: required(boolean) }),
            },
            ({ params, caller, baseUrl }, noted) => {
              const notes = mustFindThread(noted, params.discussion_id);
              resolveNotes(platform, noted, caller.user, notes, params.resolved);
              return presentThread(mustFindThread(noted, params.discussion_id), baseUrl);
            },
          ),
        ]
      : []),
    kind.route(
      { ...facts, method: 'GET', path: answers, body: listOf(noteAnswer), params: discussionPlace },
      ({ params, baseUrl }, noted) => {
        const person = peopleOf(platform, baseUrl);
        return mustFindThread(noted, params.discussion_id, 'Notes').map((note) => presentNote(note, person));
      },
    ),
    kind.route(
      { ...facts, ...written, method: 'POST', path: answers, params: () => ({ ...discussionPlace(), ...newComment() }) },
      ({ params, caller, baseUrl }, noted) => {
        const to = mustFindThread(noted, params.discussion_id);
        if (to[0]?.system === 1) throw badRequest('Discussion can not be replied to.', 'nobody answers a system note');
        const wish = { body: params.body, createdAt: params.created_at };
        const made = comment(platform, noted, caller.user, wish, { kind: 'answer', to });
        return answerOf(noted, made, (note) => present(note, baseUrl));
      },
    ),
    kind.route(
      {
        ...facts,
        method: 'GET',
        path: answer,
        body: noteAnswer,
        params: () => ({ ...discussionPlace(), note_id: required(integer) }),
      },
      ({ params, baseUrl }, noted) => present(mustFind(noted, params.note_id, params.discussion_id), baseUrl),
    ),
    kind.route(
      {
        ...facts,
        method: 'PUT',
        path: answer,
        body: noteAnswer,
        params: () => ({
          ...discussionPlace(),
          note_id: required(integer),
          body: string(),
          resolved: kind.hasResolution ? boolean() : absent<boolean>(),
        }),
      },
      ({ params, caller, baseUrl }, noted) => {
        const note = mustFind(noted, params.note_id, params.discussion_id);
        const { body, resolved } = params;
        if (body !== undefined && resolved !== undefined) throw invalidParameters(['body, resolved are mutually exclusive']);
        if (resolved !== undefined) {
          if (!isResolvable(note)) throw forbidden(undefined, 'only notes of threads are resolved', 'note.resolve');
          resolveNotes(platform, noted, caller.user, [note], resolved);
          return present(mustFind(noted, note.id), baseUrl);
        }
        if (body === undefined) throw invalidParameters([missing(kind)]);
        mustAdminister(noted, note, caller.user);
        checkBody(body);
        return present(rewriteNote(platform, note, body), baseUrl);
      },
    ),
    kind.route(
      {
        ...facts,
        method: 'DELETE',
        path: answer,
        params: () => ({ ...discussionPlace(), note_id: required(integer) }),
      },
      ({ params, caller }, noted) => {
        const note = mustFind(noted, params.note_id, params.discussion_id);
        mustAdminister(noted, note, caller.user);
        deleteNote(platform, note);
      },
    ),
  ];
}

function missing({ hasResolution }: NotedKind): string {
  return hasResolution ? 'body, resolved are missing, exactly one parameter must be provided' : 'body is missing';
}
