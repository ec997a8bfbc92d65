import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { AxeResults } from 'axe-core';
import type { Context } from 'mocha';
import type { Locator } from 'playwright-core';
import { testEnvironment } from '../support/environment.ts';
import { npmPackages, orSkip } from '../support/clientSuite.ts';
import { createKey, type NamedProject } from '../support/host/clientKeys.ts';
import { errorPage, untilErrorText, viewsBadge } from '../support/host/errorViews.ts';
import { failInPython, installPythonSdk, PYTHON_FAILURE, writeFailingProgram } from '../support/host/failingProgram.ts';
import { keysOf } from '../support/host/keys.ts';
import { picture, pictures } from '../support/host/pictures.ts';
import { createSentErrors, type SentErrors, sentTitle } from '../support/host/sentErrorRows.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { sendError } from '../support/sentErrors.ts';
import { until } from '../support/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DEMO = path.join(ROOT, 'media/demo-workspace');
const NODE_SDK = path.join(ROOT, 'test/clients/node/sentry');
const AXE = readFileSync(path.join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
/** Kinds of the themes as webviews name them. */
const KINDS: Readonly<Record<Theme, string>> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  contrast: 'vscode-high-contrast',
};
/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** A project of the demo user without error tracking. */
const UNTRACKED = { path: 'amara/billing', name: 'Billing' } as const;
/** Position of `name?.trim()` in the demo workspace's greet.js. */
const [LINE, COLUMN] = [3, 26];

