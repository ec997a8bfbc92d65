import type { GitCore } from '../../repositories/repositories.ts';
import { commit as commitResponse, diff as diffResponse, presentCommit, presentDiff } from '../code/code.ts';
import { content, listOf, type ResponseOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, integer, required, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { type FoundProject, openProjectRoute } from '../projectAccess/projectAccess.ts';
import { mergeRequestChanges, versionResponse, versionDetail } from './responses.ts';
import type { MergeRequest } from './manageMergeRequests.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequest, presentVersion } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';
import { listVersions, type VersionRow } from './store.ts';
import { changesOf, commitsOf, type KnownVersion, knownVersion, patchOf, shownVersion } from './versions.ts';

const metadata = { method: 'GET', specRef: 'Merge requests', status: 'inferred', key: 'iid' } as const;

const showCommitsParameters = () => ({ ...onePath(), ...pageParameters() });

const showDiffsParameters = () => ({ ...onePath(), ...pageParameters() });

const showChangesParameters = () => ({ ...onePath(), access_raw_diffs: boolean() });

const showVersionsParameters = () => ({ ...onePath(), ...pageParameters() });

const showVersionParameters = () => ({ ...onePath(), version_id: required(integer), unidiff: boolean() });

/** Commits, file changes and earlier versions of a merge request. */
export function diffRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      { ...metadata, path: `${PATH}/commits`, body: listOf(commitResponse), params: showCommitsParameters },
      (request) => showCommits(core, request),
    ),
    openProjectRoute({ ...metadata, path: `${PATH}/diffs`, body: listOf(diffResponse), params: showDiffsParameters }, (request) =>
      showDiffs(core, request),
    ),
    openProjectRoute(
      { ...metadata, path: `${PATH}/changes`, body: mergeRequestChanges, params: showChangesParameters },
      (request) => showChanges(core, request),
    ),
    openProjectRoute({ ...metadata, path: `${PATH}/raw_diffs`, body: content, params: onePath }, (request) =>
      showRawDiffs(core, request),
    ),
    openProjectRoute(
      { ...metadata, path: `${PATH}/versions`, body: listOf(versionResponse), params: showVersionsParameters },
      (request) => showVersions(core, request),
    ),
    openProjectRoute(
      { ...metadata, path: `${PATH}/versions/:version_id`, body: versionDetail, params: showVersionParameters },
      (request) => showVersion(core, request),
    ),
  ];
}

async function showCommits(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showCommitsParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params, project, baseUrl } = request;
  const { repository, version } = await mustKnow(core, request, mustFind(core, request, params.merge_request_iid));
  const commits = await commitsOf(repository, version);
  return new RawResponse(offsetResponse(request, params, pageOf(commits), (commit) => presentCommit(commit, project, baseUrl)));
}

async function showDiffs(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showDiffsParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params } = request;
  const { repository, version } = await mustKnow(core, request, mustFind(core, request, params.merge_request_iid));
  const changes = await changesOf(repository, version);
  return new RawResponse(offsetResponse(request, params, pageOf(changes), presentDiff));
}

async function showChanges(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showChangesParameters>> & FoundProject,
): Promise<ResponseOf<typeof mergeRequestChanges>> {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const { repository, version } = await mustKnow(core, request, found);
  const changes = await changesOf(repository, version);
  const shown = await presentMergeRequest(core, request, found, { user: caller?.user, baseUrl });
  return { ...shown, changes: changes.map(presentDiff), overflow: changes.some(({ isCollapsed }) => isCollapsed === true) };
}

async function showRawDiffs(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof onePath>> & FoundProject,
): Promise<RawResponse> {
  const { repository, version } = await mustKnow(core, request, mustFind(core, request, request.params.merge_request_iid));
  return new RawResponse({ status: 200, type: 'text/plain; charset=utf-8', body: await patchOf(repository, version) });
}

async function showVersions(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showVersionsParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const known: KnownVersion[] = [];
  for (const row of listVersions(core.store, found.id)) known.push((await mustKnow(core, request, found, row)).version);
  return new RawResponse(offsetResponse(request, params, pageOf(known), (version) => presentVersion(version, found)));
}

async function showVersion(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showVersionParameters>> & FoundProject,
): Promise<ResponseOf<typeof versionDetail>> {
  const { params, project, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const row = listVersions(core.store, found.id).find(({ id }) => id === params.version_id);
  if (row === undefined) throw recordNotFound('no such version of this merge request');
  const { repository, version } = await mustKnow(core, request, found, row);
  const [commits, changes] = [await commitsOf(repository, version), await changesOf(repository, version)];
  return {
    ...presentVersion(version, found),
    commits: commits.map((commit) => presentCommit(commit, project, baseUrl)),
    diffs: changes.map(presentDiff),
  };
}

async function mustKnow(
  core: GitCore,
  found: FoundProject,
  mergeRequest: MergeRequest,
  version: VersionRow = shownVersion(mergeRequest),
) {
  const known = await knownVersion(core, found, mergeRequest, version);
  if (known === undefined) throw recordNotFound('the repository no longer exists');
  return known;
}
