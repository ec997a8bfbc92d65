import type { Core } from '../../../core/core.ts';
import { type FormerIssue, type Issue, issuesById, peopleOnIssue } from '../../issues/issues.ts';
import { labelsOf } from '../../labels/labels.ts';
import { presentTimeStats } from '../../timeTracking/timeTracking.ts';
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

const stateIds = { opened: 1, closed: 2 } as const;
const types = { issue: 'Issue', incident: 'Incident', test_case: 'Test Case', task: 'Task' } as const;

export interface IssueAction {
  readonly action: 'open' | 'close' | 'reopen' | 'update';
  readonly userId: number;
  /** The issue before an update. */
  readonly before?: FormerIssue;
}

/** Returns the payload of a change of an issue, or undefined if it no longer exists. */
export function issuePayload(
  core: Core,
  place: Place,
  issueId: number,
  { action, userId, before }: IssueAction,
): NewPayload | undefined {
  const issue = issuesById(core, [issueId]).get(issueId);
  if (issue === undefined) return undefined;
  const attributes = issueMember(core, place, issue);
  const { labels } = attributes;
  const assignees = userMembers(core, attributes.assignee_ids);
  return {
    payload: {
      object_kind: 'issue',
      event_type: issue.confidential === 1 ? 'confidential_issue' : 'issue',
      user: userMember(core, userId),
      project: projectMember(place),
      object_attributes: { ...attributes, action },
      labels,
      changes: before === undefined ? stateChanges(action, issue) : changesSince(core, before, issue, { labels, assignees }),
      repository: repositoryMember(place),
      ...(assignees.length === 0 ? {} : { assignees }),
    },
  };
}

/** Returns an issue as payloads have it. */
export function issueMember(core: Core, { baseUrl }: Place, issue: Issue) {
  const assigneeIds = peopleOnIssue(core, issue.id);
  const { total_time_spent, human_time_estimate, human_total_time_spent } = presentTimeStats(issue);
  return {
    ...plainValues(issue),
    author_id: issue.author_id,
    closed_at: issue.closed_at === null ? null : isoSeconds(issue.closed_at),
    created_at: isoSeconds(issue.created_at),
    id: issue.id,
    iid: issue.iid,
    moved_to_id: issue.moved_to_id,
    project_id: issue.project_id,
    relative_position: issue.relative_position,
    state_id: stateIds[issue.state],
    time_estimate: issue.time_estimate,
    updated_at: isoSeconds(issue.updated_at),
    url: `${baseUrl}/${issue.project_path}/-/issues/${issue.iid}`,
    total_time_spent,
    human_total_time_spent,
    human_time_estimate,
    assignee_ids: assigneeIds,
    assignee_id: assigneeIds[0] ?? null,
    labels: labelMembers(labelsOf(core, 'Issue', [issue.id]).get(issue.id) ?? []),
    state: issue.state,
    severity: 'unknown',
  };
}

/** The attributes that an update can change. */
function plainValues(issue: Issue) {
  return {
    title: issue.title,
    description: issue.description,
    confidential: issue.confidential === 1,
    discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked === 1,
    due_date: issue.due_date,
    milestone_id: issue.milestone_id,
    weight: issue.weight,
    type: types[issue.issue_type],
  };
}

function stateChanges(action: IssueAction['action'], issue: Issue) {
  if (action !== 'close' && action !== 'reopen') return {};
  const closes = action === 'close';
  return differences({ state_id: closes ? stateIds.opened : stateIds.closed }, { state_id: stateIds[issue.state] });
}

function changesSince(
  core: Core,
  before: FormerIssue,
  issue: Issue,
  { labels, assignees }: { labels: unknown; assignees: unknown },
) {
  const { row } = before;
  return differences(
    {
      ...plainValues(row),
      updated_at: isoSeconds(row.updated_at),
      labels: labelMembers(before.labels),
      assignees: userMembers(core, before.assigneeIds),
    },
    { ...plainValues(issue), updated_at: isoSeconds(issue.updated_at), labels, assignees },
  );
}
