import type { GitCore } from '../../repositories/repositories.ts';
import { refuseTogether } from '../../http/combinations.ts';
import { isoDate } from '../../core/clock.ts';
import { invalidParameters } from '../../core/errors.ts';
import { type OffsetList, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, hash, integer, oneOf, opaque, string, strings, time, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse } from '../../http/route.ts';
import { requestedLabels } from '../labels/labels.ts';
import { requestedByTitle } from '../milestones/milestones.ts';
import { accessOf, findProjects, viewerId } from '../projectAccess/projectAccess.ts';
import { readableCodeSql } from '../abilities/abilities.ts';
import { presentMergeRequests, presentSimple } from './present.ts';
import { readPerson } from './rules.ts';
import {
  countMergeRequests,
  listMergeRequests,
  type MergeRequestMetadata,
  type MergeRequestFilter,
  type MergeRequestOrder,
  type PersonFilter,
} from './store.ts';
import { examined } from './versions.ts';

export const scopes = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'reviews_for_me', 'all'] as const;
export type Scope = (typeof scopes)[number];

const states = ['opened', 'closed', 'locked', 'merged', 'all'] as const;
const orders = ['created_at', 'updated_at', 'title', 'merged_at'] as const;

const people = () => ({
  author_id: integer(),
  author_username: string(),
  assignee_id: opaque(),
  assignee_username: string(),
  reviewer_id: opaque(),
  reviewer_username: string(),
  source_branch: string(),
  target_branch: string(),
  labels: strings(),
  milestone: string(),
});

