import type { GitCore } from '../../repositories/repositories.ts';
import { boolean, string } from '../../http/params.ts';
import { type Route, RawResponse } from '../../http/route.ts';
import { openProjectRoute, projectRoute } from '../projects/projects.ts';
import { listOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { peopleOf, userBasic } from '../identity/identity.ts';
import { commentersOf } from '../notes/notes.ts';
import { approvalState, mergeRequestResponse, reviewerResponse } from './responses.ts';
import { approve, unapprove } from './approvals.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { noteableOf, peopleOn, participates } from './manageMergeRequests.ts';
import { cancelAutoMerge, merge } from './merging.ts';
import { presentApprovals, presentMergeRequest, presentReviewers } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';

/** Merging, approvals and participants. */
export function mergeRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Merge requests', status: 'inferred', key: 'iid' } as const;

  return [
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${PATH}/merge`,
        body: mergeRequestResponse,
        params: () => ({
          ...onePath(),
          merge_commit_message: string(),
          squash_commit_message: string(),
          squash: boolean(),
          should_remove_source_branch: boolean(),
          auto_merge: boolean(),
          merge_when_pipeline_succeeds: boolean(),
          sha: string(),
        }),
      },
      'visible',
      async (request) => {
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
      },
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
      (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        const after = cancelAutoMerge(core, request, found, caller.user);
        return presentMergeRequest(core, request, after, { user: caller.user, baseUrl });
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${PATH}/approve`,
        body: approvalState,
        params: () => ({ ...onePath(), sha: string() }),
      },
      'visible',
      (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        approve(core, request, found, caller.user, params.sha);
        return presentApprovals(core, request, found, caller.user, baseUrl);
      },
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/unapprove`, body: approvalState, params: onePath },
      'visible',
      (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        unapprove(core, found, caller.user);
        return presentApprovals(core, request, found, caller.user, baseUrl);
      },
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/approvals`, body: approvalState, params: onePath },
      'visible',
      (request) => {
        const { params, caller, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        return presentApprovals(core, request, found, caller.user, baseUrl);
      },
    ),
    ...(['subscribe', 'unsubscribe'] as const).map((name) =>
      projectRoute(
        { ...metadata, method: 'POST', path: `${PATH}/${name}`, body: mergeRequestResponse, params: onePath },
        'visible',
        (request) => {
          const { params, caller, baseUrl } = request;
          const found = mustFind(core, request, params.merge_request_iid);
          const unchanged = changeSubscription(core, { type: 'MergeRequest', id: found.id }, caller.user, {
            to: name === 'subscribe',
            participates: participates(core, found, caller.user),
          });
          return unchanged ?? presentMergeRequest(core, request, found, { user: caller.user, baseUrl });
        },
      ),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${PATH}/participants`,
        body: listOf(userBasic),
        params: () => ({ ...onePath(), ...pageParameters() }),
      },
      (request) => {
        const { params, baseUrl } = request;
        const found = mustFind(core, request, params.merge_request_iid);
        const { assignees, reviewers } = peopleOn(core, found);
        const commenters = commentersOf(core, noteableOf(found), request.can.readConfidential);
        const ids = [...new Set([found.author_id, ...assignees, ...reviewers, ...commenters])];
        const person = peopleOf(core, baseUrl);
        const people = ids.map((id) => person(id)).filter((one) => one !== null);
        return new RawResponse(offsetResponse(request, params, pageOf(people), (one) => one));
      },
    ),
    openProjectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/reviewers`, body: listOf(reviewerResponse), params: onePath },
      (request) => {
        const found = mustFind(core, request, request.params.merge_request_iid);
        return presentReviewers(core, found, request.baseUrl);
      },
    ),
  ];
}

/** Responds with a page of a list that is completely known. */
export function pageOf<Item>(items: readonly Item[]) {
  return {
    count: (cap: number) => Math.min(items.length, cap),
    rows: (limit: number, offset: number) => items.slice(offset, offset + limit),
  };
}
