import { findGroup, groupRoute, visibleGroupsSql } from '../groups/groups.ts';
import { listOf } from '../http/answers.ts';
import { demandExactlyOne, demandOneOf, isSentEmpty } from '../http/combinations.ts';
import { forbidden, refusedChange } from '../http/failures.ts';
import { offsetAnswer, type OffsetRequest, pageParameters } from '../http/pagination.ts';
import { boolean, fallback, integer, required, string } from '../http/params.ts';
import { Prepared, type Route, type SignedInRequest } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, projectRoute, standingOf, viewerId, visibleProjectsSql } from '../projects/projects.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { groupLabel, projectLabel } from './answers.ts';
import { createLabel, deleteLabel, findLabel, type Label, promoteLabel, updateLabel } from './labels.ts';
import { presentGroupLabels, presentProjectLabels } from './present.ts';
import { countLabels, type LabelFilter, type LabelHome, listLabels } from './store.ts';

const place = () => ({ id: required(string) });
/** Its number or its title. */
const oneLabel = () => ({ ...place(), label_id: required(string) });
const newValues = () => ({ name: required(string), color: required(string), description: string() });
const newerValues = () => ({ new_name: string(), color: string(), description: string() });
const eitherName = () => ({ label_id: integer(), name: string() });

interface SentName {
  readonly label_id: number | undefined;
  readonly name: string | undefined;
}
interface SentValues {
  readonly new_name: string | undefined;
  readonly color: string | undefined;
  readonly description: string | undefined;
}

/** Labels of projects and groups. All of it needs a token, as on the real platform; from reporter on people change them. */
export function labelRoutes(platform: Platform): Route[] {
  return [...projectLabelRoutes(platform), ...groupLabelRoutes(platform)];
}

