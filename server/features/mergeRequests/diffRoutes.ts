import type { GitCore } from '../../repositories/repositories.ts';
import { commit as commitResponse, diff as diffResponse, presentCommit, presentDiff } from '../git/git.ts';
import { content, listOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, integer, required } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { type FoundProject, openProjectRoute } from '../projects/projects.ts';
import { mergeRequestChanges, versionResponse, versionDetail } from './responses.ts';
import type { MergeRequest } from './manageMergeRequests.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequest, presentVersion } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';
import { listVersions, type VersionRow } from './store.ts';
import { changesOf, commitsOf, type KnownVersion, knownVersion, patchOf, shownVersion } from './versions.ts';

/** Commits, file changes and earlier versions of a merge request. */
export function diffRoutes(core: GitCore): Route[] {
  const metadata = { method: 'GET', specRef: 'Merge requests', status: 'inferred', key: 'iid' } as const;

  const mustKnow = async (found: FoundProject, mergeRequest: MergeRequest, version: VersionRow = shownVersion(mergeRequest)) => {
    const known = await knownVersion(core, found, mergeRequest, version);
    if (known === undefined) throw recordNotFound('the repository no longer exists');
    return known;
  };

  return [
    openProjectRoute(
      {
        ...metadata,
        path: `${PATH}/commits`,
        body: listOf(commitResponse),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params, project, baseUrl } = request;
        const { repository, version } = await mustKnow(request, mustFind(core, request, params.merge_request_iid));
        const commits = await commitsOf(repository, version);
        return new RawResponse(
          offsetResponse(request, params, pageOf(commits), (commit) => presentCommit(commit, project, baseUrl)),
        );
      },
    ),
    openProjectRoute(
      {
        ...metadata,
        path: `${PATH}/diffs`,
        body: listOf(diffResponse),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params } = request;
        const { repository, version } = await mustKnow(request, mustFind(core, request, params.merge_request_iid));
        const changes = await changesOf(repository, version);
        return new RawResponse(offsetResponse(request, params, pageOf(changes), presentDiff));
      },
    ),
    openProjectRoute(
      {
        ...metadata,
        path: `${PATH}/changes`,
        body: mergeRequestChanges,
        params: () => ({ ...onePath(), access_raw_diffs: boolean() }),
      },
      async (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        const { repository, version } = await mustKnow(request, found);
        const changes = await changesOf(repository, version);
        const shown = await presentMergeRequest(core, request, found, { user: caller?.user, baseUrl });
        return { ...shown, changes: changes.map(presentDiff), overflow: false };
      },
    ),
    openProjectRoute({ ...metadata, path: `${PATH}/raw_diffs`, body: content, params: onePath }, async (request) => {
      const { repository, version } = await mustKnow(request, mustFind(core, request, request.params.merge_request_iid));
      return new RawResponse({ status: 200, type: 'text/plain; charset=utf-8', body: await patchOf(repository, version) });
    }),
    openProjectRoute(
      {
        ...metadata,
        path: `${PATH}/versions`,
        body: listOf(versionResponse),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        const known: KnownVersion[] = [];
        for (const row of listVersions(core.store, found.id)) known.push((await mustKnow(request, found, row)).version);
        return new RawResponse(offsetResponse(request, params, pageOf(known), (version) => presentVersion(version, found)));
      },
    ),
    openProjectRoute(
      {
        ...metadata,
        path: `${PATH}/versions/:version_id`,
        body: versionDetail,
        params: () => ({ ...onePath(), version_id: required(integer), unidiff: boolean() }),
      },
      async (request) => {
        const { params, project, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        const row = listVersions(core.store, found.id).find(({ id }) => id === params.version_id);
        if (row === undefined) throw recordNotFound('no such version of this merge request');
        const { repository, version } = await mustKnow(request, found, row);
        const [commits, changes] = [await commitsOf(repository, version), await changesOf(repository, version)];
        return {
          ...presentVersion(version, found),
          commits: commits.map((commit) => presentCommit(commit, project, baseUrl)),
          diffs: changes.map(presentDiff),
        };
      },
    ),
  ];
}
