import { groupRoute } from '../groups/groups.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, oneOf, required, string, strings } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { administratorRoute, RawResponse, type RequestOf, type Route, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projectAccess/projectAccess.ts';
import { presentRunner } from './present.ts';
import { runner } from './responses.ts';
import { runnerTypes, statusFilters } from './rules.ts';
import { countRunners, listRunners, type RunnerFilter } from './store.ts';

const metadata = { specRef: 'Runners', status: 'inferred', method: 'GET', body: listOf(runner) } as const;

const filterParameters = () => ({
  type: oneOf(runnerTypes)(),
  status: oneOf(statusFilters)(),
  paused: boolean(),
  tag_list: strings(),
  ...pageParameters(),
});
const containerParameters = () => ({ id: required(string), ...filterParameters() });

/** Returns the lists of runners. */
export function runnerListRoutes(core: Core): Route[] {
  return [
    userRoute({ ...metadata, path: '/api/v4/runners', params: filterParameters }, (request) =>
      list(core, request, { managerId: request.caller.user.id }),
    ),
    administratorRoute({ ...metadata, path: '/api/v4/runners/all', params: filterParameters }, (request) =>
      list(core, request, {}),
    ),
    projectRoute(
      { ...metadata, key: 'id', path: '/api/v4/projects/:id/runners', params: containerParameters },
      'maintainer',
      (request) => list(core, request, { project: { id: request.project.id, namespaceId: request.project.namespace_id } }),
    ),
    groupRoute(
      { ...metadata, key: 'id', path: '/api/v4/groups/:id/runners', params: containerParameters },
      'maintainer',
      (request) => list(core, request, { groupId: request.group.id }),
    ),
  ];
}

function list(
  core: Core,
  request: RequestOf<typeof filterParameters>,
  scope: Pick<RunnerFilter, 'managerId' | 'project' | 'groupId'>,
): RawResponse {
  const { params, now } = request;
  const { type, status, paused, tag_list: tags } = params;
  const filter: RunnerFilter = { ...scope, type, status, paused, tags, now };
  const pages = {
    count: (cap: number) => countRunners(core.store, filter, cap),
    rows: (limit: number, offset: number) => listRunners(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (row) => presentRunner(row, now)));
}
