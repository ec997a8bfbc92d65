import { findGroup, type FoundGroup, groupRoute, visibleGroupsSql } from '../groups/groups.ts';
import { type ResponseSchema, listOf } from '../../http/responses.ts';
import { demandExactlyOne, demandOneOf, isSentEmpty } from '../../http/combinations.ts';
import { forbidden, refusedChange } from '../../core/errors.ts';
import { offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { absent, boolean, fallback, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import {
  type FoundProject,
  holdsRole,
  type ContainerRoute,
  projectRoute,
  accessOf,
  viewerId,
  visibleProjectsSql,
} from '../projects/projects.ts';
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
/** Differences between project labels and group labels. */
interface LabelsOf<Found> {
  readonly all: '/api/v4/projects/:id/labels' | '/api/v4/groups/:id/labels';
  readonly route: ContainerRoute<Found>;
  readonly body: ResponseSchema;
  /** True for projects, which have their own label priorities. */
  readonly hasPriority: boolean;
  containerOf(found: Found): LabelContainer;
  /** Returns the same container for writing; throws 403 if it is read-only. */
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
    projectLabelList(core),
    ...labelItemRoutes(core, ofProjects),
    promotion(core),
    ...subscriptionRoutes(core, ofProjects),
    groupLabelList(core),
    ...labelItemRoutes(core, ofGroups),
    ...subscriptionRoutes(core, ofGroups),
  ];
}

function projectLabelList(core: Core): Route {
  return projectRoute(
    {
      ...metadata,
      method: 'GET',
      path: ofProjects.all,
      body: listOf(projectLabel),
      params: () => ({
        ...pathParameters(),
        with_counts: fallback(false, boolean),
        include_ancestor_groups: fallback(true, boolean),
        search: string(),
        ...pageParameters(),
      }),
    },
    'visible',
    (request) => {
      const { params } = request;
      const filter = {
        container: ofProjects.containerOf(request),
        withAncestors: params.include_ancestor_groups,
        search: params.search,
      };
      return labelPage(core, request, params, filter, ofProjects);
    },
  );
}

function groupLabelList(core: Core): Route {
  return groupRoute(
    {
      ...metadata,
      method: 'GET',
      path: ofGroups.all,
      body: listOf(groupLabel),
      params: () => ({
        ...pathParameters(),
        with_counts: fallback(false, boolean),
        include_ancestor_groups: fallback(true, boolean),
        include_descendant_groups: fallback(false, boolean),
        only_group_labels: fallback(true, boolean),
        search: string(),
        ...pageParameters(),
      }),
    },
    'visible',
    (request) => {
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
    },
  );
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

/** Returns the routes that create, read, change and delete labels. */
function labelItemRoutes<Found>(core: Core, of: LabelsOf<Found>): Route[] {
  const { all, route, body, containerOf, toWrite } = of;
  const one = `${all}/:label_id`;
  const priority = () => priorityParameter(of.hasPriority);
  const changes = () => changeParameters(of.hasPriority);
  const changeable = ['new_name', 'color', 'description', ...(of.hasPriority ? ['priority'] : [])];

  const present = (label: Label, { caller }: SignedInRequest<unknown>): unknown => of.present(core, [label], caller, false)[0];

  const update = (request: SignedInRequest<ParametersOf<typeof changeParameters>> & Found, label: Label): unknown => {
    const sent = request.linkParameters();
    demandOneOf(request, changeable);
    const { new_name: title, color, description, priority: requested } = request.params;
    const input = { title, color, description, priority: isSentEmpty(sent, 'priority') ? null : requested };
    return present(updateLabel(core, containerOf(request), label, input), request);
  };

  return [
    route(
      {
        ...metadata,
        method: 'POST',
        path: all,
        body,
        params: () => ({
          ...pathParameters(),
          name: required(string),
          color: required(string),
          description: string(),
          ...priority(),
        }),
      },
      'reporter',
      (request) => {
        const { name: title, ...input } = request.params;
        return present(createLabel(core, toWrite(request), { ...input, title }), request);
      },
    ),
    // The older routes without a label in the path, which python-gitlab still uses.
    route(
      { ...metadata, method: 'PUT', path: all, body, params: () => ({ ...pathParameters(), ...eitherName(), ...changes() }) },
      'reporter',
      (request) => update(request, findLabel(core, toWrite(request), namedLabel(request), false)),
    ),
    route(
      { ...metadata, method: 'DELETE', path: all, params: () => ({ ...pathParameters(), ...eitherName() }) },
      'reporter',
      (request) => deleteLabel(core, findLabel(core, toWrite(request), namedLabel(request), false)),
    ),
    route(
      {
        ...metadata,
        method: 'GET',
        path: one,
        body,
        params: () => ({ ...oneLabel(), include_ancestor_groups: fallback(true, boolean) }),
      },
      'visible',
      (request) => {
        const { label_id: named, include_ancestor_groups: withAncestors } = request.params;
        return present(findLabel(core, containerOf(request), named, withAncestors), request);
      },
    ),
    route(
      { ...metadata, method: 'PUT', path: one, body, params: () => ({ ...oneLabel(), ...changes() }) },
      'reporter',
      (request) => update(request, findLabel(core, toWrite(request), request.params.label_id, false)),
    ),
    route({ ...metadata, method: 'DELETE', path: one, params: oneLabel }, 'reporter', (request) =>
      deleteLabel(core, findLabel(core, toWrite(request), request.params.label_id, false)),
    ),
  ];
}

/** Returns the route that promotes a project label to a group label. */
function promotion(core: Core): Route {
  return projectRoute(
    { ...metadata, method: 'PUT', path: `${ofProjects.all}/:label_id/promote`, body: groupLabel, params: oneLabel },
    'visible',
    (request) => {
      const { project, caller, params } = request;
      const group = findGroup(core, project.namespace_id, caller);
      if (group === undefined)
        throw refusedChange('Failed to promote project label to group label', 'the project does not belong to a group');
      if (!holdsRole(group.access, 'reporter')) {
        throw forbidden(undefined, 'requires at least the reporter role in the group', 'role.group.reporter');
      }
      const label = findLabel(core, ofProjects.toWrite(request), params.label_id, false);
      return presentGroupLabels(core, [promoteLabel(core, group.group.id, label)], caller, false)[0];
    },
  );
}

function subscriptionRoutes<Found>(core: Core, { all, route, body, containerOf, present }: LabelsOf<Found>): Route[] {
  return (['subscribe', 'unsubscribe'] as const).map((verb) =>
    route({ ...metadata, method: 'POST', path: `${all}/:label_id/${verb}`, body, params: oneLabel }, 'visible', (request) => {
      const { caller, params } = request;
      const label = findLabel(core, containerOf(request), params.label_id, true);
      const to = verb === 'subscribe';
      const unchanged = changeSubscription(core, { type: 'Label', id: label.id }, caller.user, { to, participates: false });
      return unchanged ?? present(core, [label], caller, false)[0];
    }),
  );
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
