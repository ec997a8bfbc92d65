import type { GitCore } from '../../repositories/repositories.ts';
import { findCommit, openRepository } from '../git/git.ts';
import { descendantsOf } from '../../repositories/objects.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { accessOf, type FoundProject, openProjectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { listedMergeRequest } from './responses.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequests } from './present.ts';
import { listMergeRequests, type MergeRequestFilter } from './store.ts';

/** Maximum number of merge requests searched for a commit, the newest first. */
const MAX_SEARCHED = 1000;
/** Maximum number of commits searched. */
const MAX_COMMITS = 100_000;

const states = ['opened', 'closed', 'locked', 'merged', 'all'] as const;

const listMergeRequestsOfCommitParameters = () => ({
  id: required(string),
  sha: required(string),
  state: fallback<(typeof states)[number]>('all', oneOf(states)),
  ...pageParameters(),
});

/** The merge requests that contain a commit. */
export function mergeRequestsOfCommitRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/commits/:sha/merge_requests',
        specRef: 'Merge requests',
        status: 'inferred',
        key: 'id',
        body: listOf(listedMergeRequest),
        params: listMergeRequestsOfCommitParameters,
      },
      (request) => listMergeRequestsOfCommit(core, request),
    ),
  ];
}

async function listMergeRequestsOfCommit(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof listMergeRequestsOfCommitParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params, project, caller, baseUrl } = request;
  if (!request.can.readCode)
    throw forbidden(undefined, 'viewing the code of a private project requires at least the reporter role', 'ability.readCode');
  const commit = await findCommit(core, project, params.sha);
  const repository = await openRepository(core, project);
  if (commit === undefined || repository === undefined) throw notFound('Commit');
  const filter: MergeRequestFilter = {
    viewer: viewerId(caller),
    readable: readableCodeSql(accessOf(caller)),
    projectId: project.id,
    state: params.state === 'all' ? undefined : params.state,
    is: {},
    not: {},
    today: '',
  };
  const page = { order: 'created_at', sort: 'desc', limit: MAX_SEARCHED, offset: 0 } as const;
  const all = listMergeRequests(core.store, filter, page);
  const heads = [...new Set(all.flatMap((one) => [one.head_sha, one.start_sha]))];
  const descendants = heads.length === 0 ? new Set() : await descendantsOf(repository, commit, heads, MAX_COMMITS);
  const rows = all.filter(
    (one) =>
      one.merge_commit_sha === commit.id ||
      one.squash_commit_sha === commit.id ||
      (descendants.has(one.head_sha) && !descendants.has(one.start_sha)),
  );
  const items = presentMergeRequests(core, rows, { caller, baseUrl });
  return new RawResponse(offsetResponse(request, params, pageOf(items), (item) => item));
}
