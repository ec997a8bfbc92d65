import { isoDate } from '../../core/clock.ts';
import { refuseTogether } from '../../http/combinations.ts';
import { invalidParameters } from '../../core/errors.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  pageParameters,
  readCursor,
  readNullableCursor,
  readOffsetResponse,
  type SlowOffsetList,
} from '../../http/pagination.ts';
import {
  boolean,
  fallback,
  hash,
  integer,
  integers,
  oneOf,
  opaque,
  string,
  strings,
  time,
  limited,
  type ParametersOf,
} from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { type ApiRequest, RawResponse } from '../../http/route.ts';
import { requestedLabels } from '../labels/labels.ts';
import { milestoneFilters, requestedByTitle } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import type { IssueFilter, IssueTraits } from './filters.ts';
import type { Issue } from './manageIssues.ts';
import { presentIssues, withLabelDetails } from './present.ts';
import type { statistics } from './responses.ts';
import { dueBounds, dueDateFilters, issueTypes, readAssignee, readNumberOrWord, weights } from './rules.ts';
import { countIssues, countStates, type IssueOrder, keysetOrders, listIssues, listIssuesAfter } from './store.ts';

export const scopes = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'all'] as const;
export type Scope = (typeof scopes)[number];

/** Availability of keyset pagination for the issues of a project (docs/interface.md#pagination). */
const keyset: Availability = { addedIn: '18.3' };

const traitParameters = (core: Core) => ({
  labels: strings(),
  milestone: string(),
  milestone_id: oneOf(milestoneFilters)(),
  iids: integers(),
  author_id: integer(),
  author_username: string(),
  assignee_id: opaque(),
  assignee_username: strings(),
  weight: limited(core.profile, weights, opaque()),
});

type TraitParams = ParametersOf<typeof traitParameters>;

/** Filter parameters of all issue lists and statistics. */
export const filterParameters = (core: Core) => ({
  ...traitParameters(core),
  search: string(),
  in: opaque(),
  confidential: boolean(),
  due_date: oneOf(dueDateFilters)(),
  issue_type: oneOf(issueTypes)(),
  closed_by_id: integer(),
  created_after: time(),
  created_before: time(),
  updated_after: time(),
  updated_before: time(),
  not: hash(traitParameters(core)),
});

export type FilterParams = ParametersOf<typeof filterParameters>;

const orders: readonly IssueOrder[] = [...keysetOrders, 'label_priority', 'milestone_due', 'popularity', 'priority'];

