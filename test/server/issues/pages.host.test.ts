import assert from 'node:assert/strict';
import { openBrowser, openContext } from '../../support/host/browser.ts';
import { describePages } from '../../support/host/pageChecks.ts';
import { busiestIssue, walkResourcePages } from '../../support/host/resourcePages.ts';
import { startTestServer } from '../../support/server.ts';

describePages(
  'pages of users, groups, projects, repositories, merge requests, issues, milestones, epics and the API reference',
  walkResourcePages,
  [
    'home',
    'own-projects',
    'own-groups',
    'person',
    'project',
    'issue-with-notes',
    'group',
    'group-project',
    'files',
    'lines',
    'text',
    'commits',
    'commit',
    'compare',
    'branches',
    'release',
    'snippet',
    'merge-requests',
    'merge-request',
    'activity',
    'members',
    'issues',
    'issue',
    'milestone',
    'epic',
    'epic-with-notes',
    'group-milestone',
    'epics',
    'milestones',
    'group-members',
    'merged-request',
    'pipeline',
    'job',
    'package',
    'endpoints',
  ],
);

it('a web address with a note scrolls to it', async () => {
  const browser = await openBrowser();
  try {
    await using server = await startTestServer();
    const page = await (await openContext(browser)).newPage();
    for await (const name of walkResourcePages(page, server)) if (name === 'person') break;
    const issue = `${server.origin}${busiestIssue(server)}`;
    await page.goto(issue);
    const last = page.locator('li[id^=note_]').last();
    await page.goto(`${issue}#${await last.getAttribute('id')}`);
    const box = await last.boundingBox();
    assert.ok(box !== null && box.y < 900, JSON.stringify(box));
  } finally {
    await browser.close();
  }
});
