import type { GitCore } from '../../repositories/repositories.ts';
import { content, listOf } from '../../http/responses.ts';
import { blob, commit, comparison, treeEntry } from './responses.ts';
import type { Blob, Comparison } from '../../../src/contract/repositories.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { invalidParameters, notFound, refusedChange } from '../../core/errors.ts';
import { keysetSize, linkUrl, nextLink, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integer, oneOf, opaque, required, string, strings, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import type { Caller } from '../../core/caller.ts';
import { areRelated, findProject, type Project } from '../projectAccess/projectAccess.ts';
import { archiveRoutes } from './archiveRoutes.ts';
import { branchRoutes } from './branchRoutes.ts';
import { type CommitPipelines, commitRoutes } from './commitRoutes.ts';
import { fileRoutes } from './fileRoutes.ts';
import { copyCommit } from '../pushes/pushes.ts';
import { openRepository, resolveRef } from '../git/git.ts';
import type { Listing } from '../../repositories/listing.ts';
import { largeBlob, largeResponse } from './largeBlobs.ts';
import { isObjectId, plainPath } from '../../repositories/names.ts';
import {
  type EntryType,
  listCommits,
  mergeBase,
  type RepositoryDir,
  readBlob,
  readChanges,
  readCommits,
} from '../../repositories/objects.ts';
import { presentDiff, presentEntry, presentUnifiedDiff } from './present.ts';
import { presentCommit } from './presentCommit.ts';
import { readRoute, type ReadRequest } from './route.ts';
import { rawResponse } from '../../http/fileContent.ts';
import { statisticsRoutes } from './statisticsRoutes.ts';
import { type ReleasesByTag, tagRoutes } from './tagRoutes.ts';
import { listingAt } from './trees.ts';

/** Maximum number of commits and files in a comparison. */
const MAX_COMPARED = 1000;
/** Number of entries serialized before the event loop continues. */
const ENTRIES_AT_ONCE = 1000;

const listParameters = () => ({
  id: required(string),
  ref: string(),
  path: string(),
  recursive: fallback(false, boolean),
  ...pageParameters(),
  pagination: fallback<'legacy' | 'keyset' | 'none'>('legacy', oneOf(['legacy', 'keyset', 'none'])),
  page_token: opaque(),
});
const showParameters = () => ({ id: required(string), sha: required(string) });
const compareParameters = () => ({
  id: required(string),
  from: required(string),
  to: required(string),
  from_project_id: integer(),
  straight: fallback(false, boolean),
  unidiff: fallback(false, boolean),
});
const showMergeBaseParameters = () => ({ id: required(string), refs: required(strings) });

export function repositoryRoutes(core: GitCore, pipelines: CommitPipelines, releasesByTag: ReleasesByTag): Route[] {
  const specRef = 'Repositories';
  return [
    readRoute(
      core,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/tree',
        body: listOf(treeEntry),
        specRef: 'Repositories',
        status: 'stated',
        key: 'id',
        params: listParameters,
      },
      (request) => listTree(core, request),
    ),
    readRoute(
      core,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/blobs/:sha',
        body: blob,
        specRef,
        status: 'inferred',
        key: 'id',
        params: showParameters,
      },
      showBlob,
    ),
    readRoute(
      core,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/blobs/:sha/raw',
        body: content,
        specRef,
        status: 'inferred',
        key: 'id',
        params: showParameters,
      },
      sendBlob,
    ),
    readRoute(
      core,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/compare',
        body: comparison,
        specRef,
        status: 'inferred',
        key: 'id',
        params: compareParameters,
      },
      (request) => compare(core, request),
    ),
    readRoute(
      core,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/repository/merge_base',
        body: commit,
        specRef,
        status: 'inferred',
        key: 'id',
        params: showMergeBaseParameters,
      },
      (request) => showMergeBase(core, request),
    ),
    ...commitRoutes(core, pipelines),
    ...branchRoutes(core),
    ...tagRoutes(core, releasesByTag),
    ...fileRoutes(core),
    ...archiveRoutes(core),
    ...statisticsRoutes(core),
  ];
}

