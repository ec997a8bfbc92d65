import { isoDate } from '../clock.ts';
import { listOf } from '../http/answers.ts';
import { demandOneOf, isSentEmpty, refuseTogether } from '../http/combinations.ts';
import { forbidden, invalidParameters, recordNotFound, unauthorized } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { boolean, date, fallback, integer, integers, oneOf, opaque, required, string, strings, time } from '../http/params.ts';
import { type ApiRequest, openRoute, Prepared, type Route } from '../http/route.ts';
import type { User } from '../identity/identity.ts';
import { wishedLabels } from '../labels/labels.ts';
import { milestoneWords, wishedByTitle } from '../milestones/milestones.ts';
import type { Platform } from '../platform.ts';
import {
  type FoundProject,
  openProjectRoute,
  projectRoute,
  readableIssuesSql,
  type Standing,
  standingOf,
  viewerId,
} from '../projects/projects.ts';
import { issueAnswer, listedIssue } from './answers.ts';
import { createIssue, deleteIssue, findIssue, type Issue, updateIssue } from './issues.ts';
import { milestoneIssueRoutes } from './milestoneRoutes.ts';
import { issueNoteRoutes } from './noteRoutes.ts';
import { presentIssues, withLabelDetails } from './present.ts';
import { readAssignee } from './rules.ts';
import { countIssues, type IssueFilter, type IssueOrder, listIssues } from './store.ts';

const scopes = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'all'] as const;
type Scope = (typeof scopes)[number];

