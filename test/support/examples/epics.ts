import { addIssueToEpic, createEpic, type Epic } from '../../../server/features/epics/manageEpics.ts';
import { commentableEpic } from '../../../server/features/epics/commentable.ts';
import { createIssue, type Issue } from '../../../server/features/issues/manageIssues.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, inGroup } from './fixture.ts';
import { notesExamples } from './notes.ts';

const EPIC = '/api/v4/groups/:id/epics/:epic_id';

/** Creates an epic with three issues and returns the ids of the epic issues. */
function epicWith({ server, root, group, fresh }: Fixture): {
  readonly epic: Epic;
  readonly issues: readonly Issue[];
  readonly ties: readonly number[];
} {
  const { platform } = server;
  const epic = createEpic(platform, group, root, { title: fresh('epic') });
  const project = createProject(platform, root, { name: fresh('project'), namespaceId: group.group.id });
  const issues = ['First lamp', 'Second lamp', 'Third lamp'].map((title) => createIssue(platform, project, root, { title }));
  return { epic, issues, ties: issues.map(({ id }) => addIssueToEpic(platform, epic, id)) };
}

function inEpic(fixture: Fixture): Readonly<Record<string, string>> {
  return inGroup(fixture.group, { epic_iid: epicWith(fixture).epic.iid });
}

export const epicExamples: Examples = {
  'GET /api/v4/groups/:id/epics': (fixture) => {
    epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group), params: { state: 'opened' } };
  },
  'POST /api/v4/groups/:id/epics': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { title: fresh('epic'), labels: 'season' },
  }),
  'GET /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'PUT /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({
    token: admin,
    path: inEpic(fixture),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'GET /api/v4/groups/:id/epics/:epic_iid/issues': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'POST /api/v4/groups/:id/epics/:epic_iid/issues/:issue_id': (fixture) => {
    const { epic, issues } = epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group, { epic_iid: epic.iid, issue_id: issues[0]?.id ?? 0 }) };
  },
  'DELETE /api/v4/groups/:id/epics/:epic_iid/issues/:epic_issue_id': (fixture) => {
    const { epic, ties } = epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group, { epic_iid: epic.iid, epic_issue_id: ties[0] ?? 0 }) };
  },
  ...notesExamples(EPIC, (fixture) => {
    const { epic } = epicWith(fixture);
    return {
      path: inGroup(fixture.group, { epic_id: epic.id }),
      commentable: commentableEpic(fixture.server.platform, fixture.group, epic),
    };
  }),
  'GET /groups/*full_path/-/epics': () => ({ path: { full_path: 'signals' } }),
  'GET /groups/*full_path/-/epics/:epic_iid': (fixture) => ({
    path: { full_path: 'signals', epic_iid: String(epicWith(fixture).epic.iid) },
  }),
};