function projectLabelRoutes(platform: Platform): Route[] {
  const facts = { clause: 'General request rules', status: 'inferred', key: 'id' } as const;
  const all = '/api/v4/projects/:id/labels';
  const one = `${all}/:label_id`;

  type InProject = SignedInRequest<unknown> & { readonly project: { readonly id: number; readonly archived: 0 | 1 } };
  const homeOf = ({ project }: InProject): LabelHome => ({ kind: 'project', id: project.id });
  const toWrite = (request: InProject): LabelHome => {
    if (request.project.archived === 1) throw forbidden(undefined, 'nobody writes to an archived project', 'project.archived');
    return homeOf(request);
  };
  const present = (label: Label, request: InProject): unknown =>
    presentProjectLabels(platform, [label], request.caller, false)[0];

  const update = (
    request: InProject & { readonly params: SentValues & { readonly priority: number | undefined } },
    label: Label,
  ) => {
    const sent = request.linkParameters();
    demandOneOf(sent, ['new_name', 'color', 'description', 'priority']);
    const { new_name: title, color, description, priority } = request.params;
    const wish = { title, color, description, priority: isSentEmpty(sent, 'priority') ? null : priority };
    return present(updateLabel(platform, homeOf(request), label, wish), request);
  };

  const follow = (request: InProject & { readonly params: { readonly label_id: string } }, to: boolean): unknown => {
    const label = findLabel(platform, homeOf(request), request.params.label_id, true);
    const unchanged = changeSubscription(platform, { type: 'Label', id: label.id }, request.caller.user, {
      to,
      takesPart: false,
    });
    return unchanged ?? present(label, request);
  };

  return [
    projectRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: all,
        body: listOf(projectLabel),
        params: () => ({
          ...place(),
          with_counts: fallback(false, boolean),
          include_ancestor_groups: fallback(true, boolean),
          search: string(),
          ...pageParameters(),
        }),
      },
      'visible',
      (request) => {
        const { params, caller } = request;
        const filter: LabelFilter = {
          home: homeOf(request),
          withAncestors: params.include_ancestor_groups,
          search: params.search,
        };
        return labelPage(platform, request, params, filter, (labels) =>
          presentProjectLabels(platform, labels, caller, params.with_counts),
        );
      },
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'POST',
        path: all,
        body: projectLabel,
        params: () => ({ ...place(), ...newValues(), priority: integer() }),
      },
      'reporter',
      (request) => {
        const { name: title, ...wish } = request.params;
        return present(createLabel(platform, toWrite(request), { ...wish, title }), request);
      },
    ),
    // The older forms, which name the label among the parameters; python-gitlab still sends them.
    projectRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        path: all,
        body: projectLabel,
        params: () => ({ ...place(), ...eitherName(), ...newerValues(), priority: integer() }),
      },
      'reporter',
      (request) => update(request, findLabel(platform, toWrite(request), namedLabel(request), false)),
    ),
    projectRoute(
      platform,
      { ...facts, method: 'DELETE', path: all, params: () => ({ ...place(), ...eitherName() }) },
      'reporter',
      (request) => deleteLabel(platform, findLabel(platform, toWrite(request), namedLabel(request), false)),
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: one,
        body: projectLabel,
        params: () => ({ ...oneLabel(), include_ancestor_groups: fallback(true, boolean) }),
      },
      'visible',
      (request) => {
        const { label_id: named, include_ancestor_groups: withAncestors } = request.params;
        return present(findLabel(platform, homeOf(request), named, withAncestors), request);
      },
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        path: one,
        body: projectLabel,
        params: () => ({ ...oneLabel(), ...newerValues(), priority: integer() }),
      },
      'reporter',
      (request) => update(request, findLabel(platform, toWrite(request), request.params.label_id, false)),
    ),
    projectRoute(platform, { ...facts, method: 'DELETE', path: one, params: oneLabel }, 'reporter', (request) =>
      deleteLabel(platform, findLabel(platform, toWrite(request), request.params.label_id, false)),
    ),
    projectRoute(
      platform,
      { ...facts, method: 'PUT', path: `${one}/promote`, body: groupLabel, params: oneLabel },
      'visible',
      (request) => {
        const { project, caller, params } = request;
        const group = findGroup(platform, project.namespace_id, caller);
        if (group === undefined)
          throw refusedChange('Failed to promote project label to group label', 'the project is in no group');
        if (!holdsRole(group.standing, 'reporter')) {
          throw forbidden(undefined, 'the caller is not reporter of the group, or more', 'role.group.reporter');
        }
        const label = findLabel(platform, toWrite(request), params.label_id, false);
        return presentGroupLabels(platform, [promoteLabel(platform, group.group.id, label)], caller, false)[0];
      },
    ),
    projectRoute(
      platform,
      { ...facts, method: 'POST', path: `${one}/subscribe`, body: projectLabel, params: oneLabel },
      'visible',
      (request) => follow(request, true),
    ),
    projectRoute(
      platform,
      { ...facts, method: 'POST', path: `${one}/unsubscribe`, body: projectLabel, params: oneLabel },
      'visible',
      (request) => follow(request, false),
    ),
  ];
}

