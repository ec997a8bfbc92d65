import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshProject } from './fixture.ts';

/** Assigns a new issue to root. */
function assign(fixture: Fixture): void {
  const { server, root } = fixture;
  createIssue(server.platform, freshProject(fixture), root, { title: 'Change the fuse', assigneeIds: [root.id] });
}

/** Returns the to-do item of a new assignment. */
async function todoOf(fixture: Fixture): Promise<string> {
  assign(fixture);
  const response = await fixture.server.request('GET', '/api/v4/todos?per_page=1', { token: admin });
  const [todo] = response.json() as { id: number }[];
  return String(todo?.id);
}

export const todoExamples: Examples = {
  'GET /api/v4/todos': (fixture) => {
    assign(fixture);
    return { token: admin, params: { action: 'assigned', state: 'pending', type: 'Issue' } };
  },
  'POST /api/v4/todos/:id/mark_as_done': async (fixture) => ({ token: admin, path: { id: await todoOf(fixture) } }),
  'POST /api/v4/todos/mark_as_done': (fixture) => {
    assign(fixture);
    return { token: admin };
  },
};
