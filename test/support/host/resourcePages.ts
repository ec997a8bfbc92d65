// The web pages of people, groups, projects and issues, over the demo data.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findUserByName } from '../../../server/identity/identity.ts';
import { seedDemo } from '../../../server/seeds/demo.ts';
import { mintSignInLink } from '../../../server/web/signInLinks.ts';
import type { TestServer } from '../server.ts';

/** Walks somebody of the demo data through a page of each kind, and stops at each: the name of the page is the value. */
export async function* walkResourcePages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  await seedDemo(server.platform);
  const amara = findUserByName(server.platform, 'amara');
  assert.ok(amara);
  await page.goto(`${server.origin}${mintSignInLink(server.platform, amara, '/')?.path}`);
  const pages = {
    person: '/amara',
    project: '/amara/berth-api',
    'issue-with-notes': busiestIssue(server),
    group: '/groups/tidemark',
    'group-project': '/tidemark/season-plan',
    issue: '/tidemark/season-plan/-/issues/1',
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

/** Address of the issue with the most to read, notes for members only among it. */
export function busiestIssue({ platform }: TestServer): string {
  const busiest = platform.store.get<{ path: string; iid: number }>(
    `SELECT p.full_path AS path, i.iid FROM issues i JOIN projects p ON p.id = i.project_id JOIN notes n ON n.noteable_id = i.id
     WHERE p.full_path = 'amara/berth-api' GROUP BY i.id ORDER BY max(n.internal) DESC, count(*) DESC LIMIT 1`,
  );
  assert.ok(busiest);
  return `/${busiest.path}/-/issues/${busiest.iid}`;
}
