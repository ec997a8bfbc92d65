import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, required } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { RawResponse, type Route, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { presentTodos } from './present.ts';
import { todoResponse } from './responses.ts';
import { actionFilters, typeFilters } from './rules.ts';
import { countTodos, listTodos, type TodoFilter } from './store.ts';
import { markAllDone, markDone, ownTodos, type Todo } from './manageTodos.ts';

/** Returns the routes of the caller's to-do items. */
export function todoRoutes(core: Core): Route[] {
  const { store } = core;
  const metadata = { specRef: 'To-do items', status: 'inferred', key: 'id' } as const;
  const only = <T>(value: T | undefined): readonly T[] | undefined => (value === undefined ? undefined : [value]);
  return [
    userRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/todos',
        body: listOf(todoResponse),
        params: () => ({
          action: oneOf(actionFilters)(),
          author_id: integer(),
          project_id: integer(),
          group_id: integer(),
          state: fallback<'pending' | 'done'>('pending', oneOf(['pending', 'done'])),
          type: oneOf(typeFilters)(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params, caller } = request;
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
      },
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/todos/:id/mark_as_done',
        body: todoResponse,
        params: () => ({ id: required(integer) }),
      },
      (request) => {
        const todo: Todo = markDone(core, request.caller, request.params.id);
        return presentTodos(core, [todo], request)[0];
      },
    ),
    userRoute({ ...metadata, method: 'POST', path: '/api/v4/todos/mark_as_done', successStatus: 204 }, ({ caller }) =>
      markAllDone(core, caller),
    ),
  ];
}
