import { listOf } from '../http/answers.ts';
import { badRequest, forbidden, recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { boolean, fallback, integer, oneOf, required, string, time } from '../http/params.ts';
import { Prepared, type Route } from '../http/route.ts';
import { peopleOf, type User } from '../identity/identity.ts';
import { deleteNote, findNote, type Note, noteAnswer, noteList, presentNote, rewriteNote } from '../notes/notes.ts';
import type { Platform } from '../platform.ts';
import { type FoundProject, holdsRole, projectRoute } from '../projects/projects.ts';
import { commentOnIssue, type Issue, noteableOf } from './issues.ts';

type FindIssue = (found: FoundProject, iid: number, user: User | undefined) => Issue;

/** Comments and system notes of issues. All of it needs a token, as on the real platform. */
export function issueNoteRoutes(platform: Platform, findIssue: FindIssue): Route[] {
  const facts = { clause: 'Activity events', status: 'inferred', key: 'iid' } as const;
  const one = '/api/v4/projects/:id/issues/:issue_iid/notes/:note_id';
  const all = '/api/v4/projects/:id/issues/:issue_iid/notes';
  const issuePath = () => ({ id: required(string), issue_iid: required(integer) });
  const notePath = () => ({ ...issuePath(), note_id: required(integer) });

  const mustFind = (found: FoundProject, issue: Issue, id: number): Note => {
    const note = findNote(platform, noteableOf(issue), id);
    if (note === undefined || (note.internal === 1 && !found.can.readConfidential)) {
      throw recordNotFound('no such note, or the caller may not see it');
    }
    return note;
  };

  const mustAdminister = (found: FoundProject, note: Note, user: User): void => {
    const isAble = note.author_id === user.id || holdsRole(found.standing, 'maintainer');
    if (note.system === 1 || !isAble || !found.can.writeIssues) {
      throw forbidden(undefined, 'only its author and maintainers change a comment, and nobody a system note', 'note.administer');
    }
  };

  const present = (note: Note, baseUrl: string): unknown => presentNote(note, peopleOf(platform, baseUrl)(note.author_id));

  return [
    projectRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: all,
        body: listOf(noteAnswer),
        params: () => ({
          ...issuePath(),
          order_by: fallback<'created_at' | 'updated_at'>('created_at', oneOf(['created_at', 'updated_at'])),
          sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
          activity_filter: fallback<'all_notes' | 'only_comments' | 'only_activity'>(
            'all_notes',
            oneOf(['all_notes', 'only_comments', 'only_activity']),
          ),
          ...pageParameters(),
        }),
      },
      'visible',
      (request) => {
        const { params } = request;
        const issue = findIssue(request, params.issue_iid, request.caller.user);
        const filter = {
          noteable: noteableOf(issue),
          withInternal: request.can.readConfidential,
          system: params.activity_filter === 'all_notes' ? undefined : params.activity_filter === 'only_activity',
        };
        const person = peopleOf(platform, request.baseUrl);
        return new Prepared(
          offsetAnswer(request, params, noteList(platform, filter, params.order_by, params.sort), (note) =>
            presentNote(note, person(note.author_id)),
          ),
        );
      },
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'POST',
        path: all,
        body: noteAnswer,
        params: () => ({
          ...issuePath(),
          body: required(string),
          internal: boolean(),
          confidential: boolean(),
          created_at: time(),
        }),
      },
      'visible',
      (request) => {
        const { params, caller } = request;
        const issue = findIssue(request, params.issue_iid, caller.user);
        checkBody(params.body);
        const note = commentOnIssue(platform, request, issue, caller.user, {
          body: params.body,
          internal: params.internal ?? params.confidential ?? false,
          createdAt: params.created_at,
        });
        return present(note, request.baseUrl);
      },
    ),
    projectRoute(platform, { ...facts, method: 'GET', path: one, body: noteAnswer, params: notePath }, 'visible', (request) => {
      const issue = findIssue(request, request.params.issue_iid, request.caller.user);
      return present(mustFind(request, issue, request.params.note_id), request.baseUrl);
    }),
    projectRoute(
      platform,
      { ...facts, method: 'PUT', path: one, body: noteAnswer, params: () => ({ ...notePath(), body: string() }) },
      'visible',
      (request) => {
        const { params, caller } = request;
        const issue = findIssue(request, params.issue_iid, caller.user);
        const note = mustFind(request, issue, params.note_id);
        mustAdminister(request, note, caller.user);
        if (params.body === undefined) return present(note, request.baseUrl);
        checkBody(params.body);
        return present(rewriteNote(platform, note, params.body), request.baseUrl);
      },
    ),
    projectRoute(platform, { ...facts, method: 'DELETE', path: one, params: notePath }, 'visible', (request) => {
      const issue = findIssue(request, request.params.issue_iid, request.caller.user);
      const note = mustFind(request, issue, request.params.note_id);
      mustAdminister(request, note, request.caller.user);
      deleteNote(platform, note);
    }),
  ];
}

function checkBody(body: string): void {
  if (body.trim() === '') throw badRequest('Note {:note=>["can\'t be blank"]}', 'the comment is empty');
}