function hasKeyset(core: GitCore): boolean {
  return isAvailable({ addedIn: '17.1' }, core.profile);
}

async function listTree(core: GitCore, request: ReadRequest<ParametersOf<typeof listParameters>>): Promise<RawResponse> {
  const { params, project, repository, baseUrl } = request;
  const { recursive } = params;
  const pagination = hasKeyset(core) ? params.pagination : 'legacy';
  if (pagination === 'none' && !recursive) {
    throw invalidParameters(['pagination cannot be "none" unless "recursive" is true']);
  }
  const token = pagination === 'keyset' ? readPageToken(params.page_token) : undefined;
  const commit = await resolveRef(core, repository, project, filled(params.ref) ?? 'HEAD');
  if (repository === undefined || commit === undefined) throw notFound('Tree', 'no branch, tag or commit has this name');
  const inside = plainPath(params.path ?? '');
  const listing = await listingAt(core, repository, commit, inside, recursive);
  if (listing === undefined) throw notFound('invalid revision or path', 'no directory has this path');
  const at = (index: number): unknown => presentEntry(listing.entry(index), inside);
  const range = (limit: number, offset: number): unknown[] =>
    Array.from({ length: Math.max(Math.min(limit, listing.length - offset), 0) }, (_, index) => at(offset + index));
  if (pagination === 'none') return new RawResponse(await wholeResponse(listing, at));
  if (pagination === 'keyset') {
    const begin = token === undefined ? 0 : listing.behind(token.type, token.path);
    const items = range(keysetSize(params.per_page), begin);
    if (items.length === 0) return new RawResponse(jsonResponse(200, []));
    const last = listing.entry(begin + items.length - 1);
    const next = linkUrl(request, { page_token: writePageToken(last), page: undefined });
    return new RawResponse(jsonResponse(200, items, { Link: nextLink(next) }));
  }
  const list = { count: (cap: number) => Math.min(listing.length, cap), rows: range };
  return new RawResponse(offsetResponse({ ...request, baseUrl }, params, list, (item) => item));
}

async function showBlob({ params, repository }: ReadRequest<ParametersOf<typeof showParameters>>): Promise<Blob> {
  const content = await blobOf(repository, params.sha);
  return { size: content.length, encoding: 'base64', content: content.toString('base64'), sha: params.sha };
}

async function sendBlob({ params, repository, context }: ReadRequest<ParametersOf<typeof showParameters>>): Promise<RawResponse> {
  const { sha } = params;
  const large = repository !== undefined && isObjectId(sha) ? await largeBlob(repository, sha, context) : undefined;
  if (large === undefined || repository === undefined) return new RawResponse(rawResponse(await blobOf(repository, sha), sha));
  const options = { name: sha, context };
  return new RawResponse(await largeResponse(repository, sha, large, options));
}

async function compare(
  core: GitCore,
  { params, project, repository, caller, baseUrl }: ReadRequest<ParametersOf<typeof compareParameters>>,
): Promise<Comparison> {
  const source = findSource(core, project, params.from_project_id, caller);
  const from = await resolveRef(core, await openRepository(core, source), source, params.from);
  const to = await resolveRef(core, repository, project, params.to);
  if (repository === undefined || from === undefined || to === undefined) throw notFound('Ref');
  await copyCommit(core, source.id, project, from);
  const base = params.straight ? from : await mergeBase(repository, [from, to]);
  const commits = await listCommits(repository, { from: [to], without: [from] }, MAX_COMPARED, 0);
  const changes = base === undefined ? [] : await readChanges(repository, base, to);
  const present = commits.map((commit) => presentCommit(commit, project, baseUrl)).reverse();
  return {
    commit: present.at(-1) ?? null,
    commits: present,
    diffs: changes.slice(0, MAX_COMPARED).map(params.unidiff ? presentUnifiedDiff : presentDiff),
    compare_timeout: false,
    compare_same_ref: from === to,
    web_url: comparisonUrl(project, params, baseUrl),
  };
}

