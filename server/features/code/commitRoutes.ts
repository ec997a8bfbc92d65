import type { GitCore } from '../../repositories/repositories.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { commitDetail, diff, listedCommits, refName, sequence } from './responses.ts';
import type * as z from 'zod';
import type { LastPipeline, RefName } from '../../../src/contract/repositories.ts';
import type { Core } from '../../core/core.ts';
import { refuseTogether } from '../../http/combinations.ts';
import { notFound } from '../../core/errors.ts';
import { COUNT_CAP, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, oneOf, required, string, time, type ParametersOf } from '../../http/params.ts';
import type { RawResponse, Route } from '../../http/route.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { createCommit } from '../pushes/pushes.ts';
import { allRefs, openRepository, resolveRef } from '../git/git.ts';
import { isTreePath, plainPath } from '../../repositories/names.ts';
import { MAX_MESSAGE_BYTES } from '../../repositories/shortFields.ts';
import {
  countCommits,
  type History,
  listCommits,
  type RepositoryDir,
  readChanges,
  readCommits,
  readStats,
  refsAround,
} from '../../repositories/objects.ts';
import { actionsParameter } from './parameters.ts';
import { presentCommitDetail, presentCommitWithStats, presentDiff, presentUnifiedDiff } from './present.ts';
import { presentCommit } from './presentCommit.ts';
import { demandPushTo, pageResponse, pushRoute, readRoute, type ReadRequest, type PushRequest } from './route.ts';

/** Maximum size of a request with file content, in bytes. */
export const MAX_COMMIT_BYTES = 10 * 1024 * 1024;
/** Maximum number of commits counted for `sequence`. */
const MAX_COUNTED = 2 ** 31 - 1;

/** The pipelines of commits, which the application passes in. */
export interface CommitPipelines {
  /** Schema of the last pipeline in a commit. */
  readonly schema: () => z.ZodType<LastPipeline>;
  /** Returns the newest pipeline of a commit as part of its JSON; null if there is none. */
  readonly lastOf: (core: Core, project: Project, sha: string, baseUrl: string) => LastPipeline | null;
}

const listParameters = () => ({
  id: required(string),
  ref_name: string(),
  since: time(),
  until: time(),
  path: string(),
  author: string(),
  all: boolean(),
  with_stats: boolean(),
  first_parent: boolean(),
  order: fallback<'default' | 'topo'>('default', oneOf(['default', 'topo'])),
  ...pageParameters(),
});
const newParameters = () => ({
  id: required(string),
  branch: filled(),
  commit_message: filled(),
  actions: actionsParameter(),
  start_branch: string(),
  start_sha: string(),
  author_email: string(),
  author_name: string(),
  stats: fallback(true, boolean),
  force: fallback(false, boolean),
});
const showParameters = () => ({ id: required(string), sha: required(string), stats: fallback(true, boolean) });
const listChangesParameters = () => ({
  id: required(string),
  sha: required(string),
  unidiff: fallback(false, boolean),
  ...pageParameters(),
});
const listRefsParameters = () => ({
  id: required(string),
  sha: required(string),
  type: fallback<'branch' | 'tag' | 'all'>('all', oneOf(['branch', 'tag', 'all'])),
  ...pageParameters(),
});
const countParameters = () => ({ id: required(string), sha: required(string), first_parent: fallback(false, boolean) });

export function commitRoutes(core: GitCore, pipelines: CommitPipelines): Route[] {
  const commitResponse = commitDetail(pipelines.schema);
  const metadata = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
  const path = '/api/v4/projects/:id/repository/commits';
  return [
    readRoute(core, { ...metadata, method: 'GET', path, body: listedCommits, params: listParameters }, (request) =>
      listProjectCommits(core, request),
    ),
    pushRoute(
      core,
      { ...metadata, method: 'POST', path, body: commitResponse, maxBody: MAX_COMMIT_BYTES, params: newParameters },
      (request) => addCommit(core, pipelines, request),
    ),
    readRoute(
      core,
      { ...metadata, method: 'GET', path: `${path}/:sha`, body: commitResponse, params: showParameters },
      (request) => showCommit(core, pipelines, request),
    ),
    readRoute(
      core,
      { ...metadata, method: 'GET', path: `${path}/:sha/diff`, body: listOf(diff), params: listChangesParameters },
      (request) => listChanges(core, request),
    ),
    readRoute(
      core,
      { ...metadata, method: 'GET', path: `${path}/:sha/refs`, body: listOf(refName), params: listRefsParameters },
      (request) => listRefs(core, request),
    ),
    readRoute(
      core,
      { ...metadata, method: 'GET', path: `${path}/:sha/sequence`, body: sequence, params: countParameters },
      (request) => countAncestors(core, request),
    ),
  ];
}

