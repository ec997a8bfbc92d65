// Walks through the web pages of users, groups, projects, repositories and issues, with the demo data.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { addIssueToEpic, createEpic } from '../../../server/features/epics/manageEpics.ts';
import type { Action } from '../../../server/repositories/actions.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { findGroup } from '../../../server/features/groups/access.ts';
import type { User } from '../../../server/core/caller.ts';
import { findUserByName } from '../../../server/features/users/accounts.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { commentableMergeRequest } from '../../../server/features/mergeRequests/commentable.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { comment } from '../../../server/features/notes/notes.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { createRelease } from '../../../server/features/releases/manageReleases.ts';
import { seedDemo } from '../../../server/seeds/demo.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import type { TestServer } from '../server.ts';

/** Walks a demo user through a page of each kind and yields the name of each page. */
export async function* walkResourcePages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  await seedDemo(server.platform);
  const amara = findUserByName(server.platform, 'amara');
  assert.ok(amara);
  const snippet = await writeCode(server, amara);
  await page.goto(`${server.origin}${mintSignInLink(server.platform, amara, '/')?.path}`);
  const pages = {
    home: '/',
    'own-projects': '/dashboard/projects',
    'own-groups': '/dashboard/groups',
    person: '/amara',
    project: '/amara/berth-api',
    'issue-with-notes': busiestIssue(server),
    group: '/groups/tidemark',
    'group-project': '/tidemark/season-plan',
    files: '/amara/moorings/-/tree/topic/tides/docs',
    lines: '/amara/moorings/-/blob/topic/tides/docs/tide.ts',
    text: '/amara/moorings/-/blob/topic/tides/README.md',
    commits: '/amara/moorings/-/commits/topic/tides',
    commit: '/amara/moorings/-/commit/topic%2Ftides',
    compare: '/amara/moorings/-/compare/main...topic%2Ftides',
    branches: '/amara/moorings/-/branches',
    release: '/amara/moorings/-/releases/v1',
    snippet,
    'merge-requests': '/amara/moorings/-/merge_requests',
    'merge-request': mergeRequestPage(server, amara),
    activity: '/amara/berth-api/-/activity',
    members: '/amara/berth-api/-/project_members',
    issues: '/amara/berth-api/-/issues?state=all',
    issue: '/tidemark/season-plan/-/issues/1',
    milestone: planMilestone(server, amara),
    epic: planEpic(server, amara),
    'epic-with-notes': '/groups/tidemark/-/epics/1',
    'group-milestone': '/groups/tidemark/-/milestones/1',
    epics: '/groups/tidemark/-/epics?state=all',
    milestones: '/groups/tidemark/-/milestones?state=all',
    'group-members': '/groups/tidemark/-/group_members',
    'merged-request': '/tidemark/season-plan/-/merge_requests/1',
    pipeline: '/amara/berth-api/-/pipelines/1',
    job: '/amara/berth-api/-/jobs/2',
    package: packagePage(server),
    endpoints: '/help/api',
  };
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(`${server.origin}${address}`);
    await page.evaluate(() => {
      for (const details of [...document.querySelectorAll('details')].slice(0, 5)) details.open = true;
    });
    yield name;
  }
}

/** Returns the address of the latest package of a project. */
function packagePage({ platform }: TestServer): string {
  const row = platform.store.get<{ id: number }>('SELECT max(id) AS id FROM packages WHERE project_id = 1');
  assert.ok(row);
  return `/amara/berth-api/-/packages/${row.id}`;
}

/** Creates a merge request with labels, comments, commits and changes, and returns its address. */
function mergeRequestPage({ platform }: TestServer, amara: User): string {
  const found = findProject(platform, 'amara/moorings', { user: amara });
  assert.ok(found);
  const request = createMergeRequest(platform, { source: found, target: found }, amara, {
    title: 'Draft: Tides that come and go',
    description: README,
    sourceBranch: 'topic/tides',
    targetBranch: 'main',
    labels: ['water'],
    assigneeIds: [amara.id],
    reviewerIds: [amara.id],
  });
  const commentable = commentableMergeRequest(platform, found, request, amara);
  comment(platform, commentable, amara, { body: README });
  comment(platform, commentable, amara, { body: 'Not before spring.', internal: true });
  comment(platform, commentable, amara, { body: '/title Draft: Tides' });
  return `/amara/moorings/-/merge_requests/${request.iid}`;
}

