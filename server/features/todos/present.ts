import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { issuesById, presentIssues } from '../issues/issues.ts';
import { mustFindMergeRequest, presentMergeRequests } from '../mergeRequests/mergeRequests.ts';
import { notesByIds } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { findProjects, presentProjectIdentity } from '../projectAccess/projectAccess.ts';
import type { todoResponse } from './responses.ts';
import type { Todo } from './manageTodos.ts';

type Wire = ResponseOf<typeof todoResponse>;

/** Presents to-do items whose targets the caller can read. */
export function presentTodos(
  core: Core,
  todos: readonly Todo[],
  { caller, baseUrl }: { readonly caller: Caller; readonly baseUrl: string },
): Wire[] {
  const ids = (type: Todo['target_type']): number[] => [
    ...new Set(todos.filter(({ target_type }) => target_type === type).map(({ target_id }) => target_id)),
  ];
  const reader = { caller, baseUrl };
  const issues = [...issuesById(core, ids('Issue')).values()];
  const mergeRequests = ids('MergeRequest').map((id) => mustFindMergeRequest(core, id));
  const targets = {
    Issue: new Map(presentIssues(core, issues, reader).map((one) => [one.id, one])),
    MergeRequest: new Map(presentMergeRequests(core, mergeRequests, reader).map((one) => [one.id, one])),
  };
  const bodies = bodiesOf(core, todos);
  const person = peopleOf(core, baseUrl);
  const projects = findProjects(
    core,
    todos.map(({ project_id }) => project_id),
    caller,
  );
  return todos.flatMap((todo): Wire[] => {
    const target = targets[todo.target_type].get(todo.target_id);
    const found = projects.get(todo.project_id);
    const author = person(todo.author_id);
    if (target === undefined || found === undefined || author === null) return [];
    return [
      {
        id: todo.id,
        project: presentProjectIdentity(found.project),
        author,
        action_name: todo.action,
        target_type: todo.target_type,
        target,
        target_url: `${target.web_url}${anchorOf(todo)}`,
        body: bodies.get(todo.note_id ?? 0) ?? target.title,
        state: todo.state,
        created_at: isoTime(todo.created_at),
        updated_at: isoTime(todo.updated_at),
      },
    ];
  });
}

/** Returns the texts of the comments of to-do items, by the ID of the comment. */
export function bodiesOf(core: Core, todos: readonly Todo[]): ReadonlyMap<number, string> {
  const ids = todos.flatMap(({ note_id }) => (note_id === null ? [] : [note_id]));
  return new Map([...notesByIds(core, ids)].map(([id, { body }]) => [id, body]));
}

/** Returns the part of an address that leads to the comment of a to-do item. */
export function anchorOf({ note_id: id }: Todo): string {
  return id === null ? '' : `#note_${id}`;
}
