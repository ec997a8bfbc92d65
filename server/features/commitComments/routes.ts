import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { findCommit } from '../git/git.ts';
import { forbidden, invalidParameters, notFound, refusedChange } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { comment, type Commentable, type Note, noteList, noteRoutes, readPosition } from '../notes/notes.ts';
import { type FoundProject, openProjectRoute, projectRoute, type ProjectRequest } from '../projectAccess/projectAccess.ts';
import { commentableCommit, commitNoteable, positionOf } from './commentable.ts';
import { commitComment } from './responses.ts';

const PATH = '/api/v4/projects/:id/repository/commits/:sha';

const metadata = { specRef: 'Commit comments', status: 'inferred', key: 'id' } as const;

const showCommentsParameters = () => ({ id: required(string), sha: required(string), ...pageParameters() });

const addCommentParameters = () => ({
  id: required(string),
  sha: required(string),
  note: required(string),
  path: string(),
  line: integer(),
  line_type: fallback<'new' | 'old'>('new', oneOf(['new', 'old'])),
});

/** Comments and discussions on commits, for everyone who can read the code. */
export function commitCommentRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/comments`, body: listOf(commitComment), params: showCommentsParameters },
      (request) => showComments(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/comments`, body: commitComment, params: addCommentParameters },
      'visible',
      (request) => addComment(core, request),
    ),
    ...noteRoutes(core, {
      path: PATH,
      number: () => ({ sha: required(string) }),
      key: 'id',
      hasResolution: false,
      isCommit: true,
      route: (row, handle) =>
        projectRoute(row, 'visible', async (request) =>
          handle(request, await commentableOf(core, request, row.method === 'POST')),
        ),
    }),
  ];
}

/** Returns the commit of a path as a commentable. */
async function commentableOf(core: GitCore, request: ProjectRequest<unknown>, isPost: boolean): Promise<Commentable> {
  const commit = await mustFind(core, request, request.context.pathParameters['sha'] ?? '');
  return commentableCommit(core, request, commit, isPost);
}

async function showComments(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showCommentsParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params, project, baseUrl } = request;
  const commit = await mustFind(core, request, params.sha);
  const filter = { noteable: commitNoteable(core, project, commit.id), withInternal: false, system: false };
  const list = noteList(core, filter, 'created_at', 'asc');
  return new RawResponse(offsetResponse(request, params, list, (note) => present(core, note, baseUrl)));
}

async function addComment(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof addCommentParameters>>,
): Promise<ResponseOf<typeof commitComment>> {
  const { params, project, caller, baseUrl } = request;
  const { path = '', line, line_type: side } = params;
  if (path !== '' && line === undefined) throw invalidParameters(['line is missing']);
  const commit = await mustFind(core, request, params.sha);
  if (params.note.trim() === '') throw refusedChange('Failed to save note {:note=>["can\'t be blank"]}', 'the comment is empty');
  const position = path === '' || line === undefined ? undefined : await positionOf(core, project, commit, { path, side, line });
  const made = comment(
    core,
    commentableCommit(core, request, commit, true),
    caller.user,
    { body: params.note },
    position === undefined ? { kind: 'alone' } : { kind: 'thread', position },
  );
  if (!('note' in made)) throw new Error('a comment on a commit has no quick actions');
  return present(core, made.note, baseUrl);
}

async function mustFind(core: GitCore, found: FoundProject, sha: string) {
  if (!found.can.readCode) {
    throw forbidden(undefined, 'viewing the code of a private project requires at least the reporter role', 'ability.readCode');
  }
  const commit = await findCommit(core, found.project, sha);
  if (commit === undefined) throw notFound('Commit');
  return commit;
}

function present(core: GitCore, note: Note, baseUrl: string): ResponseOf<typeof commitComment> {
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
}
