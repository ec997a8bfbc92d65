import { isoDate } from '../../core/clock.ts';
import { groupRoute, visibleGroupsSql, type FoundGroup } from '../groups/groups.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import {
  boolean,
  date,
  fallback,
  integer,
  integers,
  oneOf,
  required,
  string,
  time,
  type ParametersOf,
} from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type FoundProject, type ProjectRequest, projectRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { visibleProjectsSql } from '../abilities/abilities.ts';
import { milestoneResponse } from './responses.ts';
import { createMilestone, deleteMilestone, mustFindMilestone, updateMilestone } from './manageMilestones.ts';
import { presentMilestone } from './present.ts';
import { countMilestones, listMilestones, type MilestoneFilter, type MilestoneContainer } from './store.ts';

const pathParameters = () => ({ id: required(string) });
const oneMilestone = () => ({ ...pathParameters(), milestone_id: required(integer) });
const values = () => ({ description: string(), due_date: date(), start_date: date() });
const newValues = () => ({ title: required(string), ...values() });
const changedValues = () => ({ title: string(), ...values(), state_event: oneOf(['close', 'activate'])() });

const listParameters = () => ({
  state: fallback<'active' | 'closed' | 'all'>('all', oneOf(['active', 'closed', 'all'])),
  iids: integers(),
  title: string(),
  search: string(),
  search_title: string(),
  // Former name of include_ancestors.
  include_parent_milestones: boolean(),
  include_ancestors: boolean(),
  updated_before: time(),
  updated_after: time(),
  ...pageParameters(),
});

type ListParams = ParametersOf<typeof listParameters>;

const listGroupMilestonesParameters = () => ({
  ...pathParameters(),
  ...listParameters(),
  include_descendants: boolean(),
  containing_date: date(),
  start_date: date(),
  end_date: date(),
});

/** Returns the routes of project and group milestones. All require a token, as on GitLab; changes require at least the reporter role. */
export function milestoneRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Milestones', status: 'inferred', key: 'id' } as const;
  const inProject = '/api/v4/projects/:id/milestones';
  const inGroup = '/api/v4/groups/:id/milestones';
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: inProject,
        body: listOf(milestoneResponse),
        params: () => ({ ...pathParameters(), ...listParameters() }),
      },
      'visible',
      (request) => list(core, request, ofProject(request)),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: inProject,
        body: milestoneResponse,
        params: () => ({ ...pathParameters(), ...newValues() }),
      },
      'reporter',
      (request) => create(core, request, toWrite(request)),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${inProject}/:milestone_id`, body: milestoneResponse, params: oneMilestone },
      'visible',
      (request) => showProjectMilestone(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${inProject}/:milestone_id`,
        body: milestoneResponse,
        params: () => ({ ...oneMilestone(), ...changedValues() }),
      },
      'reporter',
      (request) => update(core, request, toWrite(request)),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${inProject}/:milestone_id`, params: oneMilestone },
      'reporter',
      (request) => deleteProjectMilestone(core, request),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: inGroup, body: listOf(milestoneResponse), params: listGroupMilestonesParameters },
      'visible',
      (request) => listGroupMilestones(core, request),
    ),
    groupRoute(
      {
        ...metadata,
        method: 'POST',
        path: inGroup,
        body: milestoneResponse,
        params: () => ({ ...pathParameters(), ...newValues() }),
      },
      'reporter',
      (request) => create(core, request, ofGroup(request)),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: `${inGroup}/:milestone_id`, body: milestoneResponse, params: oneMilestone },
      'visible',
      (request) => showGroupMilestone(core, request),
    ),
    groupRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${inGroup}/:milestone_id`,
        body: milestoneResponse,
        params: () => ({ ...oneMilestone(), ...changedValues() }),
      },
      'reporter',
      (request) => update(core, request, ofGroup(request)),
    ),
    groupRoute({ ...metadata, method: 'DELETE', path: `${inGroup}/:milestone_id`, params: oneMilestone }, 'reporter', (request) =>
      deleteGroupMilestone(core, request),
    ),
  ];
}

function showProjectMilestone(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof oneMilestone>>,
): ResponseOf<typeof milestoneResponse> {
  const milestone = mustFindMilestone(core, ofProject(request), request.params.milestone_id);
  return presentMilestone(milestone, request.baseUrl, request.now);
}