describe('tracked errors in the workbench', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  let workspace: string;
  let nodeSdk: Promise<string>;
  let pythonSdk: Promise<string>;
  /** DSN of the project with demo errors. */
  let dsn: string;
  let errors: SentErrors;
  before(async () => {
    [nodeSdk, pythonSdk] = [npmPackages(NODE_SDK), installPythonSdk()];
    // A missing package skips only the tests that need it.
    await Promise.allSettled([nodeSdk, pythonSdk]);
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-errors-'));
    workspace = path.join(container, 'open');
    for (const folder of [workspace, path.join(container, 'deployed/demo')]) cpSync(DEMO, folder, { recursive: true });
    writeFailingProgram(workspace);
    editor = await openEditor({ workspace, userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false } });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    ({ dsn } = await createKey(workbench, TRACKED));
    view = await workbench.openView('Tracked Errors');
    // Only visible rows are painted, so this view gets the space of the others.
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    errors = createSentErrors(workbench, view, dsn);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  beforeEach(() => workbench.openContainer());
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.run('View: Close All Editors');
    await workbench.clear();
    await errors.resolveAll();
  });

  it('tracked errors appear automatically when error tracking is enabled, open the line that failed, and can be resolved', async function (this: Context) {
    const packages = await orSkip(this, nodeSdk);
    await selectProject(UNTRACKED);
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled');
    await view.clickWelcomeButton('Enable Error Tracking');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'no errors yet');
    assert.ok((await view.description()).includes(UNTRACKED.path));
    await workbench.setClipboard('');
    await workbench.clickToast('Error tracking enabled', 'Create Client Key');
    await workbench.clickToast(' created for ', 'Copy DSN');
    const ownDsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.clear();

    const program = [path.join(import.meta.dirname, 'crash.mjs'), path.join(packages, 'package.json'), ownDsn];
    const file = path.join(container, 'deployed/demo/greet.js');
    await assert.rejects(
      promisify(execFile)(process.execPath, [...program, file], { env: testEnvironment() }),
      /name\?\.trim is not a function/,
    );

    const error = await view.untilRow(({ label }) => label.startsWith('TypeError'), 'the error, without a refresh');
    assert.equal(error.label, 'TypeError');
    assert.match(
      error.description,
      /^● · .*greet.* · name\?\.trim is not a function · 1 event · (?:1 user · )?(?:just now|\d+ seconds? ago)$/,
    );
    assert.match(error.name, /^New, TypeError: name\?\.trim is not a function, /);
    await until(
      () => viewsBadge(workbench),
      (text) => text.includes('1 new error'),
      'a badge for the new error',
    );
    await view.toggleRow(error.label);
    await view.untilRow(({ label, description }) => label === error.label && !description.startsWith('●'), 'read once opened');
    await until(
      () => viewsBadge(workbench),
      (text) => !text.includes('new error'),
      'no badge for an error that was opened',
    );
    const frame = await view.untilRow(({ label }) => label === 'greet', 'the frame that failed');
    assert.equal(frame.description, `greet.js:${LINE}`);
    await view.clickRow('greet');
    const position = workbench.page.locator('.statusbar-item', { hasText: `Ln ${LINE}, Col ${COLUMN}` });
    await position.waitFor();
    const tab = workbench.page.locator('.tab.active');
    assert.equal(await tab.getAttribute('data-resource-name'), 'greet.js');

    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'resolved');
    await workbench.clickToast('Resolved: TypeError: name?.trim is not a function', 'Undo');
    await view.untilRow(({ label }) => label === error.label, 'unresolved again');
    // A view that loads again closes its menus.
    await until(view.message, (text) => text === '', 'no message about missing errors');
    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved again');
    assert.deepEqual(
      (await workbench.toasts()).map(({ severity, buttons }) => [severity, buttons]),
      [['info', ['Undo']]],
    );
    await workbench.clear();

    await view.chooseFromRowMenu('Client Keys', 'Disable Error Tracking…');
    assert.equal((await workbench.dialog('')).message, `Disable error tracking for ${UNTRACKED.path}?`);
    await workbench.clickDialogButton('Disable');
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled again');
  });

  it('several tracked errors are merged with the keyboard only, found by typing', async () => {
    await selectProject(TRACKED);
    const [buoy, tide, lamp] = ['BuoyLost', 'TideMissing', 'LampBroken'];
    for (const type of [lamp, tide, buoy]) await errors.send(type);
    const apart = { [buoy]: 1, [tide]: 1, [lamp]: 1 };
    await errors.untilShown(apart);
    const { page } = workbench;
    const keys = keysOf(page);
    await keys.run('Signalbox: Focus on Tracked Errors View');
    await page.keyboard.press('Home');
    await page.keyboard.type(buoy);
    await until(keys.focusedRow, (name) => name.includes(sentTitle(buoy)), 'found by typing');
    await keys.chooseInRowMenu('Merge Errors…');
    await until(workbench.choices, (labels) => labels.includes(sentTitle(lamp)), 'errors to merge');
    await page.keyboard.type('TideM');
    await until(workbench.choices, (labels) => labels[0] === sentTitle(tide) && !labels.includes(sentTitle(lamp)), 'found');
    await page.keyboard.press('ArrowDown');
    await until(keys.focusedChoice, (label) => label.includes(sentTitle(tide)), 'focused');
    await page.keyboard.press('Space');
    await page.locator('.quick-input-list .monaco-list-row[aria-checked="true"]').waitFor();
    await pictures(workbench, 'error-merge');
    await page.keyboard.press('Enter');
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${sentTitle(buoy)}`, 'merged');
    await errors.untilShown({ [buoy]: 2, [lamp]: 1 });
    await keys.run('Signalbox: Undo Last Change of an Error');
    await errors.untilShown(apart);
  });

  it('the panel of an error works with keys and clicks in every theme, has no accessibility violations, and survives a reload', async () => {
    await selectProject(TRACKED);
    // Only demo errors of this project have this type.
    const type = 'TypeError';
    const frame = errorPage(workbench);
    await openPanel(type);
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
      await frame.locator(`body[data-vscode-theme-kind="${KINDS[theme]}"]`).waitFor();
      await picture(workbench, `error-panel-${theme}`);
      violations.push(...(await violationsIn(theme)));
    }
    await frame.locator('summary', { hasText: 'Grouping' }).scrollIntoViewIfNeeded();
    await picture(workbench, 'error-panel-end');
    assert.deepEqual(violations, []);
    await workbench.setTheme('light');

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

    const copied = async (name: string, has: (text: string) => boolean): Promise<void> => {
      await workbench.setClipboard('');
      await frame.getByRole('button', { name: 'Copy', exact: true }).click();
      await frame.getByRole('button', { name, exact: true }).click();
      await until(workbench.clipboard, has, name);
    };
    await copied('As Markdown', (text) => text.startsWith('# ') && text.includes('## Stack trace'));
    await copied('Stack Trace', (text) => !text.startsWith('# ') && /^ {4}at /m.test(text));
    await copied('As JSON', (text) => text.startsWith('{') && 'data' in JSON.parse(text));

    await workbench.untilSaved(/errorId/);
    await workbench.reload();
    await untilText('h1', (text) => text.startsWith(`${type}: `), 'the error after a reload');
  });

  it('the panel of an error resolves, reopens and ignores it, and says what shows that the fix works, that older releases still report it, and in which release it came back', async () => {
    await selectProject(TRACKED);
    const at = { filename: 'lamp.js', function: 'light', lineno: 7, in_app: true };
    const crash = (release: string): Promise<void> =>
      sendError(dsn, { type: 'LampLost', value: 'at berth 7', stacktrace: { frames: [at] } }, { release });
    await crash('lamps@1.0.0');
    await view.untilRow(({ label }) => label === 'LampLost', 'the error');
    await openPanel('LampLost');
    const frame = errorPage(workbench);
    await frame.getByRole('button', { name: 'Ignore…' }).click();
    await workbench.choose('Until it occurs a number of times…');
    // The list of the step before has an input field, too.
    await workbench.page.locator('.quick-input-message', { hasText: 'Number of occurrences' }).waitFor();
    await workbench.fillInput('5');
    await untilText('.badges', (text) => text.includes('Ignored until it occurs 5 more times'), 'ignored');
    await frame.getByRole('button', { name: 'Reopen' }).click();
    await untilText('.badges', (text) => text.includes('Unresolved'), 'unresolved');
    await frame.getByRole('button', { name: 'Resolve in Next Release', exact: true }).click();
    await untilText('.badges', (text) => text.includes('Resolved'), 'resolved');
    await untilText('.notice', (text) => text.includes('shows that the fix works'), 'what comes next');
    await crash('lamps@1.0.0');
    await frame.getByRole('button', { name: 'Refresh', exact: true }).click();
    await untilText(
      '.notice',
      (text) => text.includes('Still reported by older releases: 1 since'),
      'the event of an older release',
    );
    await pictures(workbench, 'error-panel-resolved');
    await crash('lamps@1.1.0');
    await untilText('.notice', (text) => text.includes('The error came back in release lamps@1.1.0.'), 'the regression');
    await frame.getByRole('button', { name: 'Resolve', exact: true }).click();
    await untilText('.badges', (text) => text.includes('Resolved'), 'resolved again');
  });

  it('the replay of an error stops at the crash of a real program with its variables, steps back to a breadcrumb, and ends', async function (this: Context) {
    const sdk = await orSkip(this, pythonSdk);
    await selectProject(TRACKED);
    await failInPython(workspace, sdk, dsn);
    await view.untilRow(({ label }) => label === PYTHON_FAILURE.type, 'the error of the program');
    await view.chooseFromRowMenu(PYTHON_FAILURE.type, 'Replay Error in Debugger');
    const frame = debuggerRow('.debug-call-stack', 'load');
    await frame.waitFor();
    assert.match(await frame.innerText(), /ship\.py/);
    await debuggerRow('.debug-variables', 'Captured Variables').waitFor();
    const variable = debuggerRow('.debug-variables', 'order');
    await variable.waitFor();
    assert.match((await variable.innerText()).replaceAll('\n', ''), /order *[:=] *\{id: .*7.*, crane: /);
    assert.equal(await workbench.page.locator('.tab.active').getAttribute('data-resource-name'), PYTHON_FAILURE.file);
    await pictures(workbench, 'replay');

    await workbench.page
      .locator('.debug-toolbar')
      .getByRole('button', { name: /^Step Back/ })
      .click();
    await debuggerRow('.debug-call-stack', 'lamp: Lamp 7 was lit').first().waitFor();
    await debuggerRow('.debug-variables', 'Breadcrumb').waitFor();
    await picture(workbench, 'replay-breadcrumb');
    await workbench.run('Debug: Continue');
    await frame.waitFor();

    await workbench.run('Debug: Stop');
    await workbench.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await workbench.openContainer();
    await view.chooseFromRowMenu(PYTHON_FAILURE.type, 'Resolve Error');
    await view.untilRows((rows) => !rows.some(({ label }) => label === PYTHON_FAILURE.type), 'resolved');
  });

  async function selectProject(project: NamedProject): Promise<void> {
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(project.name);
    await until(view.description, (text) => text.startsWith(project.path), `${project.path} shown`);
  }

  async function openPanel(type: string): Promise<void> {
    await view.clickRowAction(type, 'Show Error');
    await untilText('h1', (text) => text.startsWith(`${type}: `), 'the error');
  }

  function untilText(selector: string, has: (text: string) => boolean, what: string): Promise<void> {
    return untilErrorText(workbench, selector, has, what);
  }

  /** Checks the page of the panel. Returns the violations that axe finds. */
  async function violationsIn(theme: Theme): Promise<readonly string[]> {
    const frame = await (await errorPage(workbench).locator('html').elementHandle())?.ownerFrame();
    assert.ok(frame);
    // Injected by the debugger, which the policy of the page does not block.
    await frame.evaluate(AXE);
    const results = await frame.evaluate<AxeResults>('axe.run()');
    return results.violations.map(
      ({ id, help, nodes }) => `${theme}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`,
    );
  }

  /** Returns the row of a view of the debugger that contains a text. */
  function debuggerRow(viewClass: string, text: string): Locator {
    return workbench.page.locator(`${viewClass} .monaco-list-row`, { hasText: text }).first();
  }
});
