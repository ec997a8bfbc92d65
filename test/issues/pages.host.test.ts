import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { seedDemo } from '../../server/seeds/demo.ts';
import { findUserByName } from '../../server/identity/identity.ts';
import { mintSignInLink } from '../../server/web/signInLinks.ts';
import { openBrowser, openContext } from '../support/host/browser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

describe('the pages of people, groups, projects and issues, in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let page: Page;
  let addresses: string[];
  const troubles: string[] = [];

  before(async () => {
    browser = await openBrowser();
    server = await startTestServer();
    await seedDemo(server.platform);
    const context = await openContext(browser);
    context.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    page = await context.newPage();
    const amara = findUserByName(server.platform, 'amara');
    assert.ok(amara);
    await page.goto(`${server.origin}${mintSignInLink(server.platform, amara, '/')?.path}`);
    const busiest = server.platform.store.get<{ path: string; iid: number }>(
      `SELECT p.full_path AS path, i.iid FROM issues i JOIN projects p ON p.id = i.project_id JOIN notes n ON n.noteable_id = i.id
       WHERE p.full_path = 'amara/berth-api' GROUP BY i.id ORDER BY max(n.internal) DESC, count(*) DESC LIMIT 1`,
    );
    assert.ok(busiest);
    addresses = [
      '/amara',
      '/amara/berth-api',
      `/${busiest.path}/-/issues/${busiest.iid}`,
      '/groups/tidemark',
      '/tidemark/season-plan',
      '/tidemark/season-plan/-/issues/1',
    ];
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('have no accessibility violation that axe knows, in light and in dark', async () => {
    const found: string[] = [];
    for (const address of addresses) {
      await page.goto(`${server.origin}${address}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(AXE);
        const { violations } = await page.evaluate<AxeResults>('axe.run()');
        found.push(...violations.map(({ id, help, nodes }) => `${address} ${colorScheme}: ${id} (${help}) ${nodes[0]?.html}`));
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(troubles, []);
  });

  it('fit a screen of 320 pixels without scrolling sideways', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const address of addresses) {
      await page.goto(`${server.origin}${address}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, address);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('a web address with a note scrolls to it', async () => {
    await page.goto(`${server.origin}${addresses[2]}`);
    const last = page.locator('li[id^=note_]').last();
    await page.goto(`${server.origin}${addresses[2]}#${await last.getAttribute('id')}`);
    const box = await last.boundingBox();
    assert.ok(box !== null && box.y < 900, JSON.stringify(box));
  });
});
