// What every page of the server must be: readable by everybody, narrow, and made of nothing that its own policy refuses.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../server.ts';
import { openBrowser, openContext } from './browser.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8');

export interface Findings {
  readonly names: readonly string[];
  /** What axe finds, in light and in dark: page, rule and place. */
  readonly violations: readonly string[];
  /** Pages that are wider than a screen of 320 pixels. */
  readonly tooWide: readonly string[];
  /** What the browser complained of, and requests to other hosts. */
  readonly troubles: readonly string[];
}

/** Looks at every page of a walk in a browser and a server of its own. */
export async function lookAtPages(
  walk: (page: Page, server: TestServer) => AsyncGenerator<string, void, undefined>,
): Promise<Findings> {
  const names: string[] = [];
  const violations: string[] = [];
  const tooWide: string[] = [];
  const troubles: string[] = [];
  const browser = await openBrowser();
  try {
    await using server = await startTestServer();
    const context = await openContext(browser);
    context.on('request', (request) => {
      if (!request.url().startsWith(`${server.origin}/`)) troubles.push(`asked for ${request.url()}`);
    });
    context.on('console', (message) => {
      // The browser reports each answer with a failure status, which some of these pages have on purpose.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) troubles.push(message.text());
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    for await (const name of walk(page, server)) {
      names.push(name);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Put in by the debugger, which the page's policy does not hinder.
        await page.evaluate(AXE);
        const results = await page.evaluate<AxeResults>('axe.run()');
        for (const { id, help, nodes } of results.violations)
          violations.push(`${name}, ${colorScheme}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 320) tooWide.push(`${name}: ${width} pixels wide`);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
  } finally {
    await browser.close();
  }
  return { names, violations, tooWide, troubles };
}
