import { isoTime } from '../clock.ts';
import type { AnswerOf } from '../http/answers.ts';
import { peopleOf } from '../identity/identity.ts';
import { labelsOf, presentLabelBasic } from '../labels/labels.ts';
import { milestonesById } from '../milestones/milestones.ts';
import { commentCounts } from '../notes/notes.ts';
import type { Platform } from '../platform.ts';
import type { detailedIssue, issueAnswer } from './answers.ts';
import type { Issue } from './issues.ts';
import { taskCounts } from './rules.ts';
import { assigneesOf } from './store.ts';

type Wire = AnswerOf<typeof issueAnswer>;

/** Some issues in the form of lists and of one. */
export function presentIssues(platform: Platform, issues: readonly Issue[], baseUrl: string): Wire[] {
  const ids = issues.map((issue) => issue.id);
  const assignees = Map.groupBy(assigneesOf(platform.store, ids), (row) => row.issue_id);
  const comments = commentCounts(platform, 'Issue', ids);
  const labels = labelsOf(platform, 'Issue', ids);
  const milestones = milestonesById(
    platform,
    issues.map((issue) => issue.milestone_id),
    baseUrl,
  );
  const person = peopleOf(platform, baseUrl);
  return issues.map((issue) => {
    const api = `${baseUrl}/api/v4/projects/${issue.project_id}`;
    const own = (assignees.get(issue.id) ?? []).map((row) => person(row.user_id)).filter((one) => one !== null);
    return {
      id: issue.id,
      iid: issue.iid,
      project_id: issue.project_id,
      title: issue.title,
      description: issue.description,
      state: issue.state,
      created_at: isoTime(issue.created_at),
      updated_at: isoTime(issue.updated_at),
      closed_at: issue.closed_at === null ? null : isoTime(issue.closed_at),
      closed_by: person(issue.closed_by),
      labels: (labels.get(issue.id) ?? []).map(({ title }) => title),
      milestone: issue.milestone_id === null ? null : (milestones.get(issue.milestone_id) ?? null),
      assignees: own,
      author: person(issue.author_id),
      type: 'ISSUE',
      assignee: own[0] ?? null,
      user_notes_count: comments.get(issue.id) ?? 0,
      merge_requests_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: issue.due_date,
      confidential: issue.confidential === 1,
      discussion_locked: null,
      issue_type: 'issue',
      web_url: `${baseUrl}/${issue.project_path}/-/issues/${issue.iid}`,
      time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
      task_completion_status: taskCounts(issue.description ?? ''),
      weight: null,
      blocking_issues_count: 0,
      has_tasks: taskCounts(issue.description ?? '').count > 0,
      _links: {
        self: `${api}/issues/${issue.iid}`,
        notes: `${api}/issues/${issue.iid}/notes`,
        project: api,
        closed_as_duplicate_of: null,
      },
      references: { short: `#${issue.iid}`, relative: `#${issue.iid}`, full: `${issue.project_path}#${issue.iid}` },
      severity: 'UNKNOWN',
      moved_to_id: null,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
    };
  });
}

/** The same issues with the details of their labels in place of the titles. */
export function withLabelDetails(platform: Platform, issues: readonly Wire[]): AnswerOf<typeof detailedIssue>[] {
  const labels = labelsOf(
    platform,
    'Issue',
    issues.map(({ id }) => id),
  );
  return issues.map((issue) => ({ ...issue, labels: (labels.get(issue.id) ?? []).map(presentLabelBasic) }));
}
