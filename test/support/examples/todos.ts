import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject } from './fixture.ts';
import { freshRequestOfNobody } from './mergeRequests.ts';

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
  'POST /api/v4/projects/:id/issues/:issue_iid/todo': (fixture) => {
    const { server, root } = fixture;
    const found = freshProject(fixture);
    const { iid } = createIssue(server.platform, found, root, { title: 'Change the fuse' });
    return { token: admin, path: inProject(found, { issue_iid: iid }) };
  },
  'POST /api/v4/projects/:id/merge_requests/:merge_request_iid/todo': (fixture) => freshRequestOfNobody(fixture),
  'POST /api/v4/todos/mark_as_done': (fixture) => {
    assign(fixture);
    return { token: admin };
  },
};
