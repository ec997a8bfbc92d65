import { demandOneOf } from '../../http/combinations.ts';
import { forbidden, notFound, recordNotFound } from '../../core/errors.ts';
import { boolean, fallback, integer, required, type ParametersOf } from '../../http/params.ts';
import { administratorRoute, type Route, type SignedInRequest, type ApiRequest, type RawResponse } from '../../http/route.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { peopleOf, userBasic } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import {
  findProject,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
} from '../projectAccess/projectAccess.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { presentTimeStats, timeStats } from '../timeTracking/timeTracking.ts';
import { issueResponse } from './responses.ts';
import { abilitiesOnIssue, type Issue } from './manageIssues.ts';
import { cloneIssue, moveIssue, reorderIssue } from './moving.ts';
import { mustFindIssue, onePath, PATH } from './route.ts';
import { participates } from './participants.ts';
import { presentIssue } from './present.ts';
import { issueById, participantIds } from './store.ts';
import { timeRoutes } from './timeRoutes.ts';

const showParameters = () => ({ id: required(integer) });
const moveParameters = () => ({ ...onePath(), to_project_id: required(integer) });
const cloneParameters = () => ({ ...onePath(), to_project_id: required(integer), with_notes: fallback(false, boolean) });
const reorderParameters = () => ({ ...onePath(), move_after_id: integer(), move_before_id: integer() });

/** Returns the routes for issue actions: subscribing, moving, cloning, and reordering. */
export function issueActionRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Issues', status: 'inferred', key: 'iid' } as const;
  return [
    administratorRoute(
      {
        method: 'GET',
        path: '/api/v4/issues/:id',
        specRef: metadata.specRef,
        status: 'inferred',
        key: 'id',
        body: issueResponse,
        params: showParameters,
      },
      (request) => showIssue(core, request),
    ),
    ...(['subscribe', 'unsubscribe'] as const).map((name) =>
      projectRoute(
        { ...metadata, method: 'POST', path: `${PATH}/${name}`, body: issueResponse, params: onePath },
        'visible',
        (request) => changeOwnSubscription(core, request, name),
      ),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${PATH}/participants`,
        body: listOf(userBasic),
        params: onePath,
        pages: { by: 'none', because: 'GitLab returns all participants of an issue' },
      },
      (request) => listParticipants(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/move`, body: issueResponse, params: moveParameters },
      'visible',
      (request) => move(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${PATH}/clone`, body: issueResponse, params: cloneParameters },
      'visible',
      (request) => clone(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: `${PATH}/reorder`, body: issueResponse, params: reorderParameters },
      'visible',
      (request) => reorder(core, request),
    ),
    openProjectRoute({ ...metadata, method: 'GET', path: `${PATH}/time_stats`, body: timeStats, params: onePath }, (request) =>
      presentTimeStats(mustFindIssue(core, request, request.params.issue_iid, request.caller?.user)),
    ),
    ...timeRoutes(core),
  ];
}

function showIssue(core: Core, request: SignedInRequest<ParametersOf<typeof showParameters>>): ResponseOf<typeof issueResponse> {
  const issue = issueById(core.store, request.params.id);
  if (issue === undefined) throw recordNotFound('no such issue, or it is not visible to the caller');
  return presentIssue(core, issue, request);
}

function changeOwnSubscription(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof onePath>>,
  name: 'subscribe' | 'unsubscribe',
): ResponseOf<typeof issueResponse> | RawResponse {
  const { user } = request.caller;
  const issue = mustFindIssue(core, request, request.params.issue_iid, user);
  const input = { to: name === 'subscribe', participates: participates(core, issue, user) };
  return changeSubscription(core, { type: 'Issue', id: issue.id }, user, input) ?? presentIssue(core, issue, request);
}

function listParticipants(core: Core, request: ApiRequest<ParametersOf<typeof onePath>> & FoundProject): unknown {
  const issue = mustFindIssue(core, request, request.params.issue_iid, request.caller?.user);
  const person = peopleOf(core, request.baseUrl);
  return participantIds(core.store, issue.id, request.can.readConfidential).map((id) => person(id));
}

function move(core: Core, request: ProjectRequest<ParametersOf<typeof moveParameters>>): ResponseOf<typeof issueResponse> {
  const { user } = request.caller;
  const issue = mustFindIssue(core, request, request.params.issue_iid, user);
  return presentIssue(core, moveIssue(core, request, issue, bring(core, request), user), request);
}

function clone(core: Core, request: ProjectRequest<ParametersOf<typeof cloneParameters>>): ResponseOf<typeof issueResponse> {
  const { user } = request.caller;
  const issue = mustFindIssue(core, request, request.params.issue_iid, user);
  const withNotes = request.params.with_notes;
  return presentIssue(core, cloneIssue(core, request, issue, bring(core, request), user, { withNotes }), request);
}

function reorder(core: Core, request: ProjectRequest<ParametersOf<typeof reorderParameters>>): ResponseOf<typeof issueResponse> {
  const { params, caller, project } = request;
  const issue = mustFindIssue(core, request, params.issue_iid, caller.user);
  if (!abilitiesOnIssue(core, request, issue, caller.user).administer) {
    throw forbidden(undefined, 'reordering issues requires at least the reporter role', 'issue.administer');
  }
  demandOneOf(request, ['move_after_id', 'move_before_id']);
  const neighbour = (id: number | undefined): Issue | undefined => {
    const found = id === undefined || id === issue.id ? undefined : issueById(core.store, id);
    return found?.project_id === project.id ? found : undefined;
  };
  const input = { behind: neighbour(params.move_after_id), before: neighbour(params.move_before_id) };
  return presentIssue(core, reorderIssue(core, issue, input), request);
}

function bring(core: Core, request: SignedInRequest<{ readonly to_project_id: number }>): FoundProject {
  const target = findProject(core, request.params.to_project_id, request.caller);
  if (target === undefined) throw notFound('Project');
  return target;
}
