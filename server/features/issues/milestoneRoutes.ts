import { groupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden } from '../../core/errors.ts';
import { readOffsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, required, string } from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import { type MilestoneContainer, mustFindMilestone } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute, readableIssuesSql, accessOf, viewerId } from '../projects/projects.ts';
import { issueResponse } from './responses.ts';
import type { IssueFilter } from './filters.ts';
import { presentIssues } from './present.ts';
import { countIssues, listIssues } from './store.ts';

/** Returns the routes that list the issues of a milestone. */
export function milestoneIssueRoutes(core: Core): Route[] {
  const { store } = core;
  const params = () => ({ id: required(string), milestone_id: required(integer), ...pageParameters() });
  const metadata = {
    specRef: 'Milestones',
    status: 'inferred',
    method: 'GET',
    key: 'id',
    body: listOf(issueResponse),
    params,
  } as const;

  const list = async (
    request: SignedInRequest<{ readonly milestone_id: number; readonly page: number; readonly per_page: number }>,
    container: MilestoneContainer,
  ): Promise<RawResponse> => {
    const { id } = mustFindMilestone(core, container, request.params.milestone_id);
    const filter: IssueFilter = {
      viewer: viewerId(request.caller),
      readable: readableIssuesSql(accessOf(request.caller)),
      milestone: { id },
      projectId: container.kind === 'project' ? container.id : undefined,
    };
    const pages = {
      count: (cap: number) => countIssues(store, filter, cap),
      rows: async (limit: number, offset: number) => {
        const rows = await listIssues(store, filter, { order: 'created_at', sort: 'desc', limit, offset });
        return presentIssues(core, rows, request);
      },
    };
    return new RawResponse(await readOffsetResponse(request, request.params, pages, (item) => item));
  };

  return [
    projectRoute({ ...metadata, path: '/api/v4/projects/:id/milestones/:milestone_id/issues' }, 'visible', (request) => {
      if (!request.can.readMilestones) {
        throw forbidden(undefined, 'the caller can see neither issues nor merge requests of the project');
      }
      return list(request, { kind: 'project', id: request.project.id });
    }),
    groupRoute({ ...metadata, path: '/api/v4/groups/:id/milestones/:milestone_id/issues' }, 'visible', (request) =>
      list(request, { kind: 'group', id: request.group.id }),
    ),
  ];
}