export const listParameters = (core: Core) => ({
  state: fallback<'opened' | 'closed' | 'all'>('all', oneOf(['opened', 'closed', 'all'])),
  with_labels_details: fallback(false, boolean),
  ...filterParameters(core),
  order_by: fallback<IssueOrder>('created_at', oneOf(orders)),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

export type ListParams = ParametersOf<typeof listParameters>;

/** Additional parameters for the issues of a project. */
export const keysetParameters = () => ({ pagination: string(), cursor: opaque() });

export type KeysetParams = ParametersOf<typeof keysetParameters>;

/** The set of issues to which the filters apply. */
export interface IssueScope {
  readonly scope: Scope;
  readonly projectId?: number;
  readonly groupId?: number;
  readonly withoutArchived?: boolean;
  /** True if the caller can read every issue of the project. */
  readonly isWholeProject?: boolean;
}

/** Returns a page of the issues that the caller can see. */
export async function issueList(
  core: Core,
  request: ApiRequest<ListParams & Partial<KeysetParams>>,
  issueScope: IssueScope,
): Promise<RawResponse> {
  const { store } = core;
  const { params } = request;
  const { order_by: order, sort } = params;
  const filter = { ...filterOf(request, issueScope), state: params.state === 'all' ? undefined : params.state };
  const present = (rows: readonly Issue[]): readonly unknown[] => {
    const presented = presentIssues(core, rows, request);
    return params.with_labels_details ? withLabelDetails(core, presented) : presented;
  };
  if (params.pagination === 'keyset' && isAvailable(keyset, core.profile)) {
    const by = keysetOrders.find((one) => one === order);
    if (by === undefined) throw keysetUnavailable(`keyset pagination of issues does not support order_by=${order}`);
    const type = by === 'title' || by === 'due_date' ? 'string' : 'number';
    const read = by === 'weight' || by === 'due_date' || by === 'relative_position' ? readNullableCursor : readCursor;
    const after = params.cursor === undefined || params.cursor === '' ? undefined : read(params.cursor, by, type);
    const page = { order: by, sort, limit: keysetSize(params.per_page), after };
    const rows = await listIssuesAfter(store, filter, page, issueScope.isWholeProject === true);
    const presented = new Map(present(rows).map((item, index) => [rows[index]?.id, item]));
    return new RawResponse(
      keysetResponse(
        request,
        by,
        rows,
        (row) => ({ value: row[by], id: row.id }),
        (row) => presented.get(row.id),
      ),
    );
  }
  const pages = {
    count: (cap: number) => countIssues(store, filter, cap),
    rows: async (limit: number, offset: number) => present(await listIssues(store, filter, { order, sort, limit, offset })),
  };
  return new RawResponse(await readOffsetResponse(request, params, pages, (item) => item));
}

/** Returns the issues that the caller can see and whose title or description contains a text, by the time of their creation. */
export function searchIssues(
  core: Core,
  reader: Pick<ApiRequest<unknown>, 'caller' | 'baseUrl'>,
  search: Pick<IssueFilter, 'search' | 'projectId' | 'groupId' | 'withoutArchived' | 'state' | 'confidential'>,
  sort: 'asc' | 'desc',
): SlowOffsetList<unknown> {
  const { caller } = reader;
  const filter: IssueFilter = { ...search, viewer: viewerId(caller), readable: readableIssuesSql(accessOf(caller)) };
  return {
    count: (cap) => countIssues(core.store, filter, cap),
    rows: async (limit, offset) =>
      presentIssues(core, await listIssues(core.store, filter, { order: 'created_at', sort, limit, offset }), reader),
  };
}

/** Returns the numbers of open and closed issues in a list. */
export async function issueStatistics(
  core: Core,
  request: ApiRequest<FilterParams>,
  issueScope: IssueScope,
): Promise<ResponseOf<typeof statistics>> {
  const { opened, closed } = await countStates(core.store, filterOf(request, issueScope));
  return { statistics: { counts: { all: opened + closed, closed, opened } } };
}

function filterOf(request: ApiRequest<FilterParams>, issueScope: IssueScope): IssueFilter {
  const { params, caller } = request;
  const sent = request.linkParameters();
  for (const pair of exclusive) refuseTogether(sent, pair);
  const { not } = sent;
  if (typeof not === 'object') for (const pair of exclusive) refuseTogether({ ...not }, pair);
  const viewer = viewerId(caller);
  const isOwn = issueScope.scope === 'created_by_me' || issueScope.scope === 'created-by-me';
  const isAssigned = issueScope.scope === 'assigned_to_me' || issueScope.scope === 'assigned-to-me';
  const input = traitsOf(params);
  return {
    ...input,
    ...(isOwn ? { authorId: viewer, authorUsername: undefined } : {}),
    ...(isAssigned ? { assignee: viewer } : {}),
    viewer,
    readable: readableIssuesSql(accessOf(caller)),
    projectId: issueScope.projectId,
    groupId: issueScope.groupId,
    withoutArchived: issueScope.withoutArchived,
    today: isoDate(request.now),
    search: params.search,
    searchIn: searchedFields(params.in),
    confidential: params.confidential,
    due: params.due_date === undefined ? undefined : dueBounds(params.due_date, request.now),
    type: params.issue_type,
    closedById: params.closed_by_id,
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    not: params.not === undefined ? undefined : traitsOf(params.not),
  };
}

const exclusive = [
  ['milestone_id', 'milestone'],
  ['author_id', 'author_username'],
  ['assignee_id', 'assignee_username'],
] as const;

function traitsOf(params: TraitParams): IssueTraits {
  const assignee = wordOrNumber('assignee_id', params.assignee_id, readAssignee);
  return {
    iids: params.iids?.length === 0 ? undefined : params.iids,
    labels: requestedLabels(params.labels),
    milestone: params.milestone_id ?? requestedByTitle(params.milestone),
    authorId: params.author_id,
    authorUsername: params.author_username,
    assignee,
    assigneeUsernames: params.assignee_username?.length === 0 ? undefined : params.assignee_username,
    weight: wordOrNumber('weight', params.weight, readNumberOrWord),
  };
}

function wordOrNumber<T>(name: string, text: string | undefined, read: (text: string) => T | undefined): T | undefined {
  if (text === undefined || text === '') return undefined;
  const value = read(text);
  if (value === undefined) throw invalidParameters([`${name} should be an integer, 'None' or 'Any'`]);
  return value;
}

/** Returns the fields to search; undefined stands for all. */
function searchedFields(text: string | undefined): IssueFilter['searchIn'] {
  const named = (text ?? '').split(',').map((field) => field.trim());
  const fields = (['title', 'description'] as const).filter((field) => named.includes(field));
  return fields.length === 0 ? undefined : fields;
}
