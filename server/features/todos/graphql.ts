import { idPage } from '../../graphql/idPages.ts';
import {
  type Arguments,
  globalId,
  type GraphqlPart,
  numberOfGlobalId,
  type QueryRequest,
  textsArgument,
  timeOf,
} from '../../graphql/parts.ts';
import { findUser } from '../users/users.ts';
import { presentPerson, type UserFields } from '../profiles/profiles.ts';
import { issueFields, issuesById } from '../issues/issues.ts';
import { mergeRequestFields, mustFindMergeRequest } from '../mergeRequests/mergeRequests.ts';
import type { Core } from '../../core/core.ts';
import { findProjects } from '../projectAccess/projectAccess.ts';
import type { ProjectPresenter } from '../projects/projects.ts';
import { anchorOf, bodiesOf } from './present.ts';
import { listTodos, type TodoFilter } from './store.ts';
import { ownTodos, type Todo } from './manageTodos.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  "Object that to-do items are about."
  interface Todoable {
    "URL of this object."
    webUrl: String
  }

  extend type Issue implements Todoable

  extend type MergeRequest implements Todoable

  "Action that created a to-do item."
  enum TodoActionEnum {
    approval_required
    assigned
    directly_addressed
    marked
    mentioned
    review_requested
  }

  "State of a to-do item."
  enum TodoStateEnum {
    done
    pending
  }

  "Type of the object that a to-do item is about."
  enum TodoTargetEnum {
    "Issue."
    ISSUE
    "Merge request."
    MERGEREQUEST
  }

  "A to-do item."
  type Todo {
    "Action of the to-do item."
    action: TodoActionEnum!
    "Author of this to-do item."
    author: UserCore!
    "Body of the to-do item: the comment, or the title of the target."
    body: String!
    "Timestamp this to-do item was created."
    createdAt: Time!
    "ID of the to-do item."
    id: ID!
    "Project this to-do item is associated with."
    project: Project
    "State of the to-do item."
    state: TodoStateEnum!
    "Target of the to-do item."
    target: Todoable! @deprecation(id: "todo-target")
    "Target of the to-do item."
    targetEntity: Todoable @since(release: "17.4")
    "Target type of the to-do item."
    targetType: TodoTargetEnum!
    "URL of the to-do item target."
    targetUrl: String
  }

  "The connection type for Todo."
  type TodoConnection {
    edges: [TodoEdge]
    nodes: [Todo]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type TodoEdge {
    cursor: String!
    node: Todo
  }

  extend type CurrentUser {
    "To-do items of the user, the newest first."
    todos(
      "Action to be filtered."
      action: [TodoActionEnum!]
      "Return the elements in the list that come after the specified cursor."
      after: String
      "ID of an author."
      authorId: [ID!]
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list."
      first: Int
      "ID of a group."
      groupId: [ID!]
      "Returns the last _n_ elements from the list."
      last: Int
      "ID of a project."
      projectId: [ID!]
      "State of the to-do item. By default, pending ones are returned."
      state: [TodoStateEnum!]
      "Type of the to-do item."
      type: [TodoTargetEnum!]
    ): TodoConnection
  }
`;

/** Number of lists of to-do items that one request can ask for. */
const MAX_LISTS = 20;

const typeNames = { Issue: 'ISSUE', MergeRequest: 'MERGEREQUEST' } as const;

export const todosGraphql: GraphqlPart = { sdl, query: {} };

/** Returns the fields of the current user about to-do items. */
export function todosOf(core: Core, presentProject: ProjectPresenter): UserFields {
  return (caller) => ({
    todos: (args: Arguments, request: QueryRequest) => {
      request.spend('todos', MAX_LISTS);
      const filter = filterOf(ownTodos(caller), args);
      return idPage(
        args,
        ({ idBefore, idAfter, sort, limit }) =>
          listTodos(core.store, { ...filter, idBefore, idAfter }, { sort, limit, offset: 0 }),
        (rows) => todoFields(core, rows, request, presentProject),
      );
    },
  });
}

function filterOf(own: TodoFilter, args: Arguments): TodoFilter {
  const ids = (name: string, model: string): readonly number[] | undefined =>
    listed(args[name])?.map((id) => numberOfGlobalId(model, id));
  const types = listed(args['type']);
  return {
    ...own,
    actions: listed(args['action']),
    authorIds: ids('authorId', 'User'),
    groupIds: ids('groupId', 'Group'),
    projectIds: ids('projectId', 'Project'),
    states: listed(args['state']) ?? ['pending'],
    types:
      types === undefined ? undefined : (['Issue', 'MergeRequest'] as const).filter((type) => types.includes(typeNames[type])),
  };
}

/** Returns the items of a list argument; undefined if it is omitted or empty, which means all. */
function listed(value: unknown): readonly string[] | undefined {
  const texts = textsArgument(value);
  return texts?.length === 0 ? undefined : texts;
}

function todoFields(
  core: Core,
  todos: readonly Todo[],
  request: QueryRequest,
  presentProject: ProjectPresenter,
): (Fields | undefined)[] {
  const projects = findProjects(
    core,
    todos.map(({ project_id }) => project_id),
    request.caller,
  );
  const targets = targetsOf(core, todos, request);
  const bodies = bodiesOf(core, todos);
  return todos.map((todo) => {
    const author = findUser(core, todo.author_id);
    const found = projects.get(todo.project_id);
    const target = targets[todo.target_type].get(todo.target_id);
    if (author === undefined || found === undefined || target === undefined) return undefined;
    return {
      action: todo.action,
      author: presentPerson(author, request.baseUrl),
      body: bodies.get(todo.note_id ?? 0) ?? target['title'],
      createdAt: timeOf(todo.created_at),
      id: globalId('Todo', todo.id),
      project: () => presentProject(found, request),
      state: todo.state,
      target,
      targetEntity: target,
      targetType: typeNames[todo.target_type],
      targetUrl: `${String(target['webUrl'])}${anchorOf(todo)}`,
    };
  });
}

function targetsOf(
  core: Core,
  todos: readonly Todo[],
  request: QueryRequest,
): Readonly<Record<Todo['target_type'], ReadonlyMap<number, Fields>>> {
  const ids = (type: Todo['target_type']): number[] => [
    ...new Set(todos.filter(({ target_type }) => target_type === type).map(({ target_id }) => target_id)),
  ];
  const issues = [...issuesById(core, ids('Issue')).values()];
  const presented = issueFields(core, issues, request);
  const mergeRequests = ids('MergeRequest').map((id) => mustFindMergeRequest(core, id));
  return {
    Issue: new Map(issues.flatMap((issue, index) => (presented[index] === undefined ? [] : [[issue.id, presented[index]]]))),
    MergeRequest: new Map(mergeRequests.map((one) => [one.id, mergeRequestFields(one, request)])),
  };
}