const listParameters = () => ({
  state: fallback<'opened' | 'closed' | 'all'>('all', oneOf(['opened', 'closed', 'all'])),
  labels: strings(),
  with_labels_details: fallback(false, boolean),
  milestone: string(),
  milestone_id: oneOf(milestoneWords)(),
  iids: integers(),
  search: string(),
  in: opaque(),
  author_id: integer(),
  author_username: string(),
  assignee_id: opaque(),
  assignee_username: strings(),
  confidential: boolean(),
  created_after: time(),
  created_before: time(),
  updated_after: time(),
  updated_before: time(),
  order_by: fallback<IssueOrder>('created_at', oneOf(['created_at', 'updated_at', 'title'])),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

interface ListParams {
  readonly state: 'opened' | 'closed' | 'all';
  readonly labels: readonly string[] | undefined;
  readonly with_labels_details: boolean;
  readonly milestone: string | undefined;
  readonly milestone_id: (typeof milestoneWords)[number] | undefined;
  readonly iids: readonly number[] | undefined;
  readonly search: string | undefined;
  readonly in: string | undefined;
  readonly author_id: number | undefined;
  readonly author_username: string | undefined;
  readonly assignee_id: string | undefined;
  readonly assignee_username: readonly string[] | undefined;
  readonly confidential: boolean | undefined;
  readonly created_after: number | undefined;
  readonly created_before: number | undefined;
  readonly updated_after: number | undefined;
  readonly updated_before: number | undefined;
  readonly order_by: IssueOrder;
  readonly sort: 'asc' | 'desc';
  readonly page: number;
  readonly per_page: number;
}

const issueValues = () => ({
  description: string(),
  assignee_ids: integers(),
  assignee_id: integer(),
  labels: strings(),
  milestone_id: integer(),
  due_date: date(),
  confidential: boolean(),
});

export function issueRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const clause = 'General request rules';

  const list = (
    request: ApiRequest<ListParams>,
    narrowed: {
      readonly standing: Omit<Standing, 'level'>;
      readonly scope: Scope;
      projectId?: number;
      withoutArchived?: boolean;
    },
  ): Prepared => {
    const { params, caller } = request;
    const viewer = viewerId(caller);
    const sent = request.linkParameters();
    refuseTogether(sent, ['milestone_id', 'milestone']);
    refuseTogether(sent, ['author_id', 'author_username']);
    refuseTogether(sent, ['assignee_id', 'assignee_username']);
    const isOwn = narrowed.scope === 'created_by_me' || narrowed.scope === 'created-by-me';
    const isAssigned = narrowed.scope === 'assigned_to_me' || narrowed.scope === 'assigned-to-me';
    const assignee = params.assignee_id === undefined || params.assignee_id === '' ? undefined : readAssignee(params.assignee_id);
    if (assignee === undefined && params.assignee_id !== undefined && params.assignee_id !== '') {
      throw invalidParameters(["assignee_id should be an integer, 'None' or 'Any'"]);
    }
    const filter: IssueFilter = {
      viewer,
      readable: readableIssuesSql(narrowed.standing),
      projectId: narrowed.projectId,
      withoutArchived: narrowed.withoutArchived,
      state: params.state === 'all' ? undefined : params.state,
      iids: params.iids === undefined || params.iids.length === 0 ? undefined : params.iids,
      labels: wishedLabels(params.labels),
      milestone: params.milestone_id ?? wishedByTitle(params.milestone),
      today: isoDate(request.now),
      search: params.search,
      searchIn: searchedFields(params.in),
      authorId: isOwn ? viewer : params.author_id,
      authorUsername: isOwn ? undefined : params.author_username,
      assignee: isAssigned ? viewer : assignee,
      assigneeUsernames: params.assignee_username?.length === 0 ? undefined : params.assignee_username,
      confidential: params.confidential,
      createdAfter: params.created_after,
      createdBefore: params.created_before,
      updatedAfter: params.updated_after,
      updatedBefore: params.updated_before,
    };
    return new Prepared(
      offsetAnswer(
        request,
        params,
        {
          count: (cap) => countIssues(store, filter, cap),
          rows: (limit, offset): readonly unknown[] => {
            const rows = listIssues(store, filter, { order: params.order_by, sort: params.sort, limit, offset });
            const presented = presentIssues(platform, rows, request.baseUrl);
            return params.with_labels_details ? withLabelDetails(platform, presented) : presented;
          },
        },
        (item) => item,
      ),
    );
  };

  const mustFind = (found: FoundProject, iid: number, user: User | undefined): Issue => {
    const issue = findIssue(platform, found, iid, user);
    if (issue === undefined)
      throw recordNotFound('no such issue, or the caller may not see it; the path takes the iid, not the id');
    return issue;
  };

  const presentOne = (issue: Issue, baseUrl: string): unknown => presentIssues(platform, [issue], baseUrl)[0];

  return [
    openRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/issues',
        body: listOf(listedIssue),
        clause,
        status: 'inferred',
        params: () => ({
          scope: fallback<Scope>('created_by_me', oneOf(scopes)),
          non_archived: fallback(true, boolean),
          ...listParameters(),
        }),
      },
      (request) => {
        const { scope, non_archived: withoutArchived } = request.params;
        if (scope !== 'all' && request.caller === undefined) {
          throw unauthorized('issues of one person need a token; scope=all shows the public ones without');
        }
        return list(request, { standing: standingOf(request.caller), scope, withoutArchived });
      },
    ),
    openProjectRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/issues',
        body: listOf(listedIssue),
        clause: 'Pagination',
        status: 'stated',
        params: () => ({ id: required(string), scope: oneOf(scopes)(), ...listParameters() }),
      },
      (request) =>
        list(request, { standing: request.standing, scope: request.params.scope ?? 'all', projectId: request.project.id }),
    ),
    projectRoute(
      platform,
      {
        method: 'POST',
        path: '/api/v4/projects/:id/issues',
        body: issueAnswer,
        clause,
        status: 'inferred',
        params: () => ({
          id: required(string),
          title: required(string),
          created_at: time(),
          iid: integer(),
          ...issueValues(),
        }),
      },
      'visible',
      (request) => {
        const { params, caller } = request;
        const issue = createIssue(platform, request, caller.user, {
          title: params.title,
          description: params.description,
          assigneeIds: wishedAssignees(params),
          labels: params.labels,
          milestoneId: params.milestone_id === 0 ? undefined : params.milestone_id,
          dueDate: params.due_date === undefined ? undefined : isoDate(params.due_date),
          confidential: params.confidential,
          createdAt: params.created_at,
          iid: params.iid,
        });
        return presentOne(issue, request.baseUrl);
      },
    ),
    openProjectRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/projects/:id/issues/:issue_iid',
        body: issueAnswer,
        clause,
        status: 'stated',
        key: 'iid',
        params: () => ({ id: required(string), issue_iid: required(integer) }),
      },
      (request) => presentOne(mustFind(request, request.params.issue_iid, request.caller?.user), request.baseUrl),
    ),
    projectRoute(
      platform,
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/issues/:issue_iid',
        body: issueAnswer,
        clause,
        status: 'inferred',
        key: 'iid',
        params: () => ({
          id: required(string),
          issue_iid: required(integer),
          title: string(),
          state_event: oneOf(['reopen', 'close'])(),
          add_labels: strings(),
          remove_labels: strings(),
          ...issueValues(),
        }),
      },
      'visible',
      (request) => {
        const { params, caller } = request;
        const sent = request.linkParameters();
        demandOneOf(sent, changeable);
        const issue = mustFind(request, params.issue_iid, caller.user);
        const dueDate = params.due_date === undefined ? undefined : isoDate(params.due_date);
        const updated = updateIssue(platform, request, issue, caller.user, {
          title: params.title,
          description: params.description,
          stateEvent: params.state_event,
          assigneeIds: wishedAssignees(params),
          labels: params.labels,
          add: params.add_labels,
          remove: params.remove_labels,
          milestoneId: isSentEmpty(sent, 'milestone_id') || params.milestone_id === 0 ? null : params.milestone_id,
          dueDate: isSentEmpty(sent, 'due_date') ? null : dueDate,
          confidential: params.confidential,
        });
        return presentOne(updated, request.baseUrl);
      },
    ),
    projectRoute(
      platform,
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/issues/:issue_iid',
        clause,
        status: 'inferred',
        key: 'iid',
        params: () => ({ id: required(string), issue_iid: required(integer) }),
      },
      'owner',
      (request) => {
        const issue = mustFind(request, request.params.issue_iid, request.caller.user);
        if (request.project.archived === 1)
          throw forbidden(undefined, 'nobody writes to an archived project', 'project.archived');
        deleteIssue(platform, issue);
      },
    ),
    ...issueNoteRoutes(platform, mustFind),
    ...milestoneIssueRoutes(platform),
  ];
}

/** Parameters of which a change must send one, in the order in which a refusal names them. */
const changeable = [
  'assignee_id',
  'assignee_ids',
  'confidential',
  'description',
  'due_date',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'state_event',
  'title',
] as const;

/** Both fields unless the text names one or both of them. */
function searchedFields(text: string | undefined): IssueFilter['searchIn'] {
  const named = (text ?? '').split(',').map((field) => field.trim());
  const fields = (['title', 'description'] as const).filter((field) => named.includes(field));
  return fields.length === 0 ? undefined : fields;
}

/** The list counts; the older single number is used without it, and 0 means nobody. */
function wishedAssignees(params: {
  readonly assignee_ids: readonly number[] | undefined;
  readonly assignee_id: number | undefined;
}): readonly number[] | undefined {
  if (params.assignee_ids !== undefined) return params.assignee_ids.filter((id) => id !== 0);
  if (params.assignee_id === undefined) return undefined;
  return params.assignee_id === 0 ? [] : [params.assignee_id];
}
