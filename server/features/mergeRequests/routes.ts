import type { GitCore } from '../../repositories/repositories.ts';
import { openGroupRoute, type FoundGroup } from '../groups/groups.ts';
import { demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import { forbidden, notFound, unauthenticated } from '../../core/errors.ts';
import {
  boolean,
  fallback,
  filled,
  integer,
  integers,
  oneOf,
  required,
  string,
  strings,
  type ParametersOf,
} from '../../http/params.ts';
import { openRoute, type Route, type ApiRequest, type RawResponse } from '../../http/route.ts';
import { type Commentable, noteRoutes } from '../notes/notes.ts';
import {
  findProject,
  openProjectRoute,
  projectRoute,
  type FoundProject,
  type ProjectRequest,
} from '../projectAccess/projectAccess.ts';
import { mergeRequestResponse, mergeRequestList } from './responses.ts';
import { diffRoutes } from './diffRoutes.ts';
import { mergeRequestsOfCommitRoutes } from './commitRoutes.ts';
import { mergeRequestsOfIssueRoutes } from './issueRoutes.ts';
import { listParameters, mergeRequestPage, type Scope, scopes } from './lists.ts';
import { mergeIfDue } from './merging.ts';
import { mergeRoutes } from './mergeRoutes.ts';
import { createMergeRequest, deleteMergeRequest, updateMergeRequest } from './manageMergeRequests.ts';
import { commentableMergeRequest } from './commentable.ts';
import { presentMergeRequest } from './present.ts';
import { mustFind, onePath, PATH } from './route.ts';
import type { ResponseOf } from '../../http/responses.ts';

const values = () => ({
  description: string(),
  assignee_id: integer(),
  assignee_ids: integers(),
  reviewer_ids: integers(),
  labels: strings(),
  milestone_id: integer(),
  squash: boolean(),
  remove_source_branch: boolean(),
  allow_collaboration: boolean(),
  allow_maintainer_to_push: boolean(),
});

const listAllParameters = () => ({
  scope: fallback<Scope>('created_by_me', oneOf(scopes)),
  non_archived: fallback(true, boolean),
  ...listParameters(),
});
const listGroupParameters = () => ({
  id: required(string),
  scope: oneOf(scopes)(),
  non_archived: fallback(true, boolean),
  ...listParameters(),
});
const listProjectParameters = () => ({
  id: required(string),
  scope: oneOf(scopes)(),
  iids: integers(),
  ...listParameters(),
});
const openParameters = () => ({
  id: required(string),
  title: required(string),
  source_branch: filled(),
  target_branch: filled(),
  target_project_id: integer(),
  ...values(),
});
const showParameters = () => ({
  ...onePath(),
  render_html: boolean(),
  include_diverged_commits_count: boolean(),
  include_rebase_in_progress: boolean(),
});
const changedParameters = () => ({
  ...onePath(),
  title: string(),
  target_branch: string(),
  state_event: oneOf(['close', 'reopen'])(),
  discussion_locked: boolean(),
  add_labels: strings(),
  remove_labels: strings(),
  ...values(),
});

export function mergeRequestRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Merge requests', status: 'inferred' } as const;
  return [
    openRoute(
      { ...metadata, method: 'GET', path: '/api/v4/merge_requests', body: mergeRequestList, params: listAllParameters },
      (request) => listAllMergeRequests(core, request),
    ),
    openGroupRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/groups/:id/merge_requests',
        key: 'id',
        body: mergeRequestList,
        params: listGroupParameters,
      },
      (request) => listGroupMergeRequests(core, request),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/projects/:id/merge_requests',
        body: mergeRequestList,
        params: listProjectParameters,
      },
      (request) => listProjectMergeRequests(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/projects/:id/merge_requests',
        body: mergeRequestResponse,
        params: openParameters,
      },
      'visible',
      (request) => openMergeRequest(core, request),
    ),
    openProjectRoute(
      { ...metadata, method: 'GET', path: PATH, key: 'iid', body: mergeRequestResponse, params: showParameters },
      (request) => showMergeRequest(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: PATH, key: 'iid', body: mergeRequestResponse, params: changedParameters },
      'visible',
      (request) => changeMergeRequest(core, request),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: PATH, key: 'iid', params: onePath }, 'owner', (request) =>
      removeMergeRequest(core, request),
    ),
    ...mergeRoutes(core),
    ...diffRoutes(core),
    ...mergeRequestsOfIssueRoutes(core),
    ...mergeRequestsOfCommitRoutes(core),
    ...noteRoutes(core, {
      path: PATH,
      number: () => ({ merge_request_iid: required(integer) }),
      key: 'iid',
      hasResolution: true,
      route: (row, handle) => projectRoute(row, 'visible', (request) => handle(request, commentableOf(core, request))),
    }),
  ];
}

