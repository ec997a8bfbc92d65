import { isoDate } from '../../core/clock.ts';
import { type FoundGroup, groupRoute, visibleGroupsSql } from '../groups/groups.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { demandOneOf, isSentEmpty, refuseTogether } from '../../http/combinations.ts';
import { recordNotFound } from '../../core/errors.ts';
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
  strings,
  time,
  type ParametersOf,
} from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import { issuesById, presentIssues } from '../issues/issues.ts';
import { requestedLabels } from '../labels/labels.ts';
import { type Commentable, noteRoutes } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { epicResponse, epicIssue, epicLink, listedEpic } from './responses.ts';
import {
  addIssueToEpic,
  createEpic,
  deleteEpic,
  type Epic,
  type EpicInput,
  findEpic,
  visibleEpics,
  updateEpic,
} from './manageEpics.ts';
import { commentableEpic } from './commentable.ts';
import { presentEpic, presentEpics, withLabelDetails } from './present.ts';
import {
  countEpicIssues,
  countEpics,
  epicById,
  type EpicFilter,
  type EpicOrder,
  isIssueInGroup,
  listEpicIssues,
  listEpics,
  linkById,
  unlinkIssue,
} from './store.ts';

const pathParameters = () => ({ id: required(string) });
const oneEpic = () => ({ ...pathParameters(), epic_iid: required(integer) });
const values = () => ({
  description: string(),
  confidential: boolean(),
  labels: strings(),
  start_date_is_fixed: boolean(),
  start_date_fixed: date(),
  due_date_is_fixed: boolean(),
  due_date_fixed: date(),
});

type SentValues = ParametersOf<typeof values>;

/** Parameters of a change, at least one of which is required. The error message lists them in this order. */
const changeable = [
  'add_labels',
  'confidential',
  'description',
  'due_date_fixed',
  'due_date_is_fixed',
  'labels',
  'remove_labels',
  'start_date_fixed',
  'start_date_is_fixed',
  'state_event',
  'title',
] as const;

const listParameters = () => ({
  ...pathParameters(),
  state: fallback<'opened' | 'closed' | 'all'>('all', oneOf(['opened', 'closed', 'all'])),
  iids: integers(),
  labels: strings(),
  with_labels_details: fallback(false, boolean),
  author_id: integer(),
  author_username: string(),
  search: string(),
  confidential: boolean(),
  created_after: time(),
  created_before: time(),
  updated_after: time(),
  updated_before: time(),
  include_ancestor_groups: fallback(false, boolean),
  include_descendant_groups: fallback(true, boolean),
  order_by: fallback<EpicOrder>('created_at', oneOf(['created_at', 'updated_at', 'title'])),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});
const newParameters = () => ({ ...pathParameters(), title: required(string), ...values() });
const changedParameters = () => ({
  ...oneEpic(),
  title: string(),
  add_labels: strings(),
  remove_labels: strings(),
  state_event: oneOf(['reopen', 'close'])(),
  ...values(),
});
const listIssuesParameters = () => ({ ...oneEpic(), ...pageParameters() });
const addIssueParameters = () => ({ ...oneEpic(), issue_id: required(integer) });
const removeParameters = () => ({ ...oneEpic(), epic_issue_id: required(integer) });

