import { commitAnswer, diffAnswer, presentCommit, presentDiff } from '../git/git.ts';
import { content, listOf } from '../http/answers.ts';
import { recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { boolean, integer, required } from '../http/params.ts';
import { Prepared, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { type FoundProject, openProjectRoute } from '../projects/projects.ts';
import { mergeRequestChanges, versionAnswer, versionDetail } from './answers.ts';
import type { MergeRequest } from './mergeRequests.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequest, presentVersion } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';
import { listVersions, type VersionRow } from './store.ts';
import { changesOf, commitsOf, type KnownVersion, knownVersion, patchOf, shownVersion } from './versions.ts';

/** What a merge request brings: commits, changes of files, and how both were before later pushes. */
export function diffRoutes(platform: Platform): Route[] {
  const facts = { method: 'GET', specRef: 'Merge requests', status: 'inferred', key: 'iid' } as const;

  const mustKnow = async (found: FoundProject, mergeRequest: MergeRequest, version: VersionRow = shownVersion(mergeRequest)) => {
    const known = await knownVersion(platform, found, mergeRequest, version);
    if (known === undefined) throw recordNotFound('the repository is gone');
    return known;
  };

  return [
    openProjectRoute(
      platform,
      {
        ...facts,
        path: `${PATH}/commits`,
        body: listOf(commitAnswer),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params, project, baseUrl } = request;
        const { place, version } = await mustKnow(request, mustFind(platform, request, params.merge_request_iid));
        const commits = await commitsOf(place, version);
        return new Prepared(offsetAnswer(request, params, pageOf(commits), (commit) => presentCommit(commit, project, baseUrl)));
      },
    ),
    openProjectRoute(
      platform,
      {
        ...facts,
        path: `${PATH}/diffs`,
        body: listOf(diffAnswer),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params } = request;
        const { place, version } = await mustKnow(request, mustFind(platform, request, params.merge_request_iid));
        const changes = await changesOf(place, version);
        return new Prepared(offsetAnswer(request, params, pageOf(changes), presentDiff));
      },
    ),
    openProjectRoute(
      platform,
      {
        ...facts,
        path: `${PATH}/changes`,
        body: mergeRequestChanges,
        params: () => ({ ...onePath(), access_raw_diffs: boolean() }),
      },
      async (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(platform, request, params.merge_request_iid);
        const { place, version } = await mustKnow(request, found);
        const changes = await changesOf(place, version);
        const shown = await presentMergeRequest(platform, request, found, { user: caller?.user, baseUrl });
        return { ...shown, changes: changes.map(presentDiff), overflow: false };
      },
    ),
    openProjectRoute(platform, { ...facts, path: `${PATH}/raw_diffs`, body: content, params: onePath }, async (request) => {
      const { place, version } = await mustKnow(request, mustFind(platform, request, request.params.merge_request_iid));
      return new Prepared({ status: 200, type: 'text/plain; charset=utf-8', body: await patchOf(place, version) });
    }),
    openProjectRoute(
      platform,
      {
        ...facts,
        path: `${PATH}/versions`,
        body: listOf(versionAnswer),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      async (request) => {
        const { params } = request;
        const found = mustFind(platform, request, params.merge_request_iid);
        const known: KnownVersion[] = [];
        for (const row of listVersions(platform.store, found.id)) known.push((await mustKnow(request, found, row)).version);
        return new Prepared(offsetAnswer(request, params, pageOf(known), (version) => presentVersion(version, found)));
      },
    ),
    openProjectRoute(
      platform,
      {
        ...facts,
        path: `${PATH}/versions/:version_id`,
        body: versionDetail,
        params: () => ({ ...onePath(), version_id: required(integer), unidiff: boolean() }),
      },
      async (request) => {
        const { params, project, baseUrl } = request;
        const found = mustFind(platform, request, params.merge_request_iid);
        const row = listVersions(platform.store, found.id).find(({ id }) => id === params.version_id);
        if (row === undefined) throw recordNotFound('no such version of this merge request');
        const { place, version } = await mustKnow(request, found, row);
        const [commits, changes] = [await commitsOf(place, version), await changesOf(place, version)];
        return {
          ...presentVersion(version, found),
          commits: commits.map((commit) => presentCommit(commit, project, baseUrl)),
          diffs: changes.map(presentDiff),
        };
      },
    ),
  ];
}
