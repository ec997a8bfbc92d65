import type { GitCore } from '../../repositories/repositories.ts';
import { boolean, string, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route } from '../../http/route.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { peopleOf, userBasic } from '../profiles/profiles.ts';
import { commentersOf } from '../notes/notes.ts';
import { approvalState, mergeRequestResponse, reviewerResponse } from './responses.ts';
import { approve, unapprove } from './approvals.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { noteableOf, peopleOn, participates } from './manageMergeRequests.ts';
import { cancelAutoMerge, merge } from './merging.ts';
import { presentApprovals, presentMergeRequest, presentReviewers } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';

const acceptParameters = () => ({
  ...onePath(),
  merge_commit_message: string(),
  squash_commit_message: string(),
  squash: boolean(),
  should_remove_source_branch: boolean(),
  auto_merge: boolean(),
  merge_when_pipeline_succeeds: boolean(),
  sha: string(),
});
const approvalParameters = () => ({ ...onePath(), sha: string() });
const listParameters = () => ({ ...onePath(), ...pageParameters() });

/** Merging, approvals and participants. */
export function mergeRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Merge requests', status: 'inferred', key: 'iid' } as const;
  return [
    projectRoute(
      { ...metadata, method: 'PUT', path: `${PATH}/merge`, body: mergeRequestResponse, params: acceptParameters },
      'visible',
      (request) => acceptMergeRequest(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${PATH}/cancel_merge_when_pipeline_succeeds`,
        body: mergeRequestResponse,
        params: onePath,
      },
      'visible',
      (request) => cancelMerge(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/approve`, body: approvalState, params: approvalParameters },
      'visible',
      (request) => addApproval(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/unapprove`, body: approvalState, params: onePath },
      'visible',
      (request) => removeApproval(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/approvals`, body: approvalState, params: onePath },
      'visible',
      (request) => showApprovals(core, request),
    ),
    ...(['subscribe', 'unsubscribe'] as const).map((name) =>
      projectRoute(
        { ...metadata, method: 'POST', path: `${PATH}/${name}`, body: mergeRequestResponse, params: onePath },
        'visible',
        (request) => changeOwnSubscription(core, request, name),
      ),
    ),
    openProjectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/participants`, body: listOf(userBasic), params: listParameters },
      (request) => listParticipants(core, request),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${PATH}/reviewers`,
        body: listOf(reviewerResponse),
        params: onePath,
        pages: { by: 'none', because: 'GitLab returns all reviewers of a merge request' },
      },
      (request) => listReviewers(core, request),
    ),
  ];
}

async function acceptMergeRequest(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof acceptParameters>>,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const { params, caller, baseUrl } = request;
  const merged = await merge(core, request, mustFind(core, request, params.merge_request_iid), caller.user, {
    message: params.merge_commit_message,
    squashMessage: params.squash_commit_message,
    squash: params.squash,
    removeSourceBranch: params.should_remove_source_branch,
    auto: params.auto_merge ?? params.merge_when_pipeline_succeeds,
    sha: params.sha,
  });
  return presentMergeRequest(core, request, merged, { user: caller.user, baseUrl });
}

function cancelMerge(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof onePath>>,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const after = cancelAutoMerge(core, request, found, caller.user);
  return presentMergeRequest(core, request, after, { user: caller.user, baseUrl });
}

function addApproval(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof approvalParameters>>,
): ResponseOf<typeof approvalState> {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  approve(core, request, found, caller.user, params.sha);
  return presentApprovals(core, request, found, caller.user, baseUrl);
}

function removeApproval(core: GitCore, request: ProjectRequest<ParametersOf<typeof onePath>>): ResponseOf<typeof approvalState> {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  unapprove(core, found, caller.user);
  return presentApprovals(core, request, found, caller.user, baseUrl);
}

function showApprovals(core: GitCore, request: ProjectRequest<ParametersOf<typeof onePath>>): ResponseOf<typeof approvalState> {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  return presentApprovals(core, request, found, caller.user, baseUrl);
}

function changeOwnSubscription(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof onePath>>,
  name: 'subscribe' | 'unsubscribe',
): Promise<ResponseOf<typeof mergeRequestResponse>> | RawResponse {
  const { params, caller, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const unchanged = changeSubscription(core, { type: 'MergeRequest', id: found.id }, caller.user, {
    to: name === 'subscribe',
    participates: participates(core, found, caller.user),
  });
  return unchanged ?? presentMergeRequest(core, request, found, { user: caller.user, baseUrl });
}

function listParticipants(core: GitCore, request: ApiRequest<ParametersOf<typeof listParameters>> & FoundProject): RawResponse {
  const { params, baseUrl } = request;
  const found = mustFind(core, request, params.merge_request_iid);
  const { assignees, reviewers } = peopleOn(core, found);
  const commenters = commentersOf(core, noteableOf(found), request.can.readConfidential);
  const ids = [...new Set([found.author_id, ...assignees, ...reviewers, ...commenters])];
  const person = peopleOf(core, baseUrl);
  const people = ids.map((id) => person(id)).filter((one) => one !== null);
  return new RawResponse(offsetResponse(request, params, pageOf(people), (one) => one));
}

function listReviewers(core: GitCore, request: ApiRequest<ParametersOf<typeof onePath>> & FoundProject): unknown {
  const found = mustFind(core, request, request.params.merge_request_iid);
  return presentReviewers(core, found, request.baseUrl);
}

/** Responds with a page of a list that is completely known. */
export function pageOf<Item>(items: readonly Item[]) {
  return {
    count: (cap: number) => Math.min(items.length, cap),
    rows: (limit: number, offset: number) => items.slice(offset, offset + limit),
  };
}
