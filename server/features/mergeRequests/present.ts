import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { openRepository } from '../git/git.ts';
import { countCommits } from '../../repositories/objects.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller, User } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { taskCounts } from '../issues/issues.ts';
import { labelsOf, presentLabelBasic } from '../labels/labels.ts';
import { milestonesById } from '../milestones/milestones.ts';
import { commentCounts } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import type {
  approvalState,
  listedMergeRequest,
  mergeRequestResponse,
  reviewerResponse,
  simpleMergeRequest,
  versionResponse,
} from './responses.ts';
import { mayApprove } from './approvals.ts';
import { isSubscribed } from '../subscriptions/subscriptions.ts';
import { mayMerge, type MergeRequest, participates } from './manageMergeRequests.ts';
import { detailedStatus, mergeStatus } from './rules.ts';
import { approvalsOf, assigneesOf, reviewersOf } from './store.ts';
import { examined, type KnownVersion, mergeMetadata } from './versions.ts';

const flag = (value: 0 | 1 | null): boolean | null => (value === null ? null : value === 1);
const time = (at: number | null): string | null => (at === null ? null : isoTime(at));

function simpleMembers(mergeRequest: MergeRequest) {
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    project_id: mergeRequest.project_id,
    title: mergeRequest.title,
    description: mergeRequest.description,
    state: mergeRequest.state,
    created_at: isoTime(mergeRequest.created_at),
    updated_at: isoTime(mergeRequest.updated_at),
  };
}

function webUrl(mergeRequest: MergeRequest, baseUrl: string): string {
  return `${baseUrl}/${mergeRequest.project_path}/-/merge_requests/${mergeRequest.iid}`;
}

export function presentSimple(mergeRequest: MergeRequest, baseUrl: string): ResponseOf<typeof simpleMergeRequest> {
  return { ...simpleMembers(mergeRequest), web_url: webUrl(mergeRequest, baseUrl) };
}

/** Presents merge requests for lists. Mergeability is reported as last checked. */
export function presentMergeRequests(
  core: Core,
  mergeRequests: readonly MergeRequest[],
  { caller, baseUrl }: { readonly caller: Pick<Caller, 'user'> | undefined; readonly baseUrl: string },
  withLabelDetails = false,
): ResponseOf<typeof listedMergeRequest>[] {
  const { store } = core;
  const ids = mergeRequests.map((mergeRequest) => mergeRequest.id);
  const assignees = Map.groupBy(assigneesOf(store, ids), (row) => row.merge_request_id);
  const reviewers = Map.groupBy(reviewersOf(store, ids), (row) => row.merge_request_id);
  const comments = commentCounts(core, 'MergeRequest', ids, caller);
  const labels = labelsOf(core, 'MergeRequest', ids);
  const milestones = milestonesById(
    core,
    mergeRequests.map((mergeRequest) => mergeRequest.milestone_id),
    baseUrl,
  );
  const person = peopleOf(core, baseUrl);
  const people = (rows: readonly { readonly user_id: number }[] | undefined) =>
    (rows ?? []).map((row) => person(row.user_id)).filter((one) => one !== null);
  return mergeRequests.map((mergeRequest) => {
    const metadata = mergeMetadata(mergeRequest);
    const carried = labels.get(mergeRequest.id) ?? [];
    const assigned = people(assignees.get(mergeRequest.id));
    const isFromFork = mergeRequest.source_project_id !== mergeRequest.project_id;
    const collaboration = mergeRequest.allow_collaboration === 1;
    const merger = person(mergeRequest.merged_by ?? (mergeRequest.auto_merge === 1 ? mergeRequest.auto_merge_user_id : null));
    return {
      ...simpleMembers(mergeRequest),
      merged_by: person(mergeRequest.merged_by),
      merge_user: merger,
      merged_at: time(mergeRequest.merged_at),
      closed_by: person(mergeRequest.closed_by),
      closed_at: time(mergeRequest.closed_at),
      target_branch: mergeRequest.target_branch,
      source_branch: mergeRequest.source_branch,
      user_notes_count: comments.get(mergeRequest.id) ?? 0,
      upvotes: 0,
      downvotes: 0,
      author: person(mergeRequest.author_id),
      assignees: assigned,
      assignee: assigned[0] ?? null,
      reviewers: people(reviewers.get(mergeRequest.id)),
      source_project_id: mergeRequest.source_project_id,
      target_project_id: mergeRequest.project_id,
      labels: withLabelDetails ? carried.map(presentLabelBasic) : carried.map(({ title }) => title),
      milestone: mergeRequest.milestone_id === null ? null : (milestones.get(mergeRequest.milestone_id) ?? null),
      draft: mergeRequest.draft === 1,
      imported: false,
      imported_from: 'none',
      work_in_progress: mergeRequest.draft === 1,
      merge_when_pipeline_succeeds: mergeRequest.auto_merge === 1,
      merge_status: mergeStatus(metadata),
      detailed_merge_status: detailedStatus(metadata),
      merge_after: null,
      sha: mergeRequest.head_sha,
      merge_commit_sha: mergeRequest.merge_commit_sha,
      squash_commit_sha: mergeRequest.squash_commit_sha,
      discussion_locked: flag(mergeRequest.discussion_locked),
      should_remove_source_branch: flag(mergeRequest.should_remove_source_branch),
      force_remove_source_branch: flag(mergeRequest.force_remove_source_branch),
      prepared_at: isoTime(mergeRequest.created_at),
      ...(isFromFork ? { allow_collaboration: collaboration, allow_maintainer_to_push: collaboration } : {}),
      reference: `!${mergeRequest.iid}`,
      references: {
        short: `!${mergeRequest.iid}`,
        relative: `!${mergeRequest.iid}`,
        full: `${mergeRequest.project_path}!${mergeRequest.iid}`,
      },
      web_url: webUrl(mergeRequest, baseUrl),
      time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
      squash: mergeRequest.squash === 1,
      squash_on_merge: mergeRequest.squash === 1,
      task_completion_status: taskCounts(mergeRequest.description ?? ''),
      has_conflicts: metadata.conflicts === true,
      blocking_discussions_resolved: true,
      approvals_before_merge: null,
    };
  });
}