async function listProjectCommits(
  core: GitCore,
  request: ReadRequest<ParametersOf<typeof listParameters>>,
): Promise<RawResponse> {
  const { params, project, repository, baseUrl } = request;
  const inside = plainPath(params.path ?? '');
  const start = params.ref_name === undefined || params.ref_name === '' ? 'HEAD' : params.ref_name;
  const found = params.all === true ? undefined : await resolveRef(core, repository, project, start);
  const from =
    params.all === true
      ? allRefs(core.store, project.id).flatMap((ref) => (ref.kind === 'note' ? [] : [ref.commit_id]))
      : [found];
  const history: History = {
    from: isTreePath(inside) || inside === '' ? [...new Set(from.filter((id) => id !== undefined))] : [],
    path: inside === '' ? undefined : inside,
    since: seconds(params.since),
    until: seconds(params.until),
    author: params.author === undefined || params.author === '' ? undefined : params.author,
    firstParent: params.first_parent,
    topological: params.order === 'topo',
  };
  return pageResponse(request, params, {
    count: (cap) => (repository === undefined ? 0 : countCommits(repository, history, Math.min(cap, COUNT_CAP + 1))),
    items: async (limit, offset) => {
      if (repository === undefined) return [];
      const commits = await listCommits(repository, history, limit, offset);
      if (params.with_stats !== true) return commits.map((commit) => presentCommit(commit, project, baseUrl));
      const stats = await readStats(
        repository,
        commits.map((commit) => commit.id),
      );
      return commits.map((commit) => presentCommitWithStats(commit, project, baseUrl, stats.get(commit.id)));
    },
  });
}

async function addCommit(
  core: GitCore,
  pipelines: CommitPipelines,
  request: PushRequest<ParametersOf<typeof newParameters>>,
): Promise<unknown> {
  const { params, project, caller, baseUrl } = request;
  refuseTogether(request.linkParameters(), ['start_branch', 'start_sha']);
  demandPushTo(core, request, params.branch);
  const id = await createCommit(core, request, caller.user, {
    branch: params.branch,
    message: params.commit_message,
    actions: params.actions,
    startBranch: params.start_branch,
    startSha: params.start_sha,
    force: params.force,
    authorName: params.author_name,
    authorEmail: params.author_email,
  });
  const { repository } = await demandCommit(core, await openRepository(core, project), project, id);
  return detail(core, pipelines, repository, project, id, baseUrl, params.stats);
}

async function showCommit(
  core: GitCore,
  pipelines: CommitPipelines,
  { params, project, repository, baseUrl }: ReadRequest<ParametersOf<typeof showParameters>>,
): Promise<unknown> {
  const commit = await demandCommit(core, repository, project, params.sha);
  return detail(core, pipelines, commit.repository, project, commit.id, baseUrl, params.stats);
}

async function listChanges(
  core: GitCore,
  request: ReadRequest<ParametersOf<typeof listChangesParameters>>,
): Promise<RawResponse> {
  const { params, project } = request;
  const { repository, id } = await demandCommit(core, request.repository, project, params.sha);
  const [commit] = await readCommits(repository, [id]);
  const changes = await readChanges(repository, commit?.parents[0], id);
  return pageResponse(request, params, {
    count: (cap) => Math.min(changes.length, cap),
    items: async (limit, offset) => changes.slice(offset, offset + limit).map(params.unidiff ? presentUnifiedDiff : presentDiff),
  });
}

async function listRefs(core: GitCore, request: ReadRequest<ParametersOf<typeof listRefsParameters>>): Promise<RawResponse> {
  const { params, project } = request;
  const { repository, id } = await demandCommit(core, request.repository, project, params.sha);
  const { branches, tags } = await refsAround(repository, id);
  const named: RefName[] = [
    ...(params.type === 'tag' ? [] : branches.map((name) => ({ type: 'branch', name }) as const)),
    ...(params.type === 'branch' ? [] : tags.map((name) => ({ type: 'tag', name }) as const)),
  ];
  return pageResponse(request, params, {
    count: (cap) => Math.min(named.length, cap),
    items: async (limit, offset) => named.slice(offset, offset + limit),
  });
}

async function countAncestors(
  core: GitCore,
  { params, project, repository }: ReadRequest<ParametersOf<typeof countParameters>>,
): Promise<ResponseOf<typeof sequence>> {
  const commit = await demandCommit(core, repository, project, params.sha);
  const history: History = { from: [commit.id], firstParent: params.first_parent };
  return { count: await countCommits(commit.repository, history, MAX_COUNTED) };
}

/** Finds the commit of a request and its repository. Throws `NotFound`. */
async function demandCommit(
  core: GitCore,
  repository: RepositoryDir | undefined,
  project: Project,
  sha: string,
): Promise<{ repository: RepositoryDir; id: string }> {
  const id = await resolveRef(core, repository, project, sha);
  if (repository === undefined || id === undefined) throw notFound('Commit');
  return { repository, id };
}

async function detail(
  core: GitCore,
  pipelines: CommitPipelines,
  repository: RepositoryDir,
  project: Project,
  id: string,
  baseUrl: string,
  withStats: boolean,
): Promise<unknown> {
  const [commit] = await readCommits(repository, [id], MAX_MESSAGE_BYTES);
  if (commit === undefined) throw notFound('Commit');
  const stats = withStats ? (await readStats(repository, [id])).get(id) : 'unasked';
  return presentCommitDetail(commit, project, baseUrl, stats, pipelines.lastOf(core, project, id, baseUrl));
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000);
}