/** Creates a milestone with an issue and returns its address. */
function planMilestone({ platform }: TestServer, amara: User): string {
  const found = findProject(platform, 'amara/berth-api', { user: amara });
  assert.ok(found);
  const input = { title: 'Before the season', description: 'What the harbour needs by then.', dueDate: '2030-04-01' };
  const { id, iid } = createMilestone(platform, { kind: 'project', id: found.project.id }, amara, input);
  createIssue(platform, found, amara, { title: 'Lamps along the pier', milestoneId: id });
  return `/amara/berth-api/-/milestones/${iid}`;
}

/** Creates an epic with a label and an issue and returns its address. */
function planEpic({ platform }: TestServer, amara: User): string {
  const group = findGroup(platform, 'tidemark', { user: amara });
  const project = findProject(platform, 'tidemark/season-plan', { user: amara });
  assert.ok(group && project);
  const input = { title: 'A dry harbour', description: 'What keeps the water out.', labels: ['season'], confidential: true };
  const epic = createEpic(platform, group, amara, input);
  addIssueToEpic(platform, epic, createIssue(platform, project, amara, { title: 'Pumps' }).id);
  return `/groups/tidemark/-/epics/${epic.iid}`;
}

/** Creates a project with files, a branch, changes, a release and a snippet. Returns the address of the snippet page. */
async function writeCode({ platform }: TestServer, amara: User): Promise<string> {
  const found = createProject(platform, amara, { name: 'Moorings' });
  const write = (action: Action['action'], path: string, text: string): Action => ({ action, path, content: Buffer.from(text) });
  await createCommit(platform, found, amara, {
    branch: 'main',
    message: 'Begin',
    actions: [
      write('create', 'README.md', README),
      write('create', 'docs/tide.ts', `export const tide = ${'1 + '.repeat(100)}1;\n`),
    ],
  });
  await createCommit(platform, found, amara, {
    branch: 'topic/tides',
    startBranch: 'main',
    message: 'Tides\n\nThey come and go.',
    actions: [
      write('update', 'docs/tide.ts', 'export const tide = 1;\nexport const ebb = -1;\n'),
      { action: 'move', path: 'ABOUT.md', previousPath: 'README.md' },
      write('create', 'README.md', `${README}\nMore.\n`),
    ],
  });
  await createRelease(platform, found, amara, {
    tag: 'v1',
    ref: 'main',
    description: README,
    links: [{ name: 'Chart', url: 'https://files.example/chart' }],
  });
  const snippet = await createSnippet(platform, amara, {
    projectId: found.project.id,
    title: 'Tide table',
    description: README,
    visibility: 'private',
    files: ['tide.ts', 'ebb.ts'].map((path) => ({ path, content: 'export const now = 1;\n'.repeat(3) })),
  });
  return `/${found.project.full_path}/-/snippets/${snippet.id}`;
}

const README = `# Berths

### Which ones are free

| berth | length | depth | since |
|---|---|---|---|
| ${'b'.repeat(60)} | ${'l'.repeat(60)} | ${'d'.repeat(60)} | ${'s'.repeat(60)} |

1. [tides](docs/tide.ts)

> quoted, with \`code\`

\`\`\`
${'a long line '.repeat(20)}
\`\`\`

![a map of somebody else](https://maps.example/a.png)
`;

/** Returns the address of the issue with the most comments, including internal ones. */
export function busiestIssue({ platform }: TestServer): string {
  const busiest = platform.store.get<{ path: string; iid: number }>(
    `SELECT p.full_path AS path, i.iid FROM issues i JOIN projects p ON p.id = i.project_id JOIN notes n ON n.noteable_id = i.id
     WHERE p.full_path = 'amara/berth-api' GROUP BY i.id ORDER BY max(n.internal) DESC, count(*) DESC LIMIT 1`,
  );
  assert.ok(busiest);
  return `/${busiest.path}/-/issues/${busiest.iid}`;
}