export interface PresentOptions {
  readonly user: User | undefined;
  readonly baseUrl: string;
  readonly withDiverged?: boolean | undefined;
  readonly withRebase?: boolean | undefined;
}

/** Presents one merge request with all details from git. */
export async function presentMergeRequest(
  core: GitCore,
  found: FoundProject,
  given: MergeRequest,
  { user, baseUrl, withDiverged, withRebase }: PresentOptions,
): Promise<ResponseOf<typeof mergeRequestResponse>> {
  const mergeRequest = await examined(core, found, given);
  const [basic] = presentMergeRequests(core, [mergeRequest], { caller: user && { user }, baseUrl });
  if (basic === undefined) throw new Error('the merge request was not presented');
  const { base_sha, head_sha, start_sha, changes_count, target_head } = mergeRequest;
  const repository = withDiverged === true ? await openRepository(core, found.project) : undefined;
  const diverged =
    repository === undefined || target_head === null
      ? 0
      : await countCommits(repository, { from: [target_head], without: [head_sha] }, MAX_DIVERGED);
  return {
    ...basic,
    subscribed: user !== undefined && isFollowed(core, mergeRequest, user),
    changes_count: changes_count === null ? null : String(changes_count),
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    pipeline: null,
    head_pipeline: null,
    diff_refs: base_sha === null ? null : { base_sha, head_sha, start_sha },
    merge_error: null,
    ...(withRebase === true ? { rebase_in_progress: false } : {}),
    ...(withDiverged === true ? { diverged_commits_count: diverged } : {}),
    first_contribution: false,
    user: { can_merge: mayMerge(core, found, mergeRequest) },
  };
}

/** Returns true if the user is subscribed, explicitly or as a participant. */
function isFollowed(core: Core, mergeRequest: MergeRequest, user: User): boolean {
  return isSubscribed(core, { type: 'MergeRequest', id: mergeRequest.id }, user, participates(core, mergeRequest, user));
}

const MAX_DIVERGED = 10_000;

export function presentReviewers(core: Core, mergeRequest: MergeRequest, baseUrl: string): ResponseOf<typeof reviewerResponse>[] {
  const person = peopleOf(core, baseUrl);
  return reviewersOf(core.store, [mergeRequest.id]).flatMap(({ user_id, state, created_at }) => {
    const user = person(user_id);
    return user === null ? [] : [{ user, state, created_at: isoTime(created_at) }];
  });
}

export function presentVersion(version: KnownVersion, mergeRequest: MergeRequest): ResponseOf<typeof versionResponse> {
  return {
    id: version.id,
    head_commit_sha: version.head_sha,
    base_commit_sha: version.base_sha,
    start_commit_sha: version.start_sha,
    created_at: isoTime(version.created_at),
    merge_request_id: mergeRequest.id,
    state: 'collected',
    real_size: String(version.changes_count),
    patch_id_sha: null,
  };
}

export function presentApprovals(
  core: Core,
  found: FoundProject,
  mergeRequest: MergeRequest,
  user: User,
  baseUrl: string,
): ResponseOf<typeof approvalState> {
  const person = peopleOf(core, baseUrl);
  const approvals = approvalsOf(core.store, mergeRequest.id);
  const hasRules = core.profile.tier !== 'free';
  return {
    ...simpleMembers(mergeRequest),
    merge_status: mergeStatus(mergeMetadata(mergeRequest)),
    // Approvals are not required without approval rules.
    approved: true,
    approvals_required: 0,
    approvals_left: 0,
    require_password_to_approve: false,
    approved_by: approvals.flatMap(({ user_id, created_at }) => {
      const approver = person(user_id);
      return approver === null ? [] : [{ user: approver, approved_at: isoTime(created_at) }];
    }),
    suggested_approvers: [],
    approvers: [],
    approver_groups: [],
    user_has_approved: approvals.some((row) => row.user_id === user.id),
    user_can_approve: mayApprove(core, found, mergeRequest, user),
    approval_rules_left: [],
    has_approval_rules: false,
    merge_request_approvers_available: hasRules,
    multiple_approval_rules_available: hasRules,
    invalid_approvers_rules: [],
  };
}
