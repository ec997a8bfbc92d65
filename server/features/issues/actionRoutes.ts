import { demandOneOf } from '../../http/combinations.ts';
import { forbidden, invalidRecord, notFound, recordNotFound, refusedChange } from '../../core/errors.ts';
import { boolean, fallback, integer, required, string } from '../../http/params.ts';
import { administratorRoute, type ApiRequest, type Route, type SignedInRequest } from '../../http/route.ts';
import { listOf } from '../../http/responses.ts';
import type { User } from '../../core/caller.ts';
import { peopleOf, userBasic } from '../identity/identity.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject, openProjectRoute, projectRoute } from '../projects/projects.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { humanDuration, parseDuration, presentTimeStats, timeStats } from '../timeTracking/timeTracking.ts';
import { issueResponse } from './responses.ts';
import { abilitiesOnIssue, type Issue, mustFind, noteOnIssue } from './manageIssues.ts';
import { cloneIssue, moveIssue, reorderIssue } from './moving.ts';
import { participates } from './participants.ts';
import { presentIssue } from './present.ts';
import { issueById, participantIds, writeTimes } from './store.ts';

type FindIssue = (found: FoundProject, iid: number, user: User | undefined) => Issue;

/** Returns the routes for issue actions: subscribing, moving, cloning, reordering and time tracking. */
export function issueActionRoutes(core: Core, findIssue: FindIssue): Route[] {
  const metadata = { specRef: 'Issues', status: 'inferred', key: 'iid' } as const;
  const one = '/api/v4/projects/:id/issues/:issue_iid';
  const pathParameters = () => ({ id: required(string), issue_iid: required(integer) });
  const present = (issue: Issue, request: Pick<ApiRequest<unknown>, 'baseUrl' | 'caller'>): unknown =>
    presentIssue(core, issue, request);

  const follow = (name: 'subscribe' | 'unsubscribe'): Route =>
    projectRoute(
      { ...metadata, method: 'POST', path: `${one}/${name}`, body: issueResponse, params: pathParameters },
      'visible',
      (request) => {
        const { user } = request.caller;
        const issue = findIssue(request, request.params.issue_iid, user);
        const input = { to: name === 'subscribe', participates: participates(core, issue, user) };
        return changeSubscription(core, { type: 'Issue', id: issue.id }, user, input) ?? present(issue, request);
      },
    );

  const bring = (request: SignedInRequest<{ readonly to_project_id: number }>): FoundProject => {
    const target = findProject(core, request.params.to_project_id, request.caller);
    if (target === undefined) throw notFound('Project');
    return target;
  };

  return [
    administratorRoute(
      {
        method: 'GET',
        path: '/api/v4/issues/:id',
        specRef: metadata.specRef,
        status: 'inferred',
        key: 'id',
        body: issueResponse,
        params: () => ({ id: required(integer) }),
      },
      (request) => {
        const issue = issueById(core.store, request.params.id);
        if (issue === undefined) throw recordNotFound('no such issue, or it is not visible to the caller');
        return present(issue, request);
      },
    ),
    follow('subscribe'),
    follow('unsubscribe'),
    openProjectRoute(
      { ...metadata, method: 'GET', path: `${one}/participants`, body: listOf(userBasic), params: pathParameters },
      (request) => {
        const issue = findIssue(request, request.params.issue_iid, request.caller?.user);
        const person = peopleOf(core, request.baseUrl);
        return participantIds(core.store, issue.id, request.can.readConfidential).map((id) => person(id));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/move`,
        body: issueResponse,
        params: () => ({ ...pathParameters(), to_project_id: required(integer) }),
      },
      'visible',
      (request) => {
        const { user } = request.caller;
        const issue = findIssue(request, request.params.issue_iid, user);
        return present(moveIssue(core, request, issue, bring(request), user), request);
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/clone`,
        body: issueResponse,
        params: () => ({ ...pathParameters(), to_project_id: required(integer), with_notes: fallback(false, boolean) }),
      },
      'visible',
      (request) => {
        const { user } = request.caller;
        const issue = findIssue(request, request.params.issue_iid, user);
        const withNotes = request.params.with_notes;
        return present(cloneIssue(core, request, issue, bring(request), user, { withNotes }), request);
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${one}/reorder`,
        body: issueResponse,
        params: () => ({ ...pathParameters(), move_after_id: integer(), move_before_id: integer() }),
      },
      'visible',
      (request) => {
        const { params, caller, project } = request;
        const issue = findIssue(request, params.issue_iid, caller.user);
        if (!abilitiesOnIssue(core, request, issue, caller.user).administer) {
          throw forbidden(undefined, 'reordering issues requires at least the reporter role', 'issue.administer');
        }
        demandOneOf(request.linkParameters(), ['move_after_id', 'move_before_id']);
        const neighbour = (id: number | undefined): Issue | undefined => {
          const found = id === undefined || id === issue.id ? undefined : issueById(core.store, id);
          return found?.project_id === project.id ? found : undefined;
        };
        const input = { behind: neighbour(params.move_after_id), before: neighbour(params.move_before_id) };
        return present(reorderIssue(core, issue, input), request);
      },
    ),
    openProjectRoute(
      { ...metadata, method: 'GET', path: `${one}/time_stats`, body: timeStats, params: pathParameters },
      (request) => presentTimeStats(findIssue(request, request.params.issue_iid, request.caller?.user)),
    ),
    ...timeRoutes(core, findIssue),
  ];
}

function timeRoutes(core: Core, findIssue: FindIssue): Route[] {
  const metadata = { specRef: 'Issues', status: 'inferred', method: 'POST', key: 'iid', body: timeStats } as const;
  const one = '/api/v4/projects/:id/issues/:issue_iid';
  const pathParameters = () => ({ id: required(string), issue_iid: required(integer) });

  const findWritable = (request: SignedInRequest<{ readonly issue_iid: number }> & FoundProject): Issue => {
    const issue = findIssue(request, request.params.issue_iid, request.caller.user);
    if (!abilitiesOnIssue(core, request, issue, request.caller.user).administer) {
      throw forbidden(undefined, 'tracking time requires at least the reporter role', 'issue.administer');
    }
    return issue;
  };

  /** Stores changed times and adds a system note about the change. */
  const saveTimes = (
    issue: Issue,
    by: User,
    times: Partial<Pick<Issue, 'time_estimate' | 'time_spent'>>,
    noteText: string,
  ): unknown =>
    core.store.transaction(() => {
      const { time_estimate, time_spent } = { ...issue, ...times };
      writeTimes(core.store, issue.id, { time_estimate, time_spent }, core.clock.now());
      noteOnIssue(core, issue, by, noteText);
      return presentTimeStats(mustFind(core, issue.id));
    });

  return [
    projectRoute(
      {
        ...metadata,
        path: `${one}/time_estimate`,
        successStatus: 200,
        params: () => ({ ...pathParameters(), duration: required(string) }),
      },
      'visible',
      (request) => {
        const issue = findWritable(request);
        const seconds = parseDuration(request.params.duration);
        if (seconds === undefined || seconds < 0) throw invalidRecord({ time_estimate: ['must have a valid format'] });
        const noteText = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanDuration(seconds)}`;
        return saveTimes(issue, request.caller.user, { time_estimate: seconds }, noteText);
      },
    ),
    projectRoute(
      { ...metadata, path: `${one}/reset_time_estimate`, successStatus: 200, params: pathParameters },
      'visible',
      (request) => saveTimes(findWritable(request), request.caller.user, { time_estimate: 0 }, 'removed time estimate'),
    ),
    projectRoute(
      {
        ...metadata,
        path: `${one}/add_spent_time`,
        params: () => ({ ...pathParameters(), duration: required(string), summary: string() }),
      },
      'visible',
      (request) => {
        const issue = findWritable(request);
        const seconds = parseDuration(request.params.duration);
        if (seconds === undefined) throw refusedChange('400 Bad request', 'the value is not a duration');
        const total = issue.time_spent + seconds;
        if (total < 0 || total > Number.MAX_SAFE_INTEGER) {
          throw invalidRecord({ time_spent: ['Time to subtract exceeds the total time spent'] });
        }
        const amount = humanDuration(Math.abs(seconds)) ?? '0m';
        const noteText = seconds < 0 ? `subtracted ${amount} of time spent` : `added ${amount} of time spent`;
        return saveTimes(issue, request.caller.user, { time_spent: total }, noteText);
      },
    ),
    projectRoute(
      { ...metadata, path: `${one}/reset_spent_time`, successStatus: 200, params: pathParameters },
      'visible',
      (request) => saveTimes(findWritable(request), request.caller.user, { time_spent: 0 }, 'removed time spent'),
    ),
  ];
}
