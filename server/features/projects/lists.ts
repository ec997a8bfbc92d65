import type { ResponseOf } from '../../http/responses.ts';
import type { associatedProject, projectBasic } from './responses.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { badRequest } from '../../core/errors.ts';
import {
  keysetSize,
  keysetUnavailable,
  linkUrl,
  nextLink,
  type OffsetList,
  offsetResponse,
  offsetTooDeep,
  pageParameters,
} from '../../http/pagination.ts';
import { boolean, date, fallback, integer, oneOf, string, strings, time, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse } from '../../http/route.ts';
import { maximumOffset } from '../settings/settings.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels, visibilities, visibleProjectsSql } from '../abilities/abilities.ts';
import {
  accessOf,
  countProjects,
  listProjects,
  type ProjectFilter,
  type ProjectOrder,
  seenBy,
  type ShownProject,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { presentAssociatedProjects, presentProjectBasic, presentProjects } from './present.ts';

const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count', 'similarity'] as const;

type ListOrder = (typeof orders)[number];

/** Parameters of every list of projects. */
export const projectListParameters = () => ({
  archived: boolean(),
  active: boolean(),
  visibility: oneOf(visibilities)(),
  search: string(),
  search_namespaces: boolean(),
  owned: fallback(false, boolean),
  membership: fallback(false, boolean),
  starred: fallback(false, boolean),
  simple: fallback(false, boolean),
  with_issues_enabled: fallback(false, boolean),
  // Every project has merge requests.
  with_merge_requests_enabled: fallback(false, boolean),
  imported: fallback(false, boolean),
  topic: strings(),
  topic_id: integer(),
  repository_storage: string(),
  marked_for_deletion_on: date(),
  min_access_level: oneOf(['5', '10', '15', '20', '30', '40', '50'])(),
  id_after: integer(),
  id_before: integer(),
  last_activity_after: time(),
  last_activity_before: time(),
  updated_after: time(),
  updated_before: time(),
  order_by: fallback<ListOrder>('created_at', oneOf(orders)),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  pagination: string(),
  ...pageParameters(),
});

export type ProjectListParams = ParametersOf<typeof projectListParameters>;

/** Responds with a page of the projects that the caller can see, filtered by namespace, group and so on. */
export function projectList(
  core: Core,
  request: ApiRequest<ProjectListParams>,
  repository: Partial<
    Pick<ProjectFilter, 'namespaceOwner' | 'groupId' | 'withSubgroups' | 'withAncestors' | 'starredBy' | 'forkedFrom'>
  > = {},
): RawResponse {
  const { store } = core;
  const { params, caller, baseUrl } = request;
  if ((params.updated_after ?? params.updated_before) !== undefined && params.order_by !== 'updated_at') {
    throw badRequest('`updated_at` filter and `updated_at` sorting must be paired');
  }
  const { isAdministrator } = accessOf(caller);
  const order = params.order_by === 'similarity' && !isBySimilarity(params, caller) ? 'created_at' : params.order_by;
  // Projects are never imported or scheduled for deletion here.
  const isNever = (params.imported && caller !== undefined) || params.marked_for_deletion_on !== undefined;
  const filter: ProjectFilter = {
    viewer: viewerId(caller),
    visible: isNever ? 'false' : visibleProjectsSql(accessOf(caller)),
    topics: params.topic,
    topicId: params.topic_id,
    storage: isAdministrator ? params.repository_storage : undefined,
    // The filter is ignored for anonymous callers, who have no stars.
    ...(params.starred && caller !== undefined ? { starredBy: caller.user.id } : {}),
    ...repository,
    archived: params.archived ?? (params.active === undefined ? undefined : !params.active),
    visibility: params.visibility,
    search: params.search,
    searchNamespaces: params.search_namespaces,
    minLevel: lowestLevel(params, order),
    withIssues: params.with_issues_enabled,
    idAfter: params.id_after,
    idBefore: params.id_before,
    lastActivityAfter: params.last_activity_after,
    lastActivityBefore: params.last_activity_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
  };
  const { sort } = params;
  const isBasic = params.simple || caller === undefined;
  const present = (rows: readonly ShownProject[]): readonly unknown[] => {
    if (isBasic) return rows.map((row) => presentProjectBasic(row, baseUrl));
    return presentProjects(
      core,
      rows.map((row) => seenBy(row, caller)).filter((found) => found !== undefined),
      viewerId(caller),
      baseUrl,
    );
  };
  if (params.pagination === 'keyset') {
    if (params.order_by !== 'id') throw keysetUnavailable('keyset pagination of projects requires order_by=id');
    const rows = listProjects(store, filter, { order: 'id', sort, limit: keysetSize(params.per_page), offset: 0 });
    const last = rows.at(-1);
    if (last === undefined) return new RawResponse(jsonResponse(200, []));
    const next = linkUrl(request, { [sort === 'asc' ? 'id_after' : 'id_before']: last.id });
    return new RawResponse(jsonResponse(200, present(rows), { Link: nextLink(next) }));
  }
  if (params.page * params.per_page > maximumOffset(core)) throw offsetTooDeep('Project', maximumOffset(core));
  const pages = {
    count: (cap: number) => countProjects(store, filter, cap),
    rows: (limit: number, offset: number) => present(listProjects(store, filter, { order, sort, limit, offset })),
  };
  return new RawResponse(offsetResponse(request, params, pages, (item) => item));
}

/** Returns the projects that the caller can see and whose name, path or description contains a text, in the short form. */
export function searchProjects(
  core: Core,
  { caller, baseUrl }: Pick<ApiRequest<unknown>, 'caller' | 'baseUrl'>,
  search: {
    readonly search: string;
    readonly groupId?: number;
    readonly withoutArchived: boolean;
    readonly sort: 'asc' | 'desc';
  },
): OffsetList<ResponseOf<typeof projectBasic>> {
  const filter: ProjectFilter = {
    viewer: viewerId(caller),
    visible: visibleProjectsSql(accessOf(caller)),
    search: search.search,
    ...(search.groupId === undefined ? {} : { groupId: search.groupId, withSubgroups: true }),
    archived: search.withoutArchived ? false : undefined,
  };
  const { sort } = search;
  return {
    count: (cap) => countProjects(core.store, filter, cap),
    rows: (limit, offset) =>
      listProjects(core.store, filter, { order: 'created_at', sort, limit, offset }).map((row) =>
        presentProjectBasic(row, baseUrl),
      ),
  };
}

/**
 * Returns the projects accessible to a user's token, newest first, in the short form of token associations
 * (docs/interface.md#personal-access-tokens).
 */
export function associatedProjects(
  core: Core,
  caller: Caller,
  minLevel: number | undefined,
  baseUrl: string,
): OffsetList<ResponseOf<typeof associatedProject>> {
  const { store } = core;
  const viewer = viewerId(caller);
  const filter: ProjectFilter = { viewer, visible: visibleProjectsSql(accessOf(caller)), minLevel };
  return {
    count: (cap) => countProjects(store, filter, cap),
    rows: (limit, offset) => {
      const rows = listProjects(store, filter, { order: 'id', sort: 'desc', limit, offset });
      return presentAssociatedProjects(core, rows, viewer, baseUrl);
    },
  };
}

/**
 * Returns true if the list is sorted by similarity, which requires a search text and a signed-in caller
 * (docs/interface.md#projects).
 */
function isBySimilarity({ search = '' }: ProjectListParams, caller: Caller | undefined): boolean {
  return search !== '' && caller !== undefined;
}

/** Returns the minimum access level required by the filters of a list; undefined if membership does not matter. */
function lowestLevel(params: ProjectListParams, order: ProjectOrder): number | undefined {
  const requested = [
    // GitLab sorts by similarity only among the caller's own projects.
    ...(order === 'similarity' ? [accessLevels.guest] : []),
    ...(params.owned ? [accessLevels.owner] : []),
    ...(params.membership ? [accessLevels.guest] : []),
    ...(params.min_access_level === undefined ? [] : [Number(params.min_access_level)]),
  ];
  return requested.length === 0 ? undefined : Math.max(...requested);
}
