import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, type ParametersOf, required, string } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { RawResponse, type Route, type SignedInRequest, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { presentTodos } from './present.ts';
import { todoResponse } from './responses.ts';
import { actionFilters, typeFilters } from './rules.ts';
import { countTodos, listTodos, type TodoFilter } from './store.ts';
import { markAllDone, markDone, markForLater, ownTodos } from './manageTodos.ts';

const listParameters = () => ({
  action: oneOf(actionFilters)(),
  author_id: integer(),
  project_id: integer(),
  group_id: integer(),
  state: fallback<'pending' | 'done'>('pending', oneOf(['pending', 'done'])),
  type: oneOf(typeFilters)(),
  ...pageParameters(),
});
const doneParameters = () => ({ id: required(integer) });
const issueParameters = () => ({ id: required(string), issue_iid: required(integer) });
const mergeRequestParameters = () => ({ id: required(string), merge_request_iid: required(integer) });

/** Returns the routes of the caller's to-do items. */
export function todoRoutes(core: Core): Route[] {
  const metadata = { specRef: 'To-do items', status: 'inferred', key: 'id' } as const;
  const added = { specRef: 'To-do items', status: 'inferred', key: 'iid', method: 'POST', body: todoResponse } as const;
  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/todos', body: listOf(todoResponse), params: listParameters },
      (request) => list(core, request),
    ),
    userRoute(
      { ...metadata, method: 'POST', path: '/api/v4/todos/:id/mark_as_done', body: todoResponse, params: doneParameters },
      (request) => presentTodos(core, [markDone(core, request.caller, request.params.id)], request)[0],
    ),
    userRoute({ ...metadata, method: 'POST', path: '/api/v4/todos/mark_as_done', successStatus: 204 }, ({ caller }) =>
      markAllDone(core, caller),
    ),
    projectRoute(
      { ...added, path: '/api/v4/projects/:id/issues/:issue_iid/todo', params: issueParameters },
      'visible',
      (request) => addOwn(core, request, { type: 'Issue', iid: request.params.issue_iid }),
    ),
    projectRoute(
      { ...added, path: '/api/v4/projects/:id/merge_requests/:merge_request_iid/todo', params: mergeRequestParameters },
      'visible',
      (request) => addOwn(core, request, { type: 'MergeRequest', iid: request.params.merge_request_iid }),
    ),
  ];
}

function list(core: Core, request: SignedInRequest<ParametersOf<typeof listParameters>>): RawResponse {
  const { store } = core;
  const { params, caller } = request;
  const only = <T>(value: T | undefined): readonly T[] | undefined => (value === undefined ? undefined : [value]);
  const filter: TodoFilter = {
    ...ownTodos(caller),
    actions: only(params.action),
    authorIds: only(params.author_id),
    projectIds: only(params.project_id),
    groupIds: only(params.group_id),
    states: [params.state],
    types: only(params.type),
  };
  const pages = {
    count: (cap: number) => countTodos(store, filter, cap),
    rows: (limit: number, offset: number) => {
      const rows = listTodos(store, filter, { sort: 'desc', limit, offset });
      return presentTodos(core, rows, request);
    },
  };
  return new RawResponse(offsetResponse(request, params, pages, (todo) => todo));
}

function addOwn(core: Core, request: ProjectRequest<unknown>, target: Parameters<typeof markForLater>[2]): unknown {
  const todo = markForLater(core, request, target, request.caller);
  return todo === undefined ? new RawResponse({ status: 304 }) : presentTodos(core, [todo], request)[0];
}
