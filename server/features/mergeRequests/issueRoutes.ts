import { listOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { findIssue, issueResponse, presentIssues } from '../issues/issues.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, findProject, type FoundProject, openProjectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { listedMergeRequest } from './responses.ts';
import { pageOf } from './mergeRoutes.ts';
import { presentMergeRequests } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';
import { closedIssues, naming } from './store.ts';

const showMergeRequestsParameters = () => ({ id: required(string), issue_iid: required(integer), ...pageParameters() });

const showClosedIssuesParameters = () => ({ ...onePath(), ...pageParameters() });

/** The merge requests related to an issue: those that mention it, and those that close it when merged. */
export function mergeRequestsOfIssueRoutes(core: Core): Route[] {
  const ofIssue = (['related_merge_requests', 'closed_by'] as const).map((name) =>
    openProjectRoute(
      {
        method: 'GET',
        path: `/api/v4/projects/:id/issues/:issue_iid/${name}`,
        specRef: 'Merge requests',
        status: 'inferred',
        key: 'iid',
        body: listOf(listedMergeRequest),
        params: showMergeRequestsParameters,
      },
      (request) => showMergeRequests(core, request, name),
    ),
  );
  const closes = openProjectRoute(
    {
      method: 'GET',
      path: `${PATH}/closes_issues`,
      specRef: 'Merge requests',
      status: 'inferred',
      key: 'iid',
      body: listOf(issueResponse),
      params: showClosedIssuesParameters,
    },
    (request) => showClosedIssues(core, request),
  );
  return [...ofIssue, closes];
}

function showMergeRequests(
  core: Core,
  request: ApiRequest<ParametersOf<typeof showMergeRequestsParameters>> & FoundProject,
  name: 'related_merge_requests' | 'closed_by',
): RawResponse {
  const { params, caller, baseUrl } = request;
  const issue = findIssue(core, request, params.issue_iid, caller?.user);
  if (issue === undefined) throw recordNotFound('no such issue, or it is not visible to the caller');
  const rows = naming(core.store, issue.id, {
    viewer: viewerId(caller),
    readable: readableCodeSql(accessOf(caller)),
    closing: name === 'closed_by',
  });
  const items = presentMergeRequests(core, rows, { caller, baseUrl });
  return new RawResponse(offsetResponse(request, params, pageOf(items), (item) => item));
}

function showClosedIssues(
  core: Core,
  request: ApiRequest<ParametersOf<typeof showClosedIssuesParameters>> & FoundProject,
): RawResponse {
  const { params, caller } = request;
  const mergeRequest = mustFind(core, request, params.merge_request_iid);
  // Only merges into the default branch close issues.
  const isClosing = mergeRequest.target_branch === request.project.default_branch;
  const issues = (isClosing ? closedIssues(core.store, mergeRequest.id) : []).flatMap(({ project_id, iid }) => {
    const repository = findProject(core, project_id, caller);
    return (repository === undefined ? undefined : findIssue(core, repository, iid, caller?.user)) ?? [];
  });
  const items = presentIssues(core, issues, request);
  return new RawResponse(offsetResponse(request, params, pageOf(items), (item) => item));
}
