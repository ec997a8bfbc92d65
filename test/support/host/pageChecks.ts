// Checks of every page of the server: accessible, usable on a narrow screen, and without anything that its own policy blocks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../server.ts';
import { openContext } from './browser.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8');

const COLOR_RULES = JSON.stringify({ runOnly: ['color-contrast', 'link-in-text-block'] });

/** Narrow first, because the walk continues with the wide screen. */
const SCREENS = [
  { width: 320, height: 640 },
  { width: 1280, height: 900 },
] as const;

interface Findings {
  readonly names: readonly string[];
  /** Pages that are wider than a screen of 320 pixels. */
  readonly tooWide: readonly string[];
  /** Errors of the browser console, and requests to other hosts. */
  readonly problems: readonly string[];
  /** Violations found by axe in light and dark themes, on a wide and a narrow screen: page, rule and element. */
  readonly violations: readonly string[];
  /** Elements that the Tab key does not reach in page order, or reaches without a visible focus. */
  readonly unreachable: readonly string[];
}

export type Walk = (page: Page, server: TestServer) => AsyncGenerator<string, void, undefined>;

/** A walk through pages, and what is expected of it. */
export interface Pages {
  readonly title: string;
  readonly walk: Walk;
  /** Names of the pages in the order of the walk. */
  readonly names: readonly string[];
  /** Matches other addresses that the pages may load. */
  readonly others?: RegExp;
}

/**
 * Declares the tests of every page of a walk. Only the pages in `examined` are examined with axe and the Tab key, which takes most of the
 * time; all pages are opened.
 */
export function describePages({ title, walk, names, others }: Pages, examined: readonly string[]): void {
  describe(`web pages: ${title}`, () => {
    let found: Findings;
    before(async function () {
      found = await checkPages(walk, new Set(examined));
    });

    it(`all ${title} exist`, () => assert.deepEqual(found.names, names));
    it(`${title} fit a screen of 320 pixels without horizontal scrolling`, () => assert.deepEqual(found.tooWide, []));
    it(`${title} load nothing that their content security policy blocks, and nothing from other hosts`, () =>
      assert.deepEqual(
        found.problems.filter((text) => others?.test(text) !== true),
        [],
      ));
    it(`${title} have no accessibility violations (axe) in light and dark themes, on wide and narrow screens`, () =>
      assert.deepEqual(found.violations, []));
    it(`${title} can be used with the Tab key in page order, with a visible focus`, () =>
      assert.deepEqual(found.unreachable, []));
  });
}

/** Checks every page of a walk with a new browser profile and a new server. */
async function checkPages(walk: Walk, examined: ReadonlySet<string>): Promise<Findings> {
  const names: string[] = [];
  const tooWide: string[] = [];
  const problems: string[] = [];
  const violations: string[] = [];
  const unreachable: string[] = [];
  await using server = await startTestServer();
  await using context = await openContext(await sharedBrowser());
  context.on('request', (request) => {
    if (!request.url().startsWith(`${server.origin}/`)) problems.push(`requested ${request.url()}`);
  });
  context.on('console', (message) => {
    // The browser reports each response with an error status, which some of these pages have on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(message.text());
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  for await (const name of walk(page, server)) {
    names.push(name);
    const isExamined = examined.has(name);
    // Injected by the debugger, which the policy of the page does not block.
    if (isExamined) await page.evaluate(AXE);
    for (const { width, height } of SCREENS) {
      await page.setViewportSize({ width, height });
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      if (needed > width) tooWide.push(`${name}: ${needed} pixels wide on ${width}`);
      if (isExamined) for (const text of await violationsOf(page)) violations.push(`${name}, ${width}, ${text}`);
    }
    if (isExamined) for (const text of await walkByKeyboard(page)) unreachable.push(`${name}: ${text}`);
  }
  return { names, tooWide, problems, violations, unreachable };
}

/** Returns the violations that axe finds on a page in the light and the dark theme. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Only colors differ in the dark theme, so the other rules run once.
    const results = await page.evaluate<AxeResults>(colorScheme === 'light' ? 'axe.run()' : `axe.run(${COLOR_RULES})`);
    for (const { id, help, nodes } of results.violations)
      violations.push(`${colorScheme}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`);
  }
  return violations;
}

/** Elements that the Tab key can reach: links, and enabled fields and buttons. A group of radio buttons is one stop. */
const STOPS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';

/** Walks through a page with the Tab key. Returns the elements that it does not reach in order, or that show no focus. */
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
    // Sets the point from which the browser looks for the next stop.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const problems: string[] = [];
  for (const [number, html] of expected.entries()) {
    let reached = await tab(page);
    // A date field has several stops: day, month, year and the calendar button.
    while (reached?.isDate === true && reached.stop === String(number - 1)) reached = await tab(page);
    if (reached?.stop !== String(number)) {
      problems.push(`Tab number ${number + 1} does not reach ${html}`);
      break;
    }
    if (!reached.shows) problems.push(`the focus cannot be seen on ${html}`);
  }
  // A page may have set the focus on its first field.
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-focus]')?.focus());
  return problems;
}

/** Presses the Tab key and returns the focused element. */
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