/** Returns the merge request of a path as a commentable. */
function commentableOf(core: GitCore, request: ProjectRequest<unknown>): Commentable {
  const iid = Number(request.context.pathParameters['merge_request_iid']);
  return commentableMergeRequest(core, request, mustFind(core, request, iid), request.caller.user);
}

function listAllMergeRequests(core: GitCore, request: ApiRequest<ParametersOf<typeof listAllParameters>>): Promise<RawResponse> {
  const { scope, non_archived: withoutArchived } = request.params;
  if (scope !== 'all' && request.caller === undefined) {
    throw unauthenticated(
      'listing your own merge requests requires a token; without a token, use scope=all to list the public ones',
    );
  }
  return mergeRequestPage(core, request, { scope, withoutArchived });
}

function listGroupMergeRequests(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof listGroupParameters>> & FoundGroup,
): Promise<RawResponse> {
  const { scope = 'all', non_archived: withoutArchived } = request.params;
  return mergeRequestPage(core, request, { scope, groupId: request.group.id, withoutArchived });
}

function listProjectMergeRequests(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof listProjectParameters>> & FoundProject,
): Promise<RawResponse> {
  if (!request.can.readMergeRequests) {
    throw forbidden(
      undefined,
      'viewing merge requests of a private project requires at least the reporter role',
      'ability.readCode',
    );
  }
  const { scope = 'all', iids } = request.params;
  const requested = iids === undefined || iids.length === 0 ? undefined : iids;
  return mergeRequestPage(core, request, { scope, projectId: request.project.id, iids: requested });
}

async function openMergeRequest(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof openParameters>>,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const { params, caller, baseUrl } = request;
  const { target_project_id: targetId } = params;
  const target = targetId === undefined ? request : findProject(core, targetId, caller);
  if (target === undefined) throw notFound('Project', 'the target project does not exist, or is not visible to the caller');
  const opened = createMergeRequest(core, { source: request, target }, caller.user, {
    title: params.title,
    sourceBranch: params.source_branch,
    targetBranch: params.target_branch,
    ...readInput(params),
  });
  return presentMergeRequest(core, target, opened, { user: caller.user, baseUrl });
}

function showMergeRequest(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showParameters>> & FoundProject,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const { params, caller, baseUrl } = request;
  return presentMergeRequest(core, request, mustFind(core, request, params.merge_request_iid), {
    user: caller?.user,
    baseUrl,
    withDiverged: params.include_diverged_commits_count,
    withRebase: params.include_rebase_in_progress,
  });
}

async function changeMergeRequest(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof changedParameters>>,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const { params, caller, baseUrl } = request;
  const sent = request.linkParameters();
  demandOneOf(request, changeable);
  const before = mustFind(core, request, params.merge_request_iid);
  const after = updateMergeRequest(core, request, before, caller.user, {
    title: params.title,
    targetBranch: params.target_branch === '' ? undefined : params.target_branch,
    stateEvent: params.state_event,
    discussionLocked: params.discussion_locked,
    ...readInput(params),
    add: params.add_labels,
    remove: params.remove_labels,
    ...(isSentEmpty(sent, 'description') ? { description: '' } : {}),
    ...(isSentEmpty(sent, 'milestone_id') ? { milestoneId: null } : {}),
  });
  await mergeIfDue(core, after);
  return presentMergeRequest(core, request, mustFind(core, request, after.iid), { user: caller.user, baseUrl });
}

function removeMergeRequest(core: GitCore, request: ProjectRequest<ParametersOf<typeof onePath>>): void {
  const found = mustFind(core, request, request.params.merge_request_iid);
  if (request.project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  deleteMergeRequest(core, found);
}

/** Parameters of which an update requires at least one, in the order in which the error message lists them. */
const changeable = [
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'description',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'remove_source_branch',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'state_event',
  'target_branch',
  'title',
  'discussion_locked',
  'squash',
] as const;

/** Returns the ids of assignees and reviewers. The list takes precedence over the deprecated single id; 0 means none. */
function readInput(params: {
  readonly description: string | undefined;
  readonly assignee_id: number | undefined;
  readonly assignee_ids: readonly number[] | undefined;
  readonly reviewer_ids: readonly number[] | undefined;
  readonly labels: readonly string[] | undefined;
  readonly milestone_id: number | undefined;
  readonly squash: boolean | undefined;
  readonly remove_source_branch: boolean | undefined;
  readonly allow_collaboration: boolean | undefined;
  readonly allow_maintainer_to_push: boolean | undefined;
}) {
  const single = params.assignee_id === undefined ? undefined : [params.assignee_id];
  return {
    description: params.description,
    assigneeIds: (params.assignee_ids ?? single)?.filter((id) => id !== 0),
    reviewerIds: params.reviewer_ids?.filter((id) => id !== 0),
    labels: params.labels,
    milestoneId: params.milestone_id === 0 ? null : params.milestone_id,
    squash: params.squash,
    removeSourceBranch: params.remove_source_branch,
    allowCollaboration: params.allow_collaboration ?? params.allow_maintainer_to_push,
  };
}
