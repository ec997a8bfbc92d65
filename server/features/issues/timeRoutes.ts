import { forbidden, invalidRecord, refusedChange } from '../../core/errors.ts';
import { type ParametersOf, required, string } from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Route, SignedInRequest } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { humanDuration, parseDuration, presentTimeStats, timeStats } from '../timeTracking/timeTracking.ts';
import { abilitiesOnIssue, type Issue, mustFind, noteOnIssue } from './manageIssues.ts';
import { mustFindIssue, onePath, PATH } from './route.ts';
import { writeTimes } from './store.ts';

const estimateParameters = () => ({ ...onePath(), duration: required(string) });
const spentParameters = () => ({ ...estimateParameters(), summary: string() });

/** Returns the routes that change the time estimate and the time spent of issues. Requires at least the reporter role. */
export function timeRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Issues', status: 'inferred', method: 'POST', key: 'iid', body: timeStats } as const;
  return [
    projectRoute(
      { ...metadata, path: `${PATH}/time_estimate`, successStatus: 200, params: estimateParameters },
      'visible',
      (request) => setTimeEstimate(core, request),
    ),
    projectRoute(
      { ...metadata, path: `${PATH}/reset_time_estimate`, successStatus: 200, params: onePath },
      'visible',
      (request) =>
        saveTimes(core, findWritable(core, request), request.caller.user, { time_estimate: 0 }, 'removed time estimate'),
    ),
    projectRoute({ ...metadata, path: `${PATH}/add_spent_time`, params: spentParameters }, 'visible', (request) =>
      addSpentTime(core, request),
    ),
    projectRoute({ ...metadata, path: `${PATH}/reset_spent_time`, successStatus: 200, params: onePath }, 'visible', (request) =>
      saveTimes(core, findWritable(core, request), request.caller.user, { time_spent: 0 }, 'removed time spent'),
    ),
  ];
}

function setTimeEstimate(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof estimateParameters>>,
): ResponseOf<typeof timeStats> {
  const issue = findWritable(core, request);
  const seconds = parseDuration(request.params.duration);
  if (seconds === undefined || seconds < 0) throw invalidRecord({ time_estimate: ['must have a valid format'] });
  const noteText = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanDuration(seconds)}`;
  return saveTimes(core, issue, request.caller.user, { time_estimate: seconds }, noteText);
}

function addSpentTime(core: Core, request: ProjectRequest<ParametersOf<typeof spentParameters>>): ResponseOf<typeof timeStats> {
  const issue = findWritable(core, request);
  const seconds = parseDuration(request.params.duration);
  if (seconds === undefined) throw refusedChange('400 Bad request', 'the value is not a duration');
  const total = issue.time_spent + seconds;
  if (total < 0 || total > Number.MAX_SAFE_INTEGER) {
    throw invalidRecord({ time_spent: ['Time to subtract exceeds the total time spent'] });
  }
  const amount = humanDuration(Math.abs(seconds)) ?? '0m';
  const noteText = seconds < 0 ? `subtracted ${amount} of time spent` : `added ${amount} of time spent`;
  return saveTimes(core, issue, request.caller.user, { time_spent: total }, noteText);
}

function findWritable(core: Core, request: SignedInRequest<{ readonly issue_iid: number }> & FoundProject): Issue {
  const issue = mustFindIssue(core, request, request.params.issue_iid, request.caller.user);
  if (!abilitiesOnIssue(core, request, issue, request.caller.user).administer) {
    throw forbidden(undefined, 'tracking time requires at least the reporter role', 'issue.administer');
  }
  return issue;
}

/** Stores changed times and adds a system note about the change. */
function saveTimes(
  core: Core,
  issue: Issue,
  by: User,
  times: Partial<Pick<Issue, 'time_estimate' | 'time_spent'>>,
  noteText: string,
): ResponseOf<typeof timeStats> {
  return core.store.transaction(() => {
    const { time_estimate, time_spent } = { ...issue, ...times };
    writeTimes(core.store, issue.id, { time_estimate, time_spent }, core.clock.now());
    noteOnIssue(core, issue, by, noteText);
    return presentTimeStats(mustFind(core, issue.id));
  });
}