/** Returns the routes of epics and their issues. All require a token; changes require at least the reporter role, deletion the owner role. */
export function epicRoutes(core: Core): Route[] {
  const tiers = ['premium', 'ultimate'] as const;
  const metadata = { specRef: 'Epics', status: 'inferred', key: 'iid', tiers } as const;
  const all = '/api/v4/groups/:id/epics';
  const one = `${all}/:epic_iid`;
  return [
    groupRoute(
      { ...metadata, method: 'GET', path: all, key: 'id', body: listOf(listedEpic), params: listParameters },
      'visible',
      (request) => listVisibleEpics(core, request),
    ),
    groupRoute(
      { ...metadata, method: 'POST', path: all, key: 'id', body: epicResponse, params: newParameters },
      'reporter',
      (request) => addEpic(core, request),
    ),
    groupRoute({ ...metadata, method: 'GET', path: one, body: epicResponse, params: oneEpic }, 'visible', (request) =>
      present(core, mustFind(core, request), request),
    ),
    groupRoute({ ...metadata, method: 'PUT', path: one, body: epicResponse, params: changedParameters }, 'reporter', (request) =>
      changeEpic(core, request),
    ),
    groupRoute({ ...metadata, method: 'DELETE', path: one, params: oneEpic }, 'owner', (request) =>
      deleteEpic(core, mustFind(core, request)),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: `${one}/issues`, body: listOf(epicIssue), params: listIssuesParameters },
      'visible',
      (request) => listIssues(core, request),
    ),
    groupRoute(
      { ...metadata, method: 'POST', path: `${one}/issues/:issue_id`, body: epicLink, params: addIssueParameters },
      'reporter',
      (request) => addIssue(core, request),
    ),
    groupRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${one}/issues/:epic_issue_id`,
        body: epicLink,
        successStatus: 200,
        params: removeParameters,
      },
      'reporter',
      (request) => removeIssue(core, request),
    ),
    ...noteRoutes(core, {
      path: `${all}/:epic_id`,
      number: () => ({ epic_id: required(integer) }),
      key: 'id',
      hasResolution: false,
      route: (row, handle) =>
        groupRoute({ ...row, tiers }, 'visible', (request) => handle(request, commentableOf(core, request))),
    }),
  ];
}

/** Returns the epic of a path as a commentable. */
function commentableOf(core: Core, request: SignedInRequest<unknown> & FoundGroup): Commentable {
  const id = Number(request.context.pathParameters['epic_id']);
  return commentableEpic(core, request, mustFindById(core, request, id));
}

function listVisibleEpics(core: Core, request: SignedInRequest<ParametersOf<typeof listParameters>> & FoundGroup): RawResponse {
  const { params, caller, group, baseUrl } = request;
  refuseTogether(request.linkParameters(), ['author_id', 'author_username']);
  const filter: EpicFilter = {
    ...visibleEpics(request, caller.user),
    withAncestors: params.include_ancestor_groups,
    groupsInside: params.include_descendant_groups ? visibleGroupsSql(accessOf(caller)) : undefined,
    iids: params.iids?.length === 0 ? undefined : params.iids,
    state: params.state === 'all' ? undefined : params.state,
    labels: requestedLabels(params.labels),
    authorId: params.author_id,
    authorUsername: params.author_username,
    search: params.search,
    confidential: params.confidential,
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
  };
  const pages = {
    count: (cap: number) => countEpics(core.store, filter, cap),
    rows: (limit: number, offset: number): readonly unknown[] => {
      const rows = listEpics(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset });
      const presented = presentEpics(core, rows, baseUrl, group.full_path);
      return params.with_labels_details ? withLabelDetails(core, presented) : presented;
    },
  };
  return new RawResponse(offsetResponse(request, params, pages, (item) => item));
}

function addEpic(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof newParameters>> & FoundGroup,
): ResponseOf<typeof epicResponse> {
  const input = readInput(request.params, request.linkParameters());
  return present(core, createEpic(core, request, request.caller.user, { ...input, title: request.params.title }), request);
}

function changeEpic(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof changedParameters>> & FoundGroup,
): ResponseOf<typeof epicResponse> {
  const { params } = request;
  const sent = request.linkParameters();
  demandOneOf(request, changeable);
  const input = {
    ...readInput(params, sent),
    title: params.title,
    add: params.add_labels,
    remove: params.remove_labels,
    stateEvent: params.state_event,
  };
  return present(core, updateEpic(core, request, mustFind(core, request), request.caller.user, input), request);
}

function listIssues(core: Core, request: SignedInRequest<ParametersOf<typeof listIssuesParameters>> & FoundGroup): RawResponse {
  const epic = mustFind(core, request);
  const pages = {
    count: (cap: number) => countEpicIssues(core.store, epic.id, issueVisibility(request), cap),
    rows: (limit: number, offset: number): readonly unknown[] => {
      const links = listEpicIssues(core.store, epic.id, issueVisibility(request), limit, offset);
      const issues = issuesById(
        core,
        links.map((link) => link.issue_id),
      );
      const rows = links.map((link) => issues.get(link.issue_id)).filter((issue) => issue !== undefined);
      const shown = presentIssues(core, rows, request);
      return shown.map((issue, index) => ({ ...issue, epic_issue_id: links[index]?.id }));
    },
  };
  return new RawResponse(offsetResponse(request, request.params, pages, (item) => item));
}

function addIssue(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof addIssueParameters>> & FoundGroup,
): ResponseOf<typeof epicLink> {
  const epic = mustFind(core, request);
  const { issue_id: issueId } = request.params;
  if (!isIssueInGroup(core.store, issueId, request.group.id, issueVisibility(request))) {
    throw recordNotFound(
      'no such issue in the projects of the group, or it is not visible to the caller; the path requires the ID',
    );
  }
  const linkId = addIssueToEpic(core, epic, issueId);
  // The dates of the epic may have changed.
  return presentLink(core, linkId, mustFind(core, request), issueId, request);
}

function removeIssue(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof removeParameters>> & FoundGroup,
): ResponseOf<typeof epicLink> {
  const epic = mustFind(core, request);
  const link = linkById(core.store, epic.id, request.params.epic_issue_id);
  if (link === undefined || !isIssueInGroup(core.store, link.issue_id, request.group.id, issueVisibility(request))) {
    throw recordNotFound('the epic has no link with this ID to an issue that is visible to the caller');
  }
  unlinkIssue(core.store, link.id);
  return presentLink(core, link.id, mustFind(core, request), link.issue_id, request);
}

function mustFind(core: Core, request: SignedInRequest<{ readonly epic_iid: number }> & FoundGroup): Epic {
  const epic = findEpic(core, request, request.params.epic_iid, request.caller.user);
  if (epic === undefined)
    throw recordNotFound('no such epic, or it is not visible to the caller; the path requires the IID, not the ID');
  return epic;
}

// Routes of comments contain the ID, all others the IID.
function mustFindById(core: Core, request: SignedInRequest<unknown> & FoundGroup, id: number): Epic {
  const epic = epicById(core.store, id);
  const isInGroup = epic?.group_id === request.group.id;
  const visible = isInGroup ? findEpic(core, request, epic.iid, request.caller.user) : undefined;
  if (visible === undefined)
    throw recordNotFound('no such epic, or it is not visible to the caller; the path requires the ID, not the IID');
  return visible;
}

function present(core: Core, epic: Epic, { baseUrl, caller }: SignedInRequest<unknown>): ResponseOf<typeof epicResponse> {
  return presentEpic(core, epic, baseUrl, caller.user);
}

function issueVisibility({ caller }: SignedInRequest<unknown>) {
  return {
    viewer: viewerId(caller),
    readable: readableIssuesSql(accessOf(caller)),
  };
}

function presentLink(
  core: Core,
  id: number,
  epic: Epic,
  issueId: number,
  request: SignedInRequest<unknown>,
): ResponseOf<typeof epicLink> {
  const issue = issuesById(core, [issueId]).get(issueId);
  const [shown] = presentIssues(core, issue === undefined ? [] : [issue], request);
  if (shown === undefined) throw new Error(`issue ${issueId} of an epic does not exist`);
  return { id, epic: present(core, epic, request), issue: shown };
}

function readInput(params: SentValues, sent: Readonly<Record<string, unknown>>): EpicInput {
  const day = (name: 'start_date_fixed' | 'due_date_fixed'): string | null | undefined => {
    const value = params[name];
    if (isSentEmpty(sent, name)) return null;
    return value === undefined ? undefined : isoDate(value);
  };
  return {
    description: params.description,
    confidential: params.confidential,
    labels: params.labels,
    startIsFixed: params.start_date_is_fixed,
    startFixed: day('start_date_fixed'),
    dueIsFixed: params.due_date_is_fixed,
    dueFixed: day('due_date_fixed'),
  };
}
