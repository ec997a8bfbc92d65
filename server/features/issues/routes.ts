import { isoDate } from '../../core/clock.ts';
import { demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import { forbidden, invalidRecord } from '../../core/errors.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';
import {
  boolean,
  date,
  integer,
  integers,
  oneOf,
  required,
  string,
  strings,
  time,
  limited,
  type ParametersOf,
} from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { issueActionRoutes } from './actionRoutes.ts';
import { issueResponse } from './responses.ts';
import { createIssue, deleteIssue, updateIssue } from './manageIssues.ts';
import { mustFindIssue, onePath, PATH } from './route.ts';
import { issueListRoutes } from './listRoutes.ts';
import { milestoneIssueRoutes } from './milestoneRoutes.ts';
import { issueNoteRoutes } from './noteRoutes.ts';
import { presentIssue } from './present.ts';
import { issueTypes, weights } from './rules.ts';
import type { ResponseOf } from '../../http/responses.ts';

const issueValues = (core: Core) => ({
  description: string(),
  assignee_ids: integers(),
  assignee_id: integer(),
  labels: strings(),
  milestone_id: integer(),
  weight: limited(core.profile, weights, integer()),
  issue_type: oneOf(issueTypes)(),
  due_date: date(),
  confidential: boolean(),
});

const newParameters = (core: Core) => ({
  id: required(string),
  title: required(string),
  created_at: time(),
  iid: integer(),
  ...issueValues(core),
});
const changedParameters = (core: Core) => ({
  ...onePath(),
  title: string(),
  state_event: oneOf(['reopen', 'close'])(),
  add_labels: strings(),
  remove_labels: strings(),
  discussion_locked: boolean(),
  ...issueValues(core),
});

export function issueRoutes(core: Core): Route[] {
  const specRef = 'Issues';
  return [
    ...issueListRoutes(core),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/issues',
        body: issueResponse,
        specRef,
        status: 'inferred',
        params: () => newParameters(core),
      },
      'visible',
      (request) => addIssue(core, request),
    ),
    openProjectRoute(
      { method: 'GET', path: PATH, body: issueResponse, specRef, status: 'stated', key: 'iid', params: onePath },
      (request) => presentIssue(core, mustFindIssue(core, request, request.params.issue_iid, request.caller?.user), request),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: PATH,
        body: issueResponse,
        specRef,
        status: 'inferred',
        key: 'iid',
        params: () => changedParameters(core),
      },
      'visible',
      (request) => changeIssue(core, request),
    ),
    projectRoute({ method: 'DELETE', path: PATH, specRef, status: 'inferred', key: 'iid', params: onePath }, 'owner', (request) =>
      removeIssue(core, request),
    ),
    ...issueNoteRoutes(core),
    ...issueActionRoutes(core),
    ...milestoneIssueRoutes(core),
  ];
}

function hasWeights(core: Core): boolean {
  return isAvailable(weights, core.profile);
}

function addIssue(core: Core, request: ProjectRequest<ParametersOf<typeof newParameters>>): ResponseOf<typeof issueResponse> {
  const { params, caller } = request;
  const issue = createIssue(core, request, caller.user, {
    title: params.title,
    description: params.description,
    assigneeIds: requestedAssignees(params),
    labels: params.labels,
    milestoneId: params.milestone_id === 0 ? undefined : params.milestone_id,
    weight: checkedWeight(params.weight),
    type: params.issue_type,
    dueDate: params.due_date === undefined ? undefined : isoDate(params.due_date),
    confidential: params.confidential,
    createdAt: params.created_at,
    iid: params.iid,
  });
  return presentIssue(core, issue, request);
}

function changeIssue(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof changedParameters>>,
): ResponseOf<typeof issueResponse> {
  const { params, caller } = request;
  const sent = request.linkParameters();
  demandOneOf(request, hasWeights(core) ? [...changeable, 'weight'] : changeable);
  const issue = mustFindIssue(core, request, params.issue_iid, caller.user);
  const dueDate = params.due_date === undefined ? undefined : isoDate(params.due_date);
  const updated = updateIssue(core, request, issue, caller.user, {
    title: params.title,
    description: params.description,
    stateEvent: params.state_event,
    assigneeIds: requestedAssignees(params),
    labels: params.labels,
    add: params.add_labels,
    remove: params.remove_labels,
    weight: hasWeights(core) && isSentEmpty(sent, 'weight') ? null : checkedWeight(params.weight),
    type: params.issue_type,
    discussionLocked: isSentEmpty(sent, 'discussion_locked') ? null : params.discussion_locked,
    milestoneId: isSentEmpty(sent, 'milestone_id') || params.milestone_id === 0 ? null : params.milestone_id,
    dueDate: isSentEmpty(sent, 'due_date') ? null : dueDate,
    confidential: params.confidential,
  });
  return presentIssue(core, updated, request);
}

function removeIssue(core: Core, request: ProjectRequest<ParametersOf<typeof onePath>>): void {
  const issue = mustFindIssue(core, request, request.params.issue_iid, request.caller.user);
  if (request.project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  deleteIssue(core, issue);
}

/** Parameters of which an update needs at least one, in the order in which the error lists them. */
const changeable = [
  'assignee_id',
  'assignee_ids',
  'confidential',
  'description',
  'discussion_locked',
  'due_date',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'state_event',
  'title',
  'issue_type',
] as const;

/** @throws {Invalid} for a negative or too large weight. */
function checkedWeight(weight: number | undefined): number | undefined {
  if (weight === undefined) return undefined;
  if (weight < 0) throw invalidRecord({ weight: ['must be greater than or equal to 0'] });
  if (weight > MAX_NUMBER) throw invalidRecord({ weight: [`must be less than or equal to ${MAX_NUMBER}`] });
  return weight;
}

/** Returns the requested assignees. `assignee_ids` takes precedence over the older `assignee_id`, where 0 means no assignee. */
function requestedAssignees(params: {
  readonly assignee_ids: readonly number[] | undefined;
  readonly assignee_id: number | undefined;
}): readonly number[] | undefined {
  if (params.assignee_ids !== undefined) return params.assignee_ids.filter((id) => id !== 0);
  if (params.assignee_id === undefined) return undefined;
  return params.assignee_id === 0 ? [] : [params.assignee_id];
}
