import { commentOnIssue, createIssue, commentableIssue } from '../../../server/features/issues/manageIssues.ts';
import { comment } from '../../../server/features/notes/notes.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshProject, inGroup, inProject } from './fixture.ts';
import { plannedMilestone } from './milestones.ts';

/** Returns a request for the issue of a fixture. */
function issueRequest({ project, issue }: Fixture, more: Example['path'] = {}, params: Example['params'] = {}): Example {
  return { token: admin, path: { ...inProject(project, { issue_iid: issue.iid }), ...more }, params };
}

/** Creates a thread on the issue of a fixture and returns its path parameters. */
function inThread({ server: { platform }, project, issue, root }: Fixture): Readonly<Record<string, string>> {
  const made = comment(platform, commentableIssue(platform, project, issue), root, { body: 'Which fuse?' }, { kind: 'thread' });
  if (!('note' in made)) throw new Error('the thread has no note');
  return { discussion_id: made.note.discussion_id, note_id: String(made.note.id) };
}

/** Creates an issue of root and returns its path parameters. */
function freshIssue({ server, root, project }: Pick<Fixture, 'server' | 'root' | 'project'>): Readonly<Record<string, string>> {
  return inProject(project, { issue_iid: createIssue(server.platform, project, root, { title: 'Another lamp' }).iid });
}

export const issueExamples: Examples = {
  'GET /api/v4/issues': () => ({ token: admin, params: { scope: 'all', state: 'opened' } }),
  'GET /api/v4/projects/:id/issues': ({ project }) => ({ token: admin, path: inProject(project), params: { state: 'opened' } }),
  'POST /api/v4/projects/:id/issues': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { title: 'Another lamp' },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { add_labels: 'hardware' },
  }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid': ({ server, root, project }) => ({
    token: admin,
    path: inProject(project, { issue_iid: createIssue(server.platform, project, root, { title: 'Opened by mistake' }).iid }),
  }),
  'GET /api/v4/groups/:id/issues': (fixture) => {
    plannedMilestone(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { with_labels_details: true } };
  },
  'GET /api/v4/issues/:id': ({ issue }) => ({ token: admin, path: { id: String(issue.id) } }),
  'GET /api/v4/issues_statistics': () => ({ token: admin, params: { scope: 'all' } }),
  'GET /api/v4/groups/:id/issues_statistics': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/projects/:id/issues_statistics': ({ project }) => ({ token: admin, path: inProject(project) }),
  'POST /api/v4/projects/:id/issues/:issue_iid/subscribe': ({ adaToken, ...fixture }) => ({
    token: adaToken,
    path: freshIssue(fixture),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/unsubscribe': (fixture) => ({ token: admin, path: freshIssue(fixture) }),
  'GET /api/v4/projects/:id/issues/:issue_iid/participants': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/move': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { to_project_id: freshProject(fixture).project.id },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/clone': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { to_project_id: fixture.project.project.id, with_notes: true },
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid/reorder': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { move_after_id: fixture.issue.id },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/time_stats': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/time_estimate': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { duration: '3h30m' },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/reset_time_estimate': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/add_spent_time': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { duration: '1h' },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/reset_spent_time': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/notes': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/notes': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { body: 'Seen again.' },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ project, issue, note }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid, note_id: note.id }),
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ project, issue, note }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid, note_id: note.id }),
    params: { body: 'The fuse was blown.' },
  }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ server, root, project, issue }) => ({
    token: admin,
    path: inProject(project, {
      issue_iid: issue.iid,
      note_id: commentOnIssue(server.platform, project, issue, root, { body: 'Wrong issue.' }).id,
    }),
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions': (fixture) => issueRequest(fixture),
  'POST /api/v4/projects/:id/issues/:issue_iid/discussions': (fixture) => issueRequest(fixture, {}, { body: 'Which fuse?' }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id': (fixture) => issueRequest(fixture, inThread(fixture)),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': (fixture) =>
    issueRequest(fixture, inThread(fixture)),
  'POST /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': (fixture) =>
    issueRequest(fixture, inThread(fixture), { body: 'The one on the left.' }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    issueRequest(fixture, inThread(fixture)),
  'PUT /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    issueRequest(fixture, inThread(fixture), { body: 'The one on the right.' }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    issueRequest(fixture, inThread(fixture)),
  'GET /*full_path/-/issues': () => ({ path: { full_path: 'root/lamps' } }),
  'GET /*full_path/-/issues/:issue_iid': ({ issue }) => ({ path: { full_path: 'root/lamps', issue_iid: String(issue.iid) } }),
};
