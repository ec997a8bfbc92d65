import type { Core } from '../../../core/core.ts';
import { labelsOf } from '../../labels/labels.ts';
import { type FormerMergeRequest, type MergeRequest, mustFindMergeRequest, peopleOn } from '../../mergeRequests/mergeRequests.ts';
import { projectById } from '../../projectAccess/projectAccess.ts';
import type { Completion } from '../completion.ts';
import {
  differences,
  isoSeconds,
  labelMembers,
  type NewPayload,
  type Place,
  projectMember,
  repositoryMember,
  userMember,
  userMembers,
} from './parts.ts';

const stateIds = { opened: 1, closed: 2, merged: 3, locked: 4 } as const;

export interface MergeRequestAction {
  readonly action: 'open' | 'close' | 'reopen' | 'update' | 'merge' | 'approved' | 'unapproved';
  readonly userId: number;
  /** The merge request before an update. */
  readonly before?: FormerMergeRequest;
  /** Newest commit before a push. */
  readonly formerHead?: string;
}

/** Returns the payload of a change of a merge request. */
export function mergeRequestPayload(
  core: Core,
  place: Place,
  id: number,
  { action, userId, before, formerHead }: MergeRequestAction,
): NewPayload {
  const mergeRequest = mustFindMergeRequest(core, id);
  const attributes = mergeRequestMember(core, place, mergeRequest);
  const { labels } = attributes;
  const assignees = userMembers(core, attributes.assignee_ids);
  const reviewers = userMembers(core, attributes.reviewer_ids);
  return {
    payload: {
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: userMember(core, userId),
      project: projectMember(place),
      object_attributes: { ...attributes, action, ...(formerHead === undefined ? {} : { oldrev: formerHead }) },
      labels,
      changes: before === undefined ? {} : changesSince(core, before, mergeRequest, { labels, assignees, reviewers }),
      repository: repositoryMember(place),
      ...(assignees.length === 0 ? {} : { assignees }),
      ...(reviewers.length === 0 ? {} : { reviewers }),
    },
    completion: lastCommitOf(mergeRequest, 'object_attributes'),
  };
}

/** Returns what adds the last commit of a merge request to a payload. */
export function lastCommitOf(mergeRequest: MergeRequest, as: 'object_attributes' | 'merge_request'): Completion {
  // The target project has the commits of forks, too.
  return { kind: 'commit', projectId: mergeRequest.project_id, sha: mergeRequest.head_sha, as };
}

/** Returns a merge request as payloads have it, without its last commit. */
export function mergeRequestMember(core: Core, place: Place, mergeRequest: MergeRequest) {
  const { assignees, reviewers } = peopleOn(core, mergeRequest);
  const { source_project_id: sourceId } = mergeRequest;
  const source = sourceId === null ? undefined : projectById(core.store, sourceId, 0);
  return {
    ...plainValues(mergeRequest),
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    author_id: mergeRequest.author_id,
    assignee_ids: assignees,
    assignee_id: assignees[0] ?? null,
    reviewer_ids: reviewers,
    source_branch: mergeRequest.source_branch,
    source_project_id: sourceId,
    target_project_id: mergeRequest.project_id,
    created_at: isoSeconds(mergeRequest.created_at),
    updated_at: isoSeconds(mergeRequest.updated_at),
    state: mergeRequest.state,
    state_id: stateIds[mergeRequest.state],
    merge_commit_sha: mergeRequest.merge_commit_sha,
    merge_user_id: mergeRequest.merged_by ?? mergeRequest.auto_merge_user_id,
    merge_when_pipeline_succeeds: mergeRequest.auto_merge === 1,
    url: `${place.baseUrl}/${mergeRequest.project_path}/-/merge_requests/${mergeRequest.iid}`,
    source: source === undefined ? null : projectMember({ ...place, project: source }),
    target: projectMember(place),
    labels: labelMembers(labelsOf(core, 'MergeRequest', [mergeRequest.id]).get(mergeRequest.id) ?? []),
  };
}

/** The attributes that an update can change. */
function plainValues(mergeRequest: MergeRequest) {
  return {
    title: mergeRequest.title,
    description: mergeRequest.description,
    draft: mergeRequest.draft === 1,
    work_in_progress: mergeRequest.draft === 1,
    target_branch: mergeRequest.target_branch,
    milestone_id: mergeRequest.milestone_id,
    discussion_locked: mergeRequest.discussion_locked === null ? null : mergeRequest.discussion_locked === 1,
  };
}

function changesSince(
  core: Core,
  before: FormerMergeRequest,
  mergeRequest: MergeRequest,
  people: { readonly labels: unknown; readonly assignees: unknown; readonly reviewers: unknown },
) {
  return differences(
    {
      ...plainValues(before.row),
      updated_at: isoSeconds(before.row.updated_at),
      labels: labelMembers(before.labels),
      assignees: userMembers(core, before.assigneeIds),
      reviewers: userMembers(core, before.reviewerIds),
    },
    { ...plainValues(mergeRequest), updated_at: isoSeconds(mergeRequest.updated_at), ...people },
  );
}