async function showMergeBase(
  core: GitCore,
  { params, project, repository, baseUrl }: ReadRequest<ParametersOf<typeof showMergeBaseParameters>>,
): Promise<unknown> {
  const refs = [...new Set(params.refs)];
  if (params.refs.length < 2) throw refusedChange('Provide at least 2 refs');
  if (refs.length > MAX_REFS) throw refusedChange(`Provide at most ${MAX_REFS} refs`);
  const ids = await Promise.all(refs.map((ref) => resolveRef(core, repository, project, ref)));
  const unknown = refs.filter((_, index) => ids[index] === undefined);
  if (repository === undefined || unknown.length > 0) {
    throw refusedChange(`Could not find ref${unknown.length === 1 ? '' : 's'}: ${unknown.join(', ')}`);
  }
  const base = await mergeBase(
    repository,
    ids.filter((id) => id !== undefined),
  );
  const [commit] = base === undefined ? [] : await readCommits(repository, [base]);
  if (commit === undefined) throw notFound('Merge Base');
  return presentCommit(commit, project, baseUrl);
}

const MAX_REFS = 100;

/** Returns a text if it is not blank. */
function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

async function blobOf(repository: RepositoryDir | undefined, sha: string): Promise<Buffer> {
  const content = repository !== undefined && isObjectId(sha) ? await readBlob(repository, sha) : undefined;
  if (content === undefined) throw notFound('Blob');
  return content;
}

/** Finds the project of `from`: the project itself, or one of the same forks whose code the caller can read. */
function findSource(core: Core, project: Project, id: number | undefined, caller: Caller | undefined): Project {
  if (id === undefined || id === project.id) return project;
  const found = findProject(core, id, caller);
  if (found === undefined || !found.can.readCode) throw notFound('Project');
  if (!areRelated(core, found.project, project)) {
    throw refusedChange(`Target project id:${id} is not a fork of project id:${project.id}`);
  }
  return found.project;
}

function comparisonUrl(project: Project, refs: { readonly from: string; readonly to: string }, baseUrl: string): string {
  return `${baseUrl}/${project.full_path}/-/compare/${encodeURIComponent(refs.from)}...${encodeURIComponent(refs.to)}`;
}

interface PageToken {
  readonly type: EntryType;
  readonly path: string;
}

/** Page tokens name the last entry of a page. The next page starts after it, even if the tree has changed. */
function writePageToken({ type, path }: PageToken): string {
  return Buffer.from(JSON.stringify([type, path])).toString('base64url');
}

function readPageToken(text: string | undefined): PageToken | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const decoded: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(decoded) && decoded.length === 2) {
      const parts: readonly unknown[] = decoded;
      const [type, path] = parts;
      const isType = type === 'tree' || type === 'blob' || type === 'commit';
      if (isType && typeof path === 'string' && writePageToken({ type, path }) === text) return { type, path };
    }
  } catch {
    // Falls through to the refusal.
  }
  throw invalidParameters(['page_token is invalid']);
}

/** Responds with all entries, serialized in chunks so that other requests are not blocked. */
async function wholeResponse(listing: Listing, at: (index: number) => unknown): Promise<ReturnType<typeof jsonResponse>> {
  const parts: Buffer[] = [];
  for (let begin = 0; begin < listing.length; begin += ENTRIES_AT_ONCE) {
    const count = Math.min(ENTRIES_AT_ONCE, listing.length - begin);
    const entries = Array.from({ length: count }, (_, index) => JSON.stringify(at(begin + index)));
    parts.push(Buffer.from(`${begin === 0 ? '' : ','}${entries.join(',')}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { status: 200, type: 'application/json', body: Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]) };
}
