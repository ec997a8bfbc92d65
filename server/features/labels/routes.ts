import { findGroup, type FoundGroup, groupRoute, visibleGroupsSql } from '../groups/groups.ts';
import { type ResponseSchema, listOf } from '../../http/responses.ts';
import { demandExactlyOne, demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import { forbidden, refusedChange } from '../../core/errors.ts';
import { offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { absent, boolean, fallback, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type RequestOf, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import {
  accessOf,
  type ContainerRoute,
  type FoundProject,
  type ProjectRequest,
  projectRoute,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { holdsRole, visibleProjectsSql } from '../abilities/abilities.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { groupLabel, projectLabel } from './responses.ts';
import { createLabel, deleteLabel, findLabel, type Label, promoteLabel, updateLabel } from './manageLabels.ts';
import { presentGroupLabels, presentProjectLabels } from './present.ts';
import { countLabels, type LabelFilter, type LabelContainer, listLabels } from './store.ts';

const pathParameters = () => ({ id: required(string) });
/** Path parameters of a label; `label_id` is its ID or title. */
const oneLabel = () => ({ ...pathParameters(), label_id: required(string) });
const eitherName = () => ({ label_id: integer(), name: string() });

/** Projects have their own label priorities. */
const priorityParameter = (isProject: boolean) => ({ priority: isProject ? integer() : absent<number>() });
const changeParameters = (isProject: boolean) => ({
  new_name: string(),
  color: string(),
  description: string(),
  ...priorityParameter(isProject),
});

const listInProjectParameters = () => ({
  ...pathParameters(),
  with_counts: fallback(false, boolean),
  include_ancestor_groups: fallback(true, boolean),
  search: string(),
  ...pageParameters(),
});

const listInGroupParameters = () => ({
  ...pathParameters(),
  with_counts: fallback(false, boolean),
  include_ancestor_groups: fallback(true, boolean),
  include_descendant_groups: fallback(false, boolean),
  only_group_labels: fallback(true, boolean),
  search: string(),
  ...pageParameters(),
});

const createParameters = (isProject: boolean) => ({
  ...pathParameters(),
  name: required(string),
  color: required(string),
  description: string(),
  ...priorityParameter(isProject),
});

const showParameters = () => ({ ...oneLabel(), include_ancestor_groups: fallback(true, boolean) });

/** Differences between project labels and group labels. */
interface LabelsOf<Found> {
  readonly all: '/api/v4/projects/:id/labels' | '/api/v4/groups/:id/labels';
  readonly route: ContainerRoute<Found>;
  readonly body: ResponseSchema;
  /** True for projects, which have their own label priorities. */
  readonly hasPriority: boolean;
  containerOf(found: Found): LabelContainer;
  /** Returns the same container for writing; throws `Forbidden` if it is read-only. */
  toWrite(found: Found): LabelContainer;
  present(core: Core, labels: readonly Label[], caller: Caller, withCounts: boolean): readonly unknown[];
}

const metadata = { specRef: 'Labels', status: 'inferred', key: 'id' } as const;

const ofProjects: LabelsOf<FoundProject> = {
  all: '/api/v4/projects/:id/labels',
  route: projectRoute,
  body: projectLabel,
  hasPriority: true,
  containerOf: ({ project }) => ({ kind: 'project', id: project.id }),
  toWrite: ({ project }) => {
    if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
    return { kind: 'project', id: project.id };
  },
  present: presentProjectLabels,
};

const ofGroups: LabelsOf<FoundGroup> = {
  all: '/api/v4/groups/:id/labels',
  route: groupRoute,
  body: groupLabel,
  hasPriority: false,
  containerOf: ({ group }) => ({ kind: 'group', id: group.id }),
  toWrite: ({ group }) => ({ kind: 'group', id: group.id }),
  present: presentGroupLabels,
};

/** Returns the routes of project and group labels. All require a token, as on GitLab; changes require at least the reporter role. */
export function labelRoutes(core: Core): Route[] {
  return [
    projectRoute(
      { ...metadata, method: 'GET', path: ofProjects.all, body: listOf(projectLabel), params: listInProjectParameters },
      'visible',
      (request) => listInProject(core, request),
    ),
    ...labelItemRoutes(core, ofProjects),
    projectRoute(
      { ...metadata, method: 'PUT', path: `${ofProjects.all}/:label_id/promote`, body: groupLabel, params: oneLabel },
      'visible',
      (request) => promote(core, request),
    ),
    ...subscriptionRoutes(core, ofProjects),
    groupRoute(
      { ...metadata, method: 'GET', path: ofGroups.all, body: listOf(groupLabel), params: listInGroupParameters },
      'visible',
      (request) => listInGroup(core, request),
    ),
    ...labelItemRoutes(core, ofGroups),
    ...subscriptionRoutes(core, ofGroups),
  ];
}

/** Returns the routes that create, read, change and delete labels. */
function labelItemRoutes<Found>(core: Core, of: LabelsOf<Found>): Route[] {
  const { all, route, body, toWrite } = of;
  const one = `${all}/:label_id`;
  const changes = () => changeParameters(of.hasPriority);

  return [
    route(
      { ...metadata, method: 'POST', path: all, body, params: () => createParameters(of.hasPriority) },
      'reporter',
      (request) => create(core, request, of),
    ),
    // The older routes without a label in the path, which python-gitlab still uses.
    route(
      { ...metadata, method: 'PUT', path: all, body, params: () => ({ ...pathParameters(), ...eitherName(), ...changes() }) },
      'reporter',
      (request) => update(core, request, findLabel(core, toWrite(request), namedLabel(request), false), of),
    ),
    route(
      { ...metadata, method: 'DELETE', path: all, params: () => ({ ...pathParameters(), ...eitherName() }) },
      'reporter',
      (request) => deleteLabel(core, findLabel(core, toWrite(request), namedLabel(request), false)),
    ),
    route({ ...metadata, method: 'GET', path: one, body, params: showParameters }, 'visible', (request) =>
      show(core, request, of),
    ),
    route(
      { ...metadata, method: 'PUT', path: one, body, params: () => ({ ...oneLabel(), ...changes() }) },
      'reporter',
      (request) => update(core, request, findLabel(core, toWrite(request), request.params.label_id, false), of),
    ),
    route({ ...metadata, method: 'DELETE', path: one, params: oneLabel }, 'reporter', (request) =>
      deleteLabel(core, findLabel(core, toWrite(request), request.params.label_id, false)),
    ),
  ];
}

function subscriptionRoutes<Found>(core: Core, of: LabelsOf<Found>): Route[] {
  const { all, route, body } = of;
  return (['subscribe', 'unsubscribe'] as const).map((verb) =>
    route({ ...metadata, method: 'POST', path: `${all}/:label_id/${verb}`, body, params: oneLabel }, 'visible', (request) =>
      subscribe(core, request, verb === 'subscribe', of),
    ),
  );
}

function listInProject(core: Core, request: ProjectRequest<ParametersOf<typeof listInProjectParameters>>): RawResponse {
  const { params } = request;
  const filter = {
    container: ofProjects.containerOf(request),
    withAncestors: params.include_ancestor_groups,
    search: params.search,
  };
  return labelPage(core, request, params, filter, ofProjects);
}

function listInGroup(core: Core, request: RequestOf<typeof listInGroupParameters> & FoundGroup): RawResponse {
  const { params, caller } = request;
  const access = accessOf(caller);
  const filter = {
    container: ofGroups.containerOf(request),
    withAncestors: params.include_ancestor_groups,
    groupsInside: params.include_descendant_groups ? visibleGroupsSql(access) : undefined,
    projectsInside: params.only_group_labels ? undefined : visibleProjectsSql(access),
    viewer: viewerId(caller),
    search: params.search,
  };
  return labelPage(core, request, params, filter, ofGroups);
}

function labelPage<Found>(
  core: Core,
  request: SignedInRequest<unknown>,
  page: OffsetRequest & { readonly with_counts: boolean },
  filter: LabelFilter,
  of: LabelsOf<Found>,
): RawResponse {
  const pages = {
    count: (cap: number) => countLabels(core.store, filter, cap),
    rows: (limit: number, offset: number) =>
      of.present(core, listLabels(core.store, filter, limit, offset), request.caller, page.with_counts),
  };
  return new RawResponse(offsetResponse(request, page, pages, (item) => item));
}

function create<Found>(core: Core, request: RequestOf<typeof createParameters> & Found, of: LabelsOf<Found>): unknown {
  const { name: title, ...input } = request.params;
  return presentOne(core, createLabel(core, of.toWrite(request), { ...input, title }), request, of);
}

function show<Found>(core: Core, request: RequestOf<typeof showParameters> & Found, of: LabelsOf<Found>): unknown {
  const { label_id: named, include_ancestor_groups: withAncestors } = request.params;
  return presentOne(core, findLabel(core, of.containerOf(request), named, withAncestors), request, of);
}

function update<Found>(
  core: Core,
  request: RequestOf<typeof changeParameters> & Found,
  label: Label,
  of: LabelsOf<Found>,
): unknown {
  const sent = request.linkParameters();
  demandOneOf(request, ['new_name', 'color', 'description', ...(of.hasPriority ? ['priority'] : [])]);
  const { new_name: title, color, description, priority: requested } = request.params;
  const input = { title, color, description, priority: isSentEmpty(sent, 'priority') ? null : requested };
  return presentOne(core, updateLabel(core, of.containerOf(request), label, input), request, of);
}

function presentOne<Found>(core: Core, label: Label, { caller }: SignedInRequest<unknown>, of: LabelsOf<Found>): unknown {
  return of.present(core, [label], caller, false)[0];
}

/** Promotes a project label to a group label. */
function promote(core: Core, request: ProjectRequest<ParametersOf<typeof oneLabel>>): unknown {
  const { project, caller, params } = request;
  const group = findGroup(core, project.namespace_id, caller);
  if (group === undefined)
    throw refusedChange('Failed to promote project label to group label', 'the project does not belong to a group');
  if (!holdsRole(group.access, 'reporter')) {
    throw forbidden(undefined, 'requires at least the reporter role in the group', 'role.group.reporter');
  }
  const label = findLabel(core, ofProjects.toWrite(request), params.label_id, false);
  return presentGroupLabels(core, [promoteLabel(core, group.group.id, label)], caller, false)[0];
}

/** Subscribes the caller to a label, or unsubscribes them. */
function subscribe<Found>(core: Core, request: RequestOf<typeof oneLabel> & Found, to: boolean, of: LabelsOf<Found>): unknown {
  const { caller, params } = request;
  const label = findLabel(core, of.containerOf(request), params.label_id, true);
  const unchanged = changeSubscription(core, { type: 'Label', id: label.id }, caller.user, { to, participates: false });
  return unchanged ?? presentOne(core, label, request, of);
}

/** Returns the label that a request to an older route names by either `label_id` or `name`. */
function namedLabel(request: {
  readonly params: ParametersOf<typeof eitherName>;
  linkParameters(): Readonly<Record<string, unknown>>;
}): string {
  demandExactlyOne(request.linkParameters(), ['label_id', 'name']);
  const { label_id: id, name } = request.params;
  return id === undefined ? (name ?? '') : String(id);
}
