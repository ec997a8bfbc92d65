import * as z from 'zod';
import { commit as commitResponse, diff as diffResponse } from '../code/code.ts';
import { address, count, eitherOf, id, moment, named } from '../../http/responses.ts';
import { labelBasic } from '../labels/labels.ts';
import { milestoneResponse } from '../milestones/milestones.ts';
import { userBasic } from '../profiles/profiles.ts';

const sha = () => z.string();
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullable();

const simple = () => ({
  id: id(),
  iid: id(),
  project_id: id(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  created_at: moment(),
  updated_at: moment(),
});

export const simpleMergeRequest = named('MergeRequestSimple', () => z.strictObject({ ...simple(), web_url: address() }));

const basic = () => ({
  ...simple(),
  merged_by: maybe(userBasic()),
  merge_user: maybe(userBasic()),
  merged_at: maybe(moment()),
  closed_by: maybe(userBasic()),
  closed_at: maybe(moment()),
  target_branch: z.string(),
  source_branch: z.string(),
  user_notes_count: count(),
  upvotes: count(),
  downvotes: count(),
  author: maybe(userBasic()),
  assignees: z.array(userBasic()),
  assignee: maybe(userBasic()),
  reviewers: z.array(userBasic()),
  source_project_id: maybe(id()),
  target_project_id: id(),
  labels: z.union([z.array(z.string()), z.array(labelBasic())]),
  milestone: maybe(milestoneResponse()),
  draft: z.boolean(),
  imported: z.boolean(),
  imported_from: z.string(),
  work_in_progress: z.boolean(),
  merge_when_pipeline_succeeds: z.boolean(),
  merge_status: z.enum(['unchecked', 'can_be_merged', 'cannot_be_merged']),
  detailed_merge_status: z.enum(['not_open', 'commits_status', 'unchecked', 'draft_status', 'conflict', 'mergeable']),
  merge_after: z.null(),
  sha: sha(),
  merge_commit_sha: maybe(sha()),
  squash_commit_sha: maybe(sha()),
  discussion_locked: maybe(z.boolean()),
  should_remove_source_branch: maybe(z.boolean()),
  force_remove_source_branch: maybe(z.boolean()),
  prepared_at: moment(),
  allow_collaboration: z.boolean().optional(),
  allow_maintainer_to_push: z.boolean().optional(),
  reference: z.string(),
  references: z.strictObject({ short: z.string(), relative: z.string(), full: z.string() }),
  web_url: address(),
  time_stats: z.strictObject({
    time_estimate: count(),
    total_time_spent: count(),
    human_time_estimate: z.null(),
    human_total_time_spent: z.null(),
  }),
  squash: z.boolean(),
  squash_on_merge: z.boolean(),
  task_completion_status: z.strictObject({ count: count(), completed_count: count() }),
  has_conflicts: z.boolean(),
  blocking_discussions_resolved: z.boolean(),
  approvals_before_merge: z.null(),
});

/** A merge request in lists. */
export const listedMergeRequest = named('MergeRequestBasic', () => z.strictObject(basic()));

/** A page of a list: the full form, or the short form with `view=simple`. */
export const mergeRequestList = () => z.array(eitherOf(listedMergeRequest, simpleMergeRequest)());

const detail = () => ({
  ...basic(),
  subscribed: z.boolean(),
  changes_count: z.string().nullable(),
  latest_build_started_at: z.null(),
  latest_build_finished_at: z.null(),
  first_deployed_to_production_at: z.null(),
  pipeline: z.null(),
  head_pipeline: z.null(),
  diff_refs: z.strictObject({ base_sha: sha(), head_sha: sha(), start_sha: sha() }).nullable(),
  merge_error: z.null(),
  rebase_in_progress: z.boolean().optional(),
  diverged_commits_count: count().optional(),
  first_contribution: z.boolean(),
  user: z.strictObject({ can_merge: z.boolean() }),
});

/** A single merge request. */
export const mergeRequestResponse = named('MergeRequest', () => z.strictObject(detail()));

export const mergeRequestChanges = named('MergeRequestChanges', () =>
  z.strictObject({ ...detail(), changes: z.array(diffResponse()), overflow: z.boolean() }),
);

export const reviewerResponse = named('MergeRequestReviewer', () =>
  z.strictObject({
    user: userBasic(),
    state: z.enum(['unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved', 'review_started']),
    created_at: moment(),
  }),
);

const version = () => ({
  id: id(),
  head_commit_sha: sha(),
  base_commit_sha: sha(),
  start_commit_sha: sha(),
  created_at: moment(),
  merge_request_id: id(),
  state: z.literal('collected'),
  real_size: z.string(),
  patch_id_sha: z.null(),
});

export const versionResponse = named('MergeRequestVersion', () => z.strictObject(version()));

export const versionDetail = named('MergeRequestVersionDetail', () =>
  z.strictObject({ ...version(), commits: z.array(commitResponse()), diffs: z.array(diffResponse()) }),
);

export const approvalState = named('MergeRequestApprovals', () =>
  z.strictObject({
    ...simple(),
    merge_status: z.enum(['unchecked', 'can_be_merged', 'cannot_be_merged']),
    approved: z.boolean(),
    approvals_required: count(),
    approvals_left: count(),
    require_password_to_approve: z.boolean(),
    approved_by: z.array(z.strictObject({ user: userBasic(), approved_at: moment() })),
    suggested_approvers: z.array(userBasic()),
    approvers: z.array(userBasic()),
    approver_groups: z.array(z.never()),
    user_has_approved: z.boolean(),
    user_can_approve: z.boolean(),
    approval_rules_left: z.array(z.never()),
    has_approval_rules: z.boolean(),
    merge_request_approvers_available: z.boolean(),
    multiple_approval_rules_available: z.boolean(),
    invalid_approvers_rules: z.array(z.never()),
  }),
);
