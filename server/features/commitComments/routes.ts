import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { findCommit } from '../git/git.ts';
import { forbidden, notFound, refusedChange } from '../../core/errors.ts';
import { invalidParameters } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, required, string } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { peopleOf } from '../identity/identity.ts';
import { comment, type Note, noteList, noteRoutes, readPosition } from '../notes/notes.ts';
import { type FoundProject, openProjectRoute, projectRoute } from '../projects/projects.ts';
import { commentableCommit, commitNoteable, positionOf } from './commentable.ts';
import { commitComment } from './responses.ts';

const PATH = '/api/v4/projects/:id/repository/commits/:sha';

/** Comments and discussions on commits, for everyone who can read the code. */
export function commitCommentRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Commit comments', status: 'inferred', key: 'id' } as const;

  const mustFind = async (found: FoundProject, sha: string) => {
    if (!found.can.readCode) {
      throw forbidden(undefined, 'viewing the code of a private project requires at least the reporter role', 'ability.readCode');
    }
    const commit = await findCommit(core, found.project, sha);
    if (commit === undefined) throw notFound('Commit');
    return commit;
  };

  const present = (note: Note, baseUrl: string): ResponseOf<typeof commitComment> => {
    const position = note.position === null ? undefined : readPosition(note.position);
    const side = position === undefined ? null : position.new_line === null ? 'old' : 'new';
    return {
      note: note.body,
      path: position?.new_path ?? position?.old_path ?? null,
      line: position?.new_line ?? position?.old_line ?? null,
      line_type: side,
      author: peopleOf(core, baseUrl)(note.author_id),
      created_at: isoTime(note.created_at),
    };
  };

  return [
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${PATH}/comments`,
        body: listOf(commitComment),
        params: () => ({ id: required(string), sha: required(string), ...pageParameters() }),
      },
      async (request) => {
        const { params, project, baseUrl } = request;
        const commit = await mustFind(request, params.sha);
        const filter = { noteable: commitNoteable(core, project, commit.id), withInternal: false, system: false };
        const list = noteList(core, filter, 'created_at', 'asc');
        return new RawResponse(offsetResponse(request, params, list, (note) => present(note, baseUrl)));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${PATH}/comments`,
        body: commitComment,
        params: () => ({
          id: required(string),
          sha: required(string),
          note: required(string),
          path: string(),
          line: integer(),
          line_type: fallback<'new' | 'old'>('new', oneOf(['new', 'old'])),
        }),
      },
      'visible',
      async (request) => {
        const { params, project, caller, baseUrl } = request;
        const { path = '', line, line_type: side } = params;
        if (path !== '' && line === undefined) throw invalidParameters(['line is missing']);
        const commit = await mustFind(request, params.sha);
        if (params.note.trim() === '')
          throw refusedChange('Failed to save note {:note=>["can\'t be blank"]}', 'the comment is empty');
        const position =
          path === '' || line === undefined ? undefined : await positionOf(core, project, commit, { path, side, line });
        const made = comment(
          core,
          commentableCommit(core, request, commit, true),
          caller.user,
          { body: params.note },
          position === undefined ? { kind: 'alone' } : { kind: 'thread', position },
        );
        if (!('note' in made)) throw new Error('a comment on a commit has no quick actions');
        return present(made.note, baseUrl);
      },
    ),
    ...noteRoutes(core, {
      path: PATH,
      number: () => ({ sha: required(string) }),
      key: 'id',
      hasResolution: false,
      isCommit: true,
      route: (row, handle) =>
        projectRoute(row, 'visible', async (request) => {
          const commit = await mustFind(request, request.context.pathParameters['sha'] ?? '');
          return handle(request, commentableCommit(core, request, commit, row.method === 'POST'));
        }),
    }),
  ];
}
