import * as z from 'zod';
import type { Issue } from '../../../src/contract/issues.ts';
import { address, count, day, eitherOf, id, moment, named, readAs, limitedMember } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { labelBasic } from '../labels/labels.ts';
import { milestoneResponse } from '../milestones/milestones.ts';
import { timeStats } from '../timeTracking/timeTracking.ts';
import { issueTypes, weights } from './rules.ts';

/** Members of an issue in all full responses. */
export const issueMembers = () => ({
  id: id(),
  iid: id(),
  project_id: id(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.enum(['opened', 'closed']),
  created_at: moment(),
  updated_at: moment(),
  closed_at: moment().nullable(),
  closed_by: userBasic().nullable(),
  labels: z.array(z.string()),
  milestone: milestoneResponse().nullable(),
  assignees: z.array(userBasic()),
  author: userBasic().nullable(),
  type: z.enum(['ISSUE', 'INCIDENT', 'TEST_CASE', 'TASK']),
  assignee: userBasic().nullable(),
  user_notes_count: count(),
  merge_requests_count: count(),
  upvotes: count(),
  downvotes: count(),
  due_date: day().nullable(),
  confidential: z.boolean(),
  discussion_locked: z.boolean().nullable(),
  issue_type: z.enum(issueTypes),
  web_url: address(),
  time_stats: timeStats(),
  task_completion_status: z.strictObject({ count: count(), completed_count: count() }),
  // In tiers with issue weights.
  weight: limitedMember(weights, z.int().nullable().exactOptional()),
  blocking_issues_count: count(),
  has_tasks: z.boolean(),
  _links: z.strictObject({
    self: address(),
    notes: address(),
    project: address(),
    closed_as_duplicate_of: address().nullable(),
  }),
  references: z.strictObject({ short: z.string(), relative: z.string(), full: z.string() }),
  severity: z.literal('UNKNOWN'),
  moved_to_id: id().nullable(),
  imported: z.boolean(),
  imported_from: z.string(),
  service_desk_reply_to: z.string().nullable(),
  // In responses with a single issue.
  subscribed: z.boolean().exactOptional(),
});

/** Numbers of issues in a list. */
export const statistics = named('IssuesStatistics', () =>
  z.strictObject({
    statistics: z.strictObject({ counts: z.strictObject({ all: count(), closed: count(), opened: count() }) }),
  }),
);

export const issueResponse = named('Issue', () => readAs<Issue>()(z.strictObject(issueMembers())));

export const detailedIssue = named('IssueWithLabels', () => z.strictObject({ ...issueMembers(), labels: z.array(labelBasic()) }));

/** Issue in lists; with `with_labels_details=true` its labels have details. */
export const listedIssue = eitherOf(issueResponse, detailedIssue);
