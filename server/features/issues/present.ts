import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { ApiRequest } from '../../http/route.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { labelsOf, presentLabelBasic } from '../labels/labels.ts';
import { milestonesById } from '../milestones/milestones.ts';
import { commentCounts } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { isSubscribed } from '../subscriptions/subscriptions.ts';
import { presentTimeStats } from '../timeTracking/timeTracking.ts';
import type { detailedIssue, issueResponse } from './responses.ts';
import { participates } from './participants.ts';
import { taskCounts, weights } from './rules.ts';
import { assigneesOf, closingCounts, type IssueRow as Issue } from './store.ts';

type Wire = ResponseOf<typeof issueResponse>;

const wireTypes = { issue: 'ISSUE', incident: 'INCIDENT', test_case: 'TEST_CASE', task: 'TASK' } as const;

/** The caller and the base URL of the request. */
export type Reader = Pick<ApiRequest<unknown>, 'baseUrl' | 'caller'>;

/** Presents issues with the members that lists and single issues have in common. */
export function presentIssues(core: Core, issues: readonly Issue[], { baseUrl, caller }: Reader): Wire[] {
  const ids = issues.map((issue) => issue.id);
  const assignees = Map.groupBy(assigneesOf(core.store, ids), (row) => row.issue_id);
  const comments = commentCounts(core, 'Issue', ids, caller);
  const closing = new Map(
    closingCounts(core.store, ids, { viewer: viewerId(caller), readable: readableCodeSql(accessOf(caller)) }).map(
      (row) => [row.issue_id, row.n] as const,
    ),
  );
  const labels = labelsOf(core, 'Issue', ids);
  const milestones = milestonesById(
    core,
    issues.map((issue) => issue.milestone_id),
    baseUrl,
  );
  const person = peopleOf(core, baseUrl);
  const hasWeights = isAvailable(weights, core.profile);
  return issues.map((issue) => {
    const api = `${baseUrl}/api/v4/projects/${issue.project_id}`;
    const tasks = taskCounts(issue.description ?? '');
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
      type: wireTypes[issue.issue_type],
      assignee: own[0] ?? null,
      user_notes_count: comments.get(issue.id) ?? 0,
      merge_requests_count: closing.get(issue.id) ?? 0,
      upvotes: 0,
      downvotes: 0,
      due_date: issue.due_date,
      confidential: issue.confidential === 1,
      discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked === 1,
      issue_type: issue.issue_type,
      web_url: `${baseUrl}/${issue.project_path}/-/issues/${issue.iid}`,
      time_stats: presentTimeStats(issue),
      task_completion_status: tasks,
      ...(hasWeights ? { weight: issue.weight } : {}),
      blocking_issues_count: 0,
      has_tasks: tasks.count > 0,
      _links: {
        self: `${api}/issues/${issue.iid}`,
        notes: `${api}/issues/${issue.iid}/notes`,
        project: api,
        closed_as_duplicate_of: null,
      },
      references: { short: `#${issue.iid}`, relative: `#${issue.iid}`, full: `${issue.project_path}#${issue.iid}` },
      severity: 'UNKNOWN',
      moved_to_id: issue.moved_to_id,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
    };
  });
}

/** Presents a single issue for the caller. */
export function presentIssue(core: Core, issue: Issue, reader: Reader): Wire {
  const [shown] = presentIssues(core, [issue], reader);
  if (shown === undefined) throw new Error('an issue was not presented');
  const target = { type: 'Issue', id: issue.id } as const;
  const user = reader.caller?.user;
  return {
    ...shown,
    subscribed: user !== undefined && isSubscribed(core, target, user, participates(core, issue, user)),
  };
}

/** Replaces the label titles of presented issues with label details. */
export function withLabelDetails(core: Core, issues: readonly Wire[]): ResponseOf<typeof detailedIssue>[] {
  const labels = labelsOf(
    core,
    'Issue',
    issues.map(({ id }) => id),
  );
  return issues.map((issue) => ({ ...issue, labels: (labels.get(issue.id) ?? []).map(presentLabelBasic) }));
}
