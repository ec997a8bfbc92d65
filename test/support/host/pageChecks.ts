// What every page of the server must be: readable by everybody, narrow, and made of nothing that its own policy refuses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../server.ts';
import { openBrowser, openContext } from './browser.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8');

const OF_COLORS = JSON.stringify({ runOnly: ['color-contrast', 'link-in-text-block'] });

/** Narrow first: a walk goes on with the wide one. */
const SCREENS = [
  { width: 320, height: 640 },
  { width: 1280, height: 900 },
] as const;

interface Findings {
  readonly names: readonly string[];
  /** What axe finds, in light and in dark, on a wide and on a narrow screen: page, rule and place. */
  readonly violations: readonly string[];
  /** Pages that are wider than a screen of 320 pixels. */
  readonly tooWide: readonly string[];
  /** What the Tab key does not reach in the order of the page, or reaches without showing it. */
  readonly unreachable: readonly string[];
  /** What the browser complained of, and requests to other hosts. */
  readonly troubles: readonly string[];
}

export type Walk = (page: Page, server: TestServer) => AsyncGenerator<string, void, undefined>;

/** Declares what holds for every page of a walk. `others` are the addresses that its pages may lead to. */
export function describePages(title: string, walk: Walk, names: readonly string[], others?: RegExp): void {
  describe(`${title}, in a browser`, () => {
    let found: Findings;
    before(async function () {
      found = await lookAtPages(walk);
    });

    it('are all there', () => assert.deepEqual(found.names, names));
    it('have no accessibility violation that axe knows, in light and in dark, wide and narrow', () =>
      assert.deepEqual(found.violations, []));
    it('fit a screen of 320 pixels without scrolling sideways', () => assert.deepEqual(found.tooWide, []));
    it('are reached in their order by the Tab key, which shows where it is', () => assert.deepEqual(found.unreachable, []));
    it('need nothing that their own content security policy refuses, and nothing from another host', () =>
      assert.deepEqual(
        found.troubles.filter((text) => others?.test(text) !== true),
        [],
      ));
  });
}

/** Looks at every page of a walk in a browser and a server of its own. */
async function lookAtPages(walk: Walk): Promise<Findings> {
  const names: string[] = [];
  const violations: string[] = [];
  const tooWide: string[] = [];
  const unreachable: string[] = [];
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
      // Put in by the debugger, which the page's policy does not hinder.
      await page.evaluate(AXE);
      for (const { width, height } of SCREENS) {
        await page.setViewportSize({ width, height });
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        if (needed > width) tooWide.push(`${name}: ${needed} pixels wide on ${width}`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          // What else it looks at is the same in the dark.
          const results = await page.evaluate<AxeResults>(colorScheme === 'light' ? 'axe.run()' : `axe.run(${OF_COLORS})`);
          for (const { id, help, nodes } of results.violations)
            violations.push(`${name}, ${colorScheme}, ${width}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`);
        }
      }
      for (const text of await walkByKeyboard(page)) unreachable.push(`${name}: ${text}`);
    }
  } finally {
    await browser.close();
  }
  return { names, violations, tooWide, unreachable, troubles };
}

/** What the Tab key can reach: links, and fields and buttons that are not switched off. A group of radio buttons is one stop. */
const STOPS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';

/** Goes through a page with the Tab key; answers what that does not reach in its order, or does not show. */
async function walkByKeyboard(page: Page): Promise<readonly string[]> {
  const expected = await page.evaluate((stops) => {
    const groups = new Set<string>();
    return [...document.querySelectorAll<HTMLElement>(stops)]
      .filter((element) => {
        if (element.matches(':disabled, [tabindex="-1"]') || !element.checkVisibility()) return false;
        if (!element.matches('input[type=radio]')) return true;
        const name = element.getAttribute('name') ?? '';
        return !groups.has(name) && groups.add(name);
      })
      .map((element, number) => {
        element.dataset['stop'] = String(number);
        return element.outerHTML.replaceAll(/\s+/g, ' ').slice(0, 100);
      });
  }, STOPS);
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) {
      document.activeElement.dataset['focus'] = '';
      document.activeElement.blur();
    }
    window.scrollTo(0, 0);
    // The place from which the next stop is looked for.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const troubles: string[] = [];
  for (const [number, html] of expected.entries()) {
    let reached = await tab(page);
    // A date is several stops: day, month, year and the button of the calendar.
    while (reached?.isDate === true && reached.stop === String(number - 1)) reached = await tab(page);
    if (reached?.stop !== String(number)) {
      troubles.push(`Tab number ${number + 1} does not reach ${html}`);
      break;
    }
    if (!reached.shows) troubles.push(`the focus cannot be seen on ${html}`);
  }
  // A page may have put the focus where a person begins to type.
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-focus]')?.focus());
  return troubles;
}

/** Presses the Tab key and tells where that led. */
async function tab(page: Page) {
  await page.keyboard.press('Tab');
  return page.evaluate(() => {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement)) return undefined;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(activeElement);
    const group = activeElement.matches('input[type=radio]') ? activeElement.getAttribute('name') : null;
    const stop = group === null ? activeElement : document.querySelector<HTMLElement>(`[name="${group}"][data-stop]`);
    return {
      stop: stop?.dataset['stop'],
      shows: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
      isDate: activeElement.matches('input[type=date]'),
    };
  });
}
