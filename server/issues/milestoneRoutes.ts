import { groupRoute } from '../groups/groups.ts';
import { listOf } from '../http/answers.ts';
import { forbidden } from '../http/failures.ts';
import { readOffsetAnswer, pageParameters } from '../http/pagination.ts';
import { integer, required, string } from '../http/params.ts';
import { Prepared, type Route, type SignedInRequest } from '../http/route.ts';
import { type MilestoneHome, mustFindMilestone } from '../milestones/milestones.ts';
import type { Platform } from '../platform.ts';
import { projectRoute, readableIssuesSql, standingOf, viewerId } from '../projects/projects.ts';
import { issueAnswer } from './answers.ts';
import type { IssueFilter } from './filters.ts';
import { presentIssues } from './present.ts';
import { countIssues, listIssues } from './store.ts';

/** The issues of a milestone. */
export function milestoneIssueRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const params = () => ({ id: required(string), milestone_id: required(integer), ...pageParameters() });
  const facts = {
    specRef: 'Milestones',
    status: 'inferred',
    method: 'GET',
    key: 'id',
    body: listOf(issueAnswer),
    params,
  } as const;

  const list = async (
    request: SignedInRequest<{ readonly milestone_id: number; readonly page: number; readonly per_page: number }>,
    home: MilestoneHome,
  ): Promise<Prepared> => {
    const { id } = mustFindMilestone(platform, home, request.params.milestone_id);
    const filter: IssueFilter = {
      viewer: viewerId(request.caller),
      readable: readableIssuesSql(standingOf(request.caller)),
      milestone: { id },
      projectId: home.kind === 'project' ? home.id : undefined,
    };
    const pages = {
      count: (cap: number) => countIssues(store, filter, cap),
      rows: async (limit: number, offset: number) => {
        const rows = await listIssues(store, filter, { order: 'created_at', sort: 'desc', limit, offset });
        return presentIssues(platform, rows, request);
      },
    };
    return new Prepared(await readOffsetAnswer(request, request.params, pages, (item) => item));
  };

  return [
    projectRoute(platform, { ...facts, path: '/api/v4/projects/:id/milestones/:milestone_id/issues' }, 'visible', (request) => {
      if (!request.can.readMilestones) {
        throw forbidden(undefined, 'the caller sees neither issues nor merge requests of the project');
      }
      return list(request, { kind: 'project', id: request.project.id });
    }),
    groupRoute(platform, { ...facts, path: '/api/v4/groups/:id/milestones/:milestone_id/issues' }, 'visible', (request) =>
      list(request, { kind: 'group', id: request.group.id }),
    ),
  ];
}