function groupLabelRoutes(platform: Platform): Route[] {
  const facts = { clause: 'General request rules', status: 'inferred', key: 'id' } as const;
  const all = '/api/v4/groups/:id/labels';
  const one = `${all}/:label_id`;

  type InGroup = SignedInRequest<unknown> & { readonly group: { readonly id: number } };
  const homeOf = ({ group }: InGroup): LabelHome => ({ kind: 'group', id: group.id });
  const present = (label: Label, request: InGroup): unknown => presentGroupLabels(platform, [label], request.caller, false)[0];

  const update = (request: InGroup & { readonly params: SentValues }, label: Label): unknown => {
    demandOneOf(request.linkParameters(), ['new_name', 'color', 'description']);
    const { new_name: title, color, description } = request.params;
    return present(updateLabel(platform, homeOf(request), label, { title, color, description }), request);
  };

  const follow = (request: InGroup & { readonly params: { readonly label_id: string } }, to: boolean): unknown => {
    const label = findLabel(platform, homeOf(request), request.params.label_id, true);
    const unchanged = changeSubscription(platform, { type: 'Label', id: label.id }, request.caller.user, {
      to,
      takesPart: false,
    });
    return unchanged ?? present(label, request);
  };

  return [
    groupRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: all,
        body: listOf(groupLabel),
        params: () => ({
          ...place(),
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
        const standing = standingOf(caller);
        const filter: LabelFilter = {
          home: homeOf(request),
          withAncestors: params.include_ancestor_groups,
          groupsInside: params.include_descendant_groups ? visibleGroupsSql(standing) : undefined,
          projectsInside: params.only_group_labels ? undefined : visibleProjectsSql(standing),
          viewer: viewerId(caller),
          search: params.search,
        };
        return labelPage(platform, request, params, filter, (labels) =>
          presentGroupLabels(platform, labels, caller, params.with_counts),
        );
      },
    ),
    groupRoute(
      platform,
      { ...facts, method: 'POST', path: all, body: groupLabel, params: () => ({ ...place(), ...newValues() }) },
      'reporter',
      (request) => {
        const { name: title, ...wish } = request.params;
        return present(createLabel(platform, homeOf(request), { ...wish, title }), request);
      },
    ),
    groupRoute(
      platform,
      { ...facts, method: 'PUT', path: all, body: groupLabel, params: () => ({ ...place(), ...eitherName(), ...newerValues() }) },
      'reporter',
      (request) => update(request, findLabel(platform, homeOf(request), namedLabel(request), false)),
    ),
    groupRoute(
      platform,
      { ...facts, method: 'DELETE', path: all, params: () => ({ ...place(), ...eitherName() }) },
      'reporter',
      (request) => deleteLabel(platform, findLabel(platform, homeOf(request), namedLabel(request), false)),
    ),
    groupRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: one,
        body: groupLabel,
        params: () => ({ ...oneLabel(), include_ancestor_groups: fallback(true, boolean) }),
      },
      'visible',
      (request) => {
        const { label_id: named, include_ancestor_groups: withAncestors } = request.params;
        return present(findLabel(platform, homeOf(request), named, withAncestors), request);
      },
    ),
    groupRoute(
      platform,
      { ...facts, method: 'PUT', path: one, body: groupLabel, params: () => ({ ...oneLabel(), ...newerValues() }) },
      'reporter',
      (request) => update(request, findLabel(platform, homeOf(request), request.params.label_id, false)),
    ),
    groupRoute(platform, { ...facts, method: 'DELETE', path: one, params: oneLabel }, 'reporter', (request) =>
      deleteLabel(platform, findLabel(platform, homeOf(request), request.params.label_id, false)),
    ),
    groupRoute(
      platform,
      { ...facts, method: 'POST', path: `${one}/subscribe`, body: groupLabel, params: oneLabel },
      'visible',
      (request) => follow(request, true),
    ),
    groupRoute(
      platform,
      { ...facts, method: 'POST', path: `${one}/unsubscribe`, body: groupLabel, params: oneLabel },
      'visible',
      (request) => follow(request, false),
    ),
  ];
}

/** The label of the older forms: by `label_id` or by `name`, not by both. */
function namedLabel(request: { readonly params: SentName; linkParameters(): Readonly<Record<string, unknown>> }): string {
  demandExactlyOne(request.linkParameters(), ['label_id', 'name']);
  const { label_id: id, name } = request.params;
  return id === undefined ? (name ?? '') : String(id);
}

function labelPage(
  platform: Platform,
  request: SignedInRequest<unknown>,
  page: OffsetRequest,
  filter: LabelFilter,
  present: (labels: readonly Label[]) => readonly unknown[],
): Prepared {
  const pages = {
    count: (cap: number) => countLabels(platform.store, filter, cap),
    rows: (limit: number, offset: number) => present(listLabels(platform.store, filter, limit, offset)),
  };
  return new Prepared(offsetAnswer(request, page, pages, (item) => item));
}
