import { groupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden } from '../../core/errors.ts';
import { readOffsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import { type MilestoneContainer, mustFindMilestone } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type ProjectRequest, projectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { issueResponse } from './responses.ts';
import type { IssueFilter } from './filters.ts';
import { presentIssues } from './present.ts';
import { countIssues, listIssues } from './store.ts';

const listParameters = () => ({ id: required(string), milestone_id: required(integer), ...pageParameters() });

const metadata = {
  specRef: 'Milestones',
  status: 'inferred',
  method: 'GET',
  key: 'id',
  body: listOf(issueResponse),
  params: listParameters,
} as const;

/** Returns the routes that list the issues of a milestone. */
export function milestoneIssueRoutes(core: Core): Route[] {
  return [
    projectRoute({ ...metadata, path: '/api/v4/projects/:id/milestones/:milestone_id/issues' }, 'visible', (request) =>
      listInProject(core, request),
    ),
    groupRoute({ ...metadata, path: '/api/v4/groups/:id/milestones/:milestone_id/issues' }, 'visible', (request) =>
      list(core, request, { kind: 'group', id: request.group.id }),
    ),
  ];
}

function listInProject(core: Core, request: ProjectRequest<ParametersOf<typeof listParameters>>): Promise<RawResponse> {
  if (!request.can.readMilestones) {
    throw forbidden(undefined, 'the caller can see neither issues nor merge requests of the project');
  }
  return list(core, request, { kind: 'project', id: request.project.id });
}

async function list(core: Core, request: RequestOf<typeof listParameters>, container: MilestoneContainer): Promise<RawResponse> {
  const { id } = mustFindMilestone(core, container, request.params.milestone_id);
  const filter: IssueFilter = {
    viewer: viewerId(request.caller),
    readable: readableIssuesSql(accessOf(request.caller)),
    milestone: { id },
    projectId: container.kind === 'project' ? container.id : undefined,
  };
  const pages = {
    count: (cap: number) => countIssues(core.store, filter, cap),
    rows: async (limit: number, offset: number) => {
      const rows = await listIssues(core.store, filter, { order: 'created_at', sort: 'desc', limit, offset });
      return presentIssues(core, rows, request);
    },
  };
  return new RawResponse(await readOffsetResponse(request, request.params, pages, (item) => item));
}
