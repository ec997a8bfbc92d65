import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openContext } from '../support/host/browser.ts';
import { walkDevicePages } from '../support/host/devicePages.ts';
import { startTestServer } from '../support/server.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const PAGES = 16;

describe('the pages around a device sign-in, in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  it('have no accessibility violation that axe knows, in light and in dark', async () => {
    const found: string[] = [];
    const seen = await walk(browser, async (page, name) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await violations(page)).map((words) => `${name}, ${colorScheme}: ${words}`));
      }
    });
    assert.deepEqual(found, []);
    assert.equal(seen, PAGES);
  });

  it('fit a screen of 320 pixels without scrolling sideways', async () => {
    const found: string[] = [];
    const seen = await walk(browser, async (page, name) => {
      await page.setViewportSize({ width: 320, height: 640 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 320) found.push(`${name}: ${width} pixels wide`);
      await page.setViewportSize({ width: 1280, height: 900 });
    });
    assert.deepEqual(found, []);
    assert.equal(seen, PAGES);
  });

  it('need nothing that their own content security policy refuses, and nothing from another host', async () => {
    const found: string[] = [];
    const seen = await walk(browser, async () => {}, found);
    assert.deepEqual(found, []);
    assert.equal(seen, PAGES);
  });
});

/** Visits every page in a browser profile of its own and answers how many there were; `troubles` gets what the browser complains of. */
async function walk(
  browser: Browser,
  visit: (page: Page, name: string) => Promise<void>,
  troubles: string[] = [],
): Promise<number> {
  await using server = await startTestServer();
  const context = await openContext(browser);
  try {
    context.on('request', (request) => {
      if (!request.url().startsWith(`${server.origin}/`)) troubles.push(`asked for ${request.url()}`);
    });
    context.on('console', (message) => {
      // The browser reports each answer with a failure status, which some of these pages have on purpose.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) troubles.push(message.text());
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    let count = 0;
    for await (const name of walkDevicePages(page, server)) {
      count++;
      await visit(page, name);
    }
    return count;
  } finally {
    await context.close();
  }
}

/** What axe finds on a page: rule and place. axe is put in by the debugger, which the page's policy does not hinder. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const results = await page.evaluate<AxeResults>('axe.run()');
  return results.violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`);
}
