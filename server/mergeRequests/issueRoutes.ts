import { listOf } from '../http/answers.ts';
import { recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { integer, required, string } from '../http/params.ts';
import { Prepared, type Route } from '../http/route.ts';
import { findIssue } from '../issues/issues.ts';
import type { Platform } from '../platform.ts';
import { openProjectRoute, readableCodeSql, standingOf, viewerId } from '../projects/projects.ts';
import { listedMergeRequest } from './answers.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequests } from './present.ts';
import { naming } from './store.ts';

/** What merge requests have to do with an issue: those that name it, and those that close it when they are merged. */
export function mergeRequestsOfIssueRoutes(platform: Platform): Route[] {
  return (['related_merge_requests', 'closed_by'] as const).map((name) =>
    openProjectRoute(
      platform,
      {
        method: 'GET',
        path: `/api/v4/projects/:id/issues/:issue_iid/${name}`,
        clause: 'General request rules',
        status: 'inferred',
        key: 'iid',
        body: listOf(listedMergeRequest),
        params: () => ({ id: required(string), issue_iid: required(integer), ...pageParameters() }),
      },
      (request) => {
        const { params, caller, baseUrl } = request;
        const issue = findIssue(platform, request, params.issue_iid, caller?.user);
        if (issue === undefined) throw recordNotFound('no such issue, or the caller may not see it');
        const rows = naming(platform.store, issue.id, {
          viewer: viewerId(caller),
          readable: readableCodeSql(standingOf(caller)),
          closing: name === 'closed_by',
        });
        const items = presentMergeRequests(platform, rows, baseUrl);
        return new Prepared(offsetAnswer(request, params, pageOf(items), (item) => item));
      },
    ),
  );
}
