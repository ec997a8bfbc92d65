import type { Feature } from '../../http/feature.ts';
import { todoRoutes } from './routes.ts';
import { followTodos } from './manageTodos.ts';

export { todosGraphql, todosOf } from './graphql.ts';
export { todoContributions } from './manageTodos.ts';

/** To-do items of users. */
export const todos: Feature = { routes: todoRoutes, subscribe: followTodos };
