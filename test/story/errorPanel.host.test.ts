import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { FrameLocator } from 'playwright-core';
import { createKey } from '../support/host/clientKeys.ts';
import { errorPage, untilErrorText } from '../support/host/errorViews.ts';
import { picture } from '../support/host/pictures.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { sendError } from '../support/sentErrors.ts';
import { until } from '../support/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const AXE = readFileSync(path.join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
/** Kinds of the themes as webviews name them. */
const KINDS: Readonly<Record<Theme, string>> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  contrast: 'vscode-high-contrast',
};
/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('the panel of an error', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let dsn: string;
  /** Type of the first error of the list. */
  let type: string;
  before(async () => {
    editor = await openEditor({ userSettings: THEME_SETTINGS });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(TRACKED.name);
    const rows = await view.untilRows((all) => all.some(isError), 'errors');
    type = rows.find(isError)?.label ?? '';
    ({ dsn } = await createKey(workbench, TRACKED));
  });
  after(async () => {
    await editor?.close();
  });
  beforeEach(async () => {
    await view.clickRowAction(type, 'Show Error');
    await untilText('h1', (text) => text.startsWith(`${type}: `), 'the error');
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('shows the error with its numbers, chart, stack and breadcrumbs, in every theme and without accessibility violations', async () => {
    const frame = page();
    for (const name of ['Resolve', 'Resolve in Next Release', 'Ignore…', 'Open in Browser', 'Copy', 'Refresh'])
      assert.ok(await frame.getByRole('button', { name, exact: true }).isVisible(), name);
    assert.ok((await frame.locator('.numbers dd').allTextContents()).every((text) => text.trim() !== ''));
    assert.ok((await frame.locator('.bars g').count()) >= 24);
    assert.ok((await frame.locator('.frame').count()) > 0);
    const violations: string[] = [];
    // Nothing is under the pointer.
    await workbench.page.mouse.move(900, 880);
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await page().locator(`body[data-vscode-theme-kind="${KINDS[theme]}"]`).waitFor();
      await picture(workbench, `error-panel-${theme}`);
      violations.push(...(await violationsIn(theme)));
    }
    await frame.locator('summary', { hasText: 'Grouping' }).scrollIntoViewIfNeeded();
    await picture(workbench, 'error-panel-end');
    assert.deepEqual(violations, []);
  });

  it('shows older events, and the events of an hour or a day', async () => {
    const frame = page();
    const shown = (): Promise<string> => frame.locator('.events > span').first().innerText();
    const latest = await shown();
    await frame.getByRole('button', { name: 'Older' }).click();
    const older = await until(shown, (text) => text !== latest, 'an older event');
    await frame.getByRole('button', { name: 'Newer' }).click();
    await until(shown, (text) => text === latest, 'the latest event');
    await frame.getByRole('button', { name: '28 days' }).click();
    // The keyboard works on bars as well.
    const bar = frame.locator('.bars .choice').first();
    await bar.focus();
    await bar.press('Enter');
    await frame.getByRole('button', { name: 'Show events of all times' }).waitFor();
    await until(shown, (text) => text !== latest && text !== older, 'an event of that day');
    await frame.getByRole('button', { name: 'Show events of all times' }).click();
    await until(shown, (text) => text === latest, 'all events');
  });

  it('copies the error as Markdown, as a stack trace and as JSON', async () => {
    const frame = page();
    const copied = async (name: string, has: (text: string) => boolean): Promise<void> => {
      await workbench.setClipboard('');
      await frame.getByRole('button', { name: 'Copy', exact: true }).click();
      await frame.getByRole('button', { name, exact: true }).click();
      await until(workbench.clipboard, has, name);
    };
    await copied('As Markdown', (text) => text.startsWith('# ') && text.includes('## Stack trace'));
    await copied('Stack Trace', (text) => /^ {4}at /m.test(text));
    await copied('As JSON', (text) => text.startsWith('{') && 'data' in JSON.parse(text));
  });

  it('resolves, reopens and ignores the error, and says what shows that the fix works', async () => {
    const frame = page();
    await frame.getByRole('button', { name: 'Resolve', exact: true }).click();
    await untilText('.badges', (text) => text.includes('Resolved'), 'resolved');
    await untilText('.notice', (text) => text.includes('shows that the fix works'), 'what comes next');
    await picture(workbench, 'error-panel-resolved');
    const title = await frame.locator('h1').innerText();
    await view.untilRows(
      (rows) => !rows.some(({ name }) => name.startsWith(title)),
      'the error left the list of unresolved ones',
    );
    await frame.getByRole('button', { name: 'Reopen' }).click();
    await untilText('.badges', (text) => text.includes('Unresolved'), 'unresolved');
    await frame.getByRole('button', { name: 'Ignore…' }).click();
    await workbench.choose('Until it occurs a number of times…');
    // The list of the step before has an input field, too.
    await workbench.page.locator('.quick-input-message', { hasText: 'Number of occurrences' }).waitFor();
    await workbench.fillInput('5');
    await untilText('.badges', (text) => text.includes('Ignored until it occurs 5 more times'), 'ignored');
    await frame.getByRole('button', { name: 'Reopen' }).click();
    await untilText('.badges', (text) => text.includes('Unresolved'), 'unresolved again');
  });

  it('names the release in which an error came back', async () => {
    await workbench.run('View: Close All Editors');
    // VS Code does not know that the window has the focus after a panel that had it was closed.
    await workbench.run('View: Focus into Primary Side Bar');
    const frame = { filename: 'lamp.js', function: 'light', lineno: 7, in_app: true };
    const crash = (release: string): Promise<void> =>
      sendError(dsn, { type: 'LampLost', value: 'at berth 7', stacktrace: { frames: [frame] } }, { release });
    await crash('lamps@1.0.0');
    await view.untilRow(({ label }) => label === 'LampLost', 'the error');
    await view.clickRowAction('LampLost', 'Show Error');
    await untilText('h1', (text) => text.startsWith('LampLost: '), 'the error');
    await page().getByRole('button', { name: 'Resolve in Next Release', exact: true }).click();
    await untilText('.notice', (text) => text.includes('shows that the fix works'), 'what comes next');
    await crash('lamps@1.1.0');
    await untilText('.notice', (text) => text.includes('The error came back in release lamps@1.1.0.'), 'the regression');
    await page().getByRole('button', { name: 'Resolve', exact: true }).click();
    await untilText('.badges', (text) => text.includes('Resolved'), 'resolved again');
    await workbench.run('View: Close All Editors');
  });

  it('is restored after the window was reloaded', async () => {
    await workbench.untilSaved(/errorId/);
    await workbench.reload();
    await untilText('h1', (text) => text.startsWith(`${type}: `), 'the error');
  });

  /** Returns the page of the panel. */
  function page(): FrameLocator {
    return errorPage(workbench);
  }

  /** Checks the page of the panel. Returns the violations that axe finds. */
  async function violationsIn(theme: Theme): Promise<readonly string[]> {
    const frame = await (await page().locator('html').elementHandle())?.ownerFrame();
    assert.ok(frame);
    // Injected by the debugger, which the policy of the page does not block.
    await frame.evaluate(AXE);
    const results = await frame.evaluate<AxeResults>('axe.run()');
    return results.violations.map(
      ({ id, help, nodes }) => `${theme}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`,
    );
  }

  function untilText(selector: string, has: (text: string) => boolean, what: string): Promise<void> {
    return untilErrorText(workbench, selector, has, what);
  }
});

const isError = ({ description }: { readonly description: string }): boolean => /\bevents · |^1 event · /.test(description);