function deleteProjectMilestone(core: Core, request: ProjectRequest<ParametersOf<typeof oneMilestone>>): void {
  const milestone = mustFindMilestone(core, toWrite(request), request.params.milestone_id);
  deleteMilestone(core, milestone, request.caller.user);
}

function listGroupMilestones(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof listGroupMilestonesParameters>> & FoundGroup,
): unknown {
  const { params, caller } = request;
  const access = accessOf(caller);
  // A bound without the other is ignored.
  const hasBothBounds = params.start_date !== undefined && params.end_date !== undefined;
  return list(core, request, ofGroup(request), {
    inside:
      params.include_descendants === true
        ? { groups: visibleGroupsSql(access), projects: visibleProjectsSql(access) }
        : undefined,
    from: hasBothBounds ? dayOf(params.start_date) : undefined,
    until: hasBothBounds ? dayOf(params.end_date) : undefined,
    containing: dayOf(params.containing_date),
  });
}

function showGroupMilestone(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof oneMilestone>> & FoundGroup,
): ResponseOf<typeof milestoneResponse> {
  const milestone = mustFindMilestone(core, ofGroup(request), request.params.milestone_id);
  return presentMilestone(milestone, request.baseUrl, request.now);
}

function deleteGroupMilestone(core: Core, request: SignedInRequest<ParametersOf<typeof oneMilestone>> & FoundGroup): void {
  const milestone = mustFindMilestone(core, ofGroup(request), request.params.milestone_id);
  deleteMilestone(core, milestone, request.caller.user);
}

function list(
  core: Core,
  request: SignedInRequest<ListParams>,
  container: MilestoneContainer,
  more: Pick<MilestoneFilter, 'inside' | 'from' | 'until' | 'containing'> = {},
): RawResponse {
  const { params } = request;
  const withAncestors = params.include_ancestors ?? params.include_parent_milestones ?? false;
  const filter: MilestoneFilter = {
    container,
    withAncestors,
    ...more,
    viewer: viewerId(request.caller),
    // Numbers are ambiguous if milestones of several projects and groups are listed.
    iids: withAncestors || params.iids?.length === 0 ? undefined : params.iids,
    state: params.state === 'all' ? undefined : params.state,
    title: params.title === '' ? undefined : params.title,
    search: params.search,
    titleWords: params.search_title?.split(/\s+/).filter((word) => word !== ''),
    updatedBefore: params.updated_before,
    updatedAfter: params.updated_after,
  };
  const pages = {
    count: (cap: number) => countMilestones(core.store, filter, cap),
    rows: (limit: number, offset: number) => listMilestones(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (row) => presentMilestone(row, request.baseUrl, request.now)));
}

function create(core: Core, request: SignedInRequest<ParametersOf<typeof newValues>>, container: MilestoneContainer): unknown {
  const { params, caller } = request;
  const input = {
    title: params.title,
    description: params.description,
    startDate: dayOf(params.start_date),
    dueDate: dayOf(params.due_date),
  };
  return presentMilestone(createMilestone(core, container, caller.user, input), request.baseUrl, request.now);
}

function update(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof oneMilestone> & ParametersOf<typeof changedValues>>,
  container: MilestoneContainer,
): unknown {
  const { params, caller } = request;
  const sent = request.linkParameters();
  demandOneOf(request, ['title', 'description', 'start_date', 'due_date', 'state_event']);
  const updated = updateMilestone(core, mustFindMilestone(core, container, params.milestone_id), caller.user, {
    title: params.title,
    description: params.description,
    startDate: isSentEmpty(sent, 'start_date') ? null : dayOf(params.start_date),
    dueDate: isSentEmpty(sent, 'due_date') ? null : dayOf(params.due_date),
    stateEvent: params.state_event,
  });
  return presentMilestone(updated, request.baseUrl, request.now);
}

function ofProject({ project, can }: FoundProject): MilestoneContainer {
  if (!can.readMilestones) throw forbidden(undefined, 'the caller sees neither issues nor merge requests of the project');
  return { kind: 'project', id: project.id };
}

function toWrite(found: FoundProject): MilestoneContainer {
  if (found.project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  return ofProject(found);
}

function ofGroup({ group }: { readonly group: { readonly id: number } }): MilestoneContainer {
  return {
    kind: 'group',
    id: group.id,
  };
}

function dayOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoDate(time);
}
