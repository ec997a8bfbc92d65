import type { GitCore } from '../../repositories/repositories.ts';
import { protectBranch, unprotectBranch } from '../protectedRefs/protectedRefs.ts';
import { accepted, listOf, type ResponseOf } from '../../http/responses.ts';
import { branch } from './responses.ts';
import { forbidden, notFound, wrongState } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import type { RawResponse, Route } from '../../http/route.ts';
import { type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { createBranch, isProtected, removeRef } from '../pushes/pushes.ts';
import { countRefs, listRefs, openRepository, type RefFilter, refOf, type RefOrder, type RefRow } from '../git/git.ts';
import { branchesWithin, type RepositoryDir, readCommits } from '../../repositories/objects.ts';
import { presentBranch } from './present.ts';
import { demandChange, demandPushTo, pageResponse, pushRoute, readRoute, type ReadRequest, type PushRequest } from './route.ts';

const orders = {
  name_asc: ['name', 'asc'],
  updated_asc: ['updated', 'asc'],
  updated_desc: ['updated', 'desc'],
} as const satisfies Readonly<Record<string, readonly [RefOrder, 'asc' | 'desc']>>;

const named = () => ({ id: required(string), branch: required(string) });
const listParameters = () => ({
  id: required(string),
  search: string(),
  sort: fallback<keyof typeof orders>('name_asc', oneOf(['name_asc', 'updated_asc', 'updated_desc'])),
  ...pageParameters(),
});
const newParameters = () => ({ ...named(), ref: required(string) });
const protectParameters = () => ({ ...named(), developers_can_push: boolean(), developers_can_merge: boolean() });
const deleteParameters = () => ({ id: required(string) });

export function branchRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
  const path = '/api/v4/projects/:id/repository/branches';
  return [
    readRoute(core, { ...metadata, method: 'GET', path, body: listOf(branch), params: listParameters }, (request) =>
      listBranches(core, request),
    ),
    readRoute(core, { ...metadata, method: 'GET', path: `${path}/:branch`, body: branch, params: named }, (request) =>
      showBranch(core, request),
    ),
    pushRoute(core, { ...metadata, method: 'POST', path, body: branch, params: newParameters }, (request) =>
      addBranch(core, request),
    ),
    pushRoute(core, { ...metadata, method: 'DELETE', path: `${path}/:branch`, params: named }, (request) =>
      deleteBranch(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        specRef: 'Protected branches and tags',
        method: 'PUT',
        path: `${path}/:branch/protect`,
        body: branch,
        params: protectParameters,
      },
      'maintainer',
      (request) => protect(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        specRef: 'Protected branches and tags',
        method: 'PUT',
        path: `${path}/:branch/unprotect`,
        body: branch,
        params: named,
      },
      'maintainer',
      (request) => unprotect(core, request),
    ),
    pushRoute(
      core,
      {
        ...metadata,
        method: 'DELETE',
        path: '/api/v4/projects/:id/repository/merged_branches',
        successStatus: 202,
        body: accepted,
        params: deleteParameters,
      },
      (request) => deleteMergedBranches(core, request),
    ),
  ];
}

function listBranches(core: GitCore, request: ReadRequest<ParametersOf<typeof listParameters>>): Promise<RawResponse> {
  const { params, project, repository, baseUrl } = request;
  const filter: RefFilter = { projectId: project.id, kind: 'branch', search: params.search };
  const [order, sort] = orders[params.sort];
  return pageResponse(request, params, {
    count: (cap) => countRefs(core.store, filter, cap),
    items: (limit, offset) =>
      present(core, repository, request, listRefs(core.store, filter, { order, sort, limit, offset }), baseUrl),
  });
}

async function showBranch(core: GitCore, request: ReadRequest<ParametersOf<typeof named>>): Promise<unknown> {
  const branch = refOf(core.store, request.project.id, 'branch', request.params.branch);
  if (branch === undefined) throw notFound('Branch');
  return (await present(core, request.repository, request, [branch], request.baseUrl))[0];
}

async function addBranch(core: GitCore, request: PushRequest<ParametersOf<typeof newParameters>>): Promise<unknown> {
  const { params, caller } = request;
  demandPushTo(core, request, params.branch);
  const branch = await createBranch(core, request, caller.user, params.branch, params.ref);
  const repository = await openRepository(core, request.project);
  return (await present(core, repository, request, [branch], request.baseUrl))[0];
}

async function deleteBranch(core: GitCore, request: PushRequest<ParametersOf<typeof named>>): Promise<unknown> {
  const { branch } = request.params;
  if (refOf(core.store, request.project.id, 'branch', branch) === undefined) throw notFound('Branch');
  if (branch === request.project.default_branch) {
    throw wrongState('Cannot remove HEAD branch', 'the default branch cannot be deleted; make another branch the default first');
  }
  demandChange(core, request, { kind: 'branch', name: branch, action: 'delete', by: 'api' });
  if (!(await removeRef(core, request, request.caller.user, 'branch', branch))) throw notFound('Branch');
  return undefined;
}

async function protect(core: GitCore, request: ProjectRequest<ParametersOf<typeof protectParameters>>): Promise<unknown> {
  const found = mustFindBranch(core, request);
  protectBranch(core, request.project, found.name, {
    developersCanPush: request.params.developers_can_push,
    developersCanMerge: request.params.developers_can_merge,
  });
  const repository = await openRepository(core, request.project);
  return (await present(core, repository, request, [found], request.baseUrl))[0];
}

async function unprotect(core: GitCore, request: ProjectRequest<ParametersOf<typeof named>>): Promise<unknown> {
  const found = mustFindBranch(core, request);
  unprotectBranch(core, request, found.name);
  const repository = await openRepository(core, request.project);
  return (await present(core, repository, request, [found], request.baseUrl))[0];
}

async function deleteMergedBranches(
  core: GitCore,
  request: PushRequest<ParametersOf<typeof deleteParameters>>,
): Promise<ResponseOf<typeof accepted>> {
  const { repository, project, caller } = request;
  const main = refOf(core.store, project.id, 'branch', project.default_branch);
  const merged = repository === undefined || main === undefined ? [] : await branchesWithin(repository, main.commit_id);
  for (const branch of merged) {
    if (!isProtected(core, project, branch)) await removeRef(core, request, caller.user, 'branch', branch);
  }
  return { message: '202 Accepted' };
}

async function present(
  core: GitCore,
  repository: RepositoryDir | undefined,
  found: FoundProject,
  branches: readonly RefRow[],
  baseUrl: string,
): Promise<unknown[]> {
  if (repository === undefined || branches.length === 0) return [];
  const ids = branches.map((branch) => branch.commit_id);
  const main = refOf(core.store, found.project.id, 'branch', found.project.default_branch);
  const merged = main === undefined ? new Set<string>() : await branchesWithin(repository, main.commit_id);
  const commits = await readCommits(repository, ids);
  return branches.flatMap((branch, index) => {
    const commit = commits[index];
    return commit === undefined ? [] : [presentBranch(core, branch, commit, found, baseUrl, merged)];
  });
}

/** @throws {Forbidden} if the project is archived, and `NotFound` if it has no such branch. */
function mustFindBranch(
  core: GitCore,
  { project, params }: FoundProject & { readonly params: { readonly branch: string } },
): RefRow {
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  const found = refOf(core.store, project.id, 'branch', params.branch);
  if (found === undefined) throw notFound('Branch');
  return found;
}