/** Parameters of every list of merge requests. */
export const listParameters = () => ({
  state: fallback<(typeof states)[number]>('all', oneOf(states)),
  ...people(),
  with_labels_details: fallback(false, boolean),
  source_project_id: integer(),
  search: string(),
  in: opaque(),
  wip: oneOf(['yes', 'no'])(),
  draft: boolean(),
  approved: oneOf(['yes', 'no'])(),
  approved_by_ids: opaque(),
  merge_user_id: integer(),
  merge_user_username: string(),
  created_after: time(),
  created_before: time(),
  updated_after: time(),
  updated_before: time(),
  merged_after: time(),
  merged_before: time(),
  not: hash(people()),
  view: oneOf(['simple'])(),
  with_merge_status_recheck: fallback(false, boolean),
  order_by: fallback<MergeRequestOrder>('created_at', oneOf(orders)),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

type PeopleParams = ParametersOf<typeof people>;

export type ListParams = ParametersOf<typeof listParameters>;

/** The scope of a list: project, group and so on. */
export type Narrowed = Pick<MergeRequestFilter, 'projectId' | 'groupId' | 'withoutArchived' | 'iids'> & { readonly scope: Scope };

/** Returns a page of the merge requests that the caller can see. */
export async function mergeRequestPage(core: GitCore, request: ApiRequest<ListParams>, narrowed: Narrowed): Promise<RawResponse> {
  const { store } = core;
  const { params, caller, baseUrl } = request;
  const sent = request.linkParameters();
  for (const name of ['author', 'assignee', 'reviewer']) refuseTogether(sent, [`${name}_id`, `${name}_username`]);
  const { scope, ...repository } = narrowed;
  const viewer = viewerId(caller);
  const { wip, draft } = params;
  const filter: MergeRequestFilter = {
    viewer,
    readable: readableCodeSql(accessOf(caller)),
    ...repository,
    state: params.state === 'all' ? undefined : params.state,
    is: { ...metadataOf(params, ''), ...ownMetadata(scope, viewer) },
    not: params.not === undefined ? {} : metadataOf(params.not, 'not'),
    today: isoDate(request.now),
    search: params.search,
    searchIn: searchedFields(params.in),
    draft: wip === undefined ? draft : wip === 'yes',
    sourceProjectId: params.source_project_id,
    approvedByIds: approvers(params.approved_by_ids),
    approved: params.approved === undefined ? undefined : params.approved === 'yes',
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    mergedAfter: params.merged_after,
    mergedBefore: params.merged_before,
    mergedBy:
      params.merge_user_id ?? (params.merge_user_username === undefined ? undefined : { username: params.merge_user_username }),
  };
  const page = { order: params.order_by, sort: params.sort };
  if (params.with_merge_status_recheck) await recheck(core, request, filter);
  const rows = (limit: number, offset: number): readonly unknown[] => {
    const found = listMergeRequests(store, filter, { ...page, limit, offset });
    if (params.view === 'simple') return found.map((row) => presentSimple(row, baseUrl));
    return presentMergeRequests(core, found, request, params.with_labels_details);
  };
  return new RawResponse(
    offsetResponse(request, params, { count: (cap) => countMergeRequests(store, filter, cap), rows }, (item) => item),
  );
}

/** Returns the merge requests that the caller can see and whose title or description contains a text, by the time of their creation. */
export function searchMergeRequests(
  core: GitCore,
  request: Pick<ApiRequest<unknown>, 'caller' | 'baseUrl' | 'now'>,
  search: Pick<MergeRequestFilter, 'search' | 'projectId' | 'groupId' | 'withoutArchived' | 'state'>,
  sort: 'asc' | 'desc',
): OffsetList<unknown> {
  const { store } = core;
  const { caller } = request;
  const filter: MergeRequestFilter = {
    ...search,
    viewer: viewerId(caller),
    readable: readableCodeSql(accessOf(caller)),
    is: {},
    not: {},
    today: isoDate(request.now),
  };
  return {
    count: (cap) => countMergeRequests(store, filter, cap),
    rows: (limit, offset) =>
      presentMergeRequests(core, listMergeRequests(store, filter, { order: 'created_at', sort, limit, offset }), request, false),
  };
}

/** Rechecks the mergeability of those on a page whose branches have moved since the last check. */
async function recheck(core: GitCore, { params, caller }: ApiRequest<ListParams>, filter: MergeRequestFilter): Promise<void> {
  const limit = Math.min(Math.max(params.per_page, 1), 100);
  const offset = (Math.max(params.page, 1) - 1) * limit;
  const rows = listMergeRequests(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset });
  const found = findProjects(core, [...new Set(rows.map((row) => row.project_id))], caller);
  for (const row of rows) {
    const repository = found.get(row.project_id);
    if (row.state === 'opened' && repository !== undefined) await examined(core, repository, row);
  }
}

function ownMetadata(scope: Scope, viewer: number): MergeRequestMetadata {
  switch (scope) {
    case 'created_by_me':
    case 'created-by-me':
      return { author: viewer };
    case 'assigned_to_me':
    case 'assigned-to-me':
      return { assignee: viewer };
    case 'reviews_for_me':
      return { reviewer: viewer };
    case 'all':
      return {};
  }
}

function metadataOf(params: PeopleParams, inside: string): MergeRequestMetadata {
  const person = (id: string | undefined, username: string | undefined, name: string): PersonFilter | undefined => {
    if (id === undefined || id === '') return username === undefined || username === '' ? undefined : { username };
    const read = readPerson(id);
    const named = inside === '' ? name : `${inside}[${name}]`;
    if (read === undefined) throw invalidParameters([`${named} should be an integer, 'None' or 'Any'`]);
    return read;
  };
  const { author_username: author } = params;
  return {
    author: params.author_id ?? (author === undefined || author === '' ? undefined : { username: author }),
    assignee: person(params.assignee_id, params.assignee_username, 'assignee_id'),
    reviewer: person(params.reviewer_id, params.reviewer_username, 'reviewer_id'),
    sourceBranch: params.source_branch,
    targetBranch: params.target_branch,
    labels: requestedLabels(params.labels),
    milestone: requestedByTitle(params.milestone),
  };
}

/** Parses comma-separated user ids, `None` or `Any`. */
function approvers(text: string | undefined): readonly number[] | 'None' | 'Any' | undefined {
  if (text === undefined || text === '') return undefined;
  const read = readPerson(text);
  if (read === 'None' || read === 'Any') return read;
  const ids = text.split(',').map((part) => readPerson(part));
  const numbers = ids.filter((id) => typeof id === 'number');
  if (numbers.length < ids.length) throw invalidParameters(["approved_by_ids should be integers, 'None' or 'Any'"]);
  return numbers;
}

/** Returns the searched fields; both unless the text names them. */
function searchedFields(text: string | undefined): MergeRequestFilter['searchIn'] {
  const named = (text ?? '').split(',').map((field) => field.trim());
  const fields = (['title', 'description'] as const).filter((field) => named.includes(field));
  return fields.length === 0 ? undefined : fields;
}
