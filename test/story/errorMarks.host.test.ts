import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import type { FrameLocator } from 'playwright-core';
import { markedLines } from '../support/host/errorViews.ts';
import { pictures } from '../support/host/pictures.ts';
import { ADDED, createReleasedCode, type ReleasedCode } from '../support/host/releasedCode.ts';
import { startLocally } from '../support/host/signIn.ts';
import { cursorLine, goToLine, untilCursorAt } from '../support/host/textEditor.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const TRACKED = 'Berth API';
/** A file in which two demo errors happen, and one of their lines. */
const FILE = 'server.js';
const CODE = 'const table = await loadTable(request.params.harbour);';
/** Number of that line (1-based) in the releases. */
const REPORTED = 30;
/** Number of lines that were added above it since, further away than the code of an event is searched. */
const COUNT = 70;
const NOW = REPORTED + COUNT;

describe('marks at lines of errors', () => {
  let editor: Editor;
  let workbench: Workbench;
  let container: string;
  let workspace: string;
  let git: ReleasedCode['git'];
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-marks-'));
    ({ workspace, git } = await createReleasedCode(container, FILE, COUNT));
    // A copy that fits the same frames equally well.
    mkdirSync(path.join(workspace, 'copy/berth-api'), { recursive: true });
    cpSync(path.join(workspace, 'berth-api/payments.js'), path.join(workspace, 'copy/berth-api/payments.js'));
    changeSettings({});
    editor = await openEditor({
      workspace,
      userSettings: {
        ...THEME_SETTINGS,
        'editor.minimap.enabled': false,
        'editor.lightbulb.enabled': 'off',
        'files.autoSave': 'off',
      },
    });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(TRACKED);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await workbench.openFile(FILE);
    await goToLine(workbench, NOW);
    await markOf(CODE);
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed') await restore();
  });

  it('show beside and at the end of a line how often its errors happen, with a hover', async () => {
    const { text } = await markOf(CODE);
    assert.match(text, /^(?:\d+ errors · )?[\d,]+ events? · .*(?:ago|now|yesterday)$/);
    assert.ok((await gutterIcons()) > 0);
    await pictures(workbench, 'marks', async () => {
      await workbench.page.keyboard.press('Escape');
      await hover('loadTable');
    });
    await workbench.page.keyboard.press('Escape');
  });

  it('follow the commits since the release, as the panel does, which also names the suspect commit', async () => {
    await goToMark(NOW - 1, NOW);
    await clickInHover('loadTable', 'Show Error');
    const frame = panel()
      .locator('.frame', { hasText: `${FILE}:${REPORTED}` })
      .first();
    await frame.getByText(`now line ${NOW}`).waitFor();
    const suspect = panel().getByRole('region', { name: 'Suspect Commit' });
    await suspect.getByText('Write the service').waitFor();
    await suspect.scrollIntoViewIfNeeded();
    await pictures(workbench, 'marks-moved');
    await frame.getByRole('button', { name: `${FILE}:${REPORTED}` }).click();
    await untilCursorAt(workbench, NOW);
    await workbench.run('View: Close All Editors');
  });

  it('follow unsaved edits, a deleted line and its restoration, until the file is reverted', async () => {
    const { keyboard } = workbench.page;
    await goToLine(workbench, 1);
    for (let line = 0; line < 3; line += 1) await keyboard.press('Enter');
    await goToMark(NOW + 2, NOW + 3);
    const before = await markedCode();
    assert.ok(before.some(hasCode));
    await keyboard.press('Control+Shift+K');
    await until(markedCode, (all) => all.join() === before.filter((line) => !hasCode(line)).join(), 'the other marks');
    await keyboard.press('Control+Z');
    await until(markedCode, (all) => all.join() === before.join(), 'the mark of the line again');
    await workbench.run('File: Revert File');
    await goToLine(workbench, NOW);
    await markOf(CODE);
    await goToMark(NOW - 1, NOW);
  });

  it('are at the reported lines while the release is checked out', async () => {
    await checkOut('v1.4.0');
    await goToLine(workbench, REPORTED);
    await markOf(CODE);
    await goToMark(REPORTED - 1, REPORTED);
    await checkOut('main');
    await goToLine(workbench, NOW);
    await markOf(CODE);
    await goToMark(NOW - 1, NOW);
  });

  it('are counted in the Explorer', async () => {
    await workbench.run('File: Reveal Active File in Explorer View');
    const label = workbench.page.locator('.explorer-folders-view .monaco-list-row .monaco-icon-label', { hasText: FILE });
    const text = await until(
      async () => (await label.getAttribute('aria-label')) ?? '',
      (spoken) => spoken.includes('unresolved errors'),
      'the number of errors',
    );
    const [, count] = /(\d+) unresolved errors/.exec(text) ?? [];
    assert.equal(await label.evaluate((element) => getComputedStyle(element, '::after').content), `"${count}"`);
    await pictures(workbench, 'marks-explorer');
  });

  it('can be shown as code lenses, which open the panel', async () => {
    const lens = workbench.page.locator('.codelens-decoration a', { hasText: / · [\d,]+ events?$/ });
    assert.equal(await lens.count(), 0);
    changeSettings({ 'signalbox.errorMarks.codeLens': true });
    await lens.first().waitFor();
    await pictures(workbench, 'marks-lenses');
    await lens.filter({ hasText: 'There is no berth' }).click();
    await panel().locator('h1', { hasText: 'There is no berth' }).waitFor();
    await workbench.run('View: Close Editor');
    await lens.first().waitFor();
    changeSettings({});
    await until(
      () => lens.count(),
      (count) => count === 0,
      'no code lenses',
    );
  });

  it('can be visited one after another from the palette', async () => {
    await goToLine(workbench, 1);
    await workbench.run('Signalbox: Next Error in File');
    const line = (): Promise<number> => cursorLine(workbench);
    const first = await until(line, (at) => at > 1, 'the first marked line');
    await workbench.run('Signalbox: Next Error in File');
    await until(line, (at) => at > first, 'the line after it');
    await workbench.run('Signalbox: Previous Error in File');
    await untilCursorAt(workbench, first);
  });

  it('are not shown in a file that fits as well as another one', async () => {
    await workbench.page.keyboard.press('Control+P');
    await workbench.page.locator('.quick-input-widget input.input').fill('copy/berth-api/payments.js');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'payments.js' }).first().waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.tab.active[data-resource-name="payments.js"]').waitFor();
    await workbench.openFile(FILE);
    await markOf(CODE);
    await workbench.page.locator('.tab[data-resource-name="payments.js"]').first().click();
    await workbench.page.locator('.tab.active[data-resource-name="payments.js"]').waitFor();
    assert.deepEqual(await markedLines(workbench), []);
  });

  it('offer actions in their hover, and leave when the error is resolved', async () => {
    await workbench.openFile('tides.js');
    const before = await until(
      () => markedLines(workbench),
      (all) => all.length > 0,
      'a mark',
    );
    await clickInHover('fetch', 'Resolve');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
    await until(
      () => markedLines(workbench),
      (all) => JSON.stringify(all) !== JSON.stringify(before),
      'other marks',
    );
    await workbench.clickToast('Resolved: ', 'Undo');
    await until(
      () => markedLines(workbench),
      (all) => all.length === before.length,
      'the mark again',
    );
    await workbench.clear();
  });

  it('can be turned off one by one', async () => {
    changeSettings({ 'signalbox.errorMarks.text': false });
    await until(
      () => markedLines(workbench),
      (all) => all.length === 0,
      'no texts',
    );
    assert.ok((await gutterIcons()) > 0);
    changeSettings({ 'signalbox.errorMarks.gutter': false });
    await until(gutterIcons, (count) => count === 0, 'no icons');
    await markOf(CODE);
    changeSettings({});
    await until(gutterIcons, (count) => count > 0, 'icons again');
  });

  async function markOf(code: string): Promise<{ readonly text: string }> {
    const all = await until(
      () => markedLines(workbench),
      (shown) => shown.some((one) => one.code.includes(code)),
      `a mark at “${code}”`,
    );
    return all.find((one) => one.code.includes(code)) ?? { text: '' };
  }

  /** Replaces the settings of the workspace. */
  function changeSettings(settings: Readonly<Record<string, boolean>>): void {
    writeFileSync(path.join(workspace, '.vscode/settings.json'), JSON.stringify(settings));
  }

  /** Undoes what a failed test may have left. */
  async function restore(): Promise<void> {
    await workbench.stepBack();
    if ((await workbench.page.locator('.tab.dirty').count()) > 0) await workbench.run('File: Revert File');
    await workbench.run('View: Close All Editors');
    changeSettings({});
    await git('checkout', '--quiet', '--force', 'main');
    await workbench.setTheme('light');
  }

  /** Returns the visible lines of code with a mark, from the top. */
  async function markedCode(): Promise<readonly string[]> {
    const [lines, marks] = [await workbench.visibleLines(), await markedLines(workbench)];
    return lines.filter((line) => marks.some(({ code }) => code === line));
  }

  /** Goes from a line to the next mark, which must be at `expected`. */
  async function goToMark(from: number, expected: number): Promise<void> {
    await goToLine(workbench, from);
    await workbench.run('Signalbox: Next Error in File');
    await untilCursorAt(workbench, expected);
  }

  /** Returns the page of the panel of an error. */
  function panel(): FrameLocator {
    return workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
  }

  /** Checks out a release or `main`, and waits until the editor shows the file of that commit. */
  async function checkOut(revision: string): Promise<void> {
    await git('checkout', '--quiet', revision);
    await until(
      async () => (await workbench.visibleLines()).some((line) => line.startsWith(ADDED)),
      (hasAdded) => hasAdded === (revision === 'main'),
      `${FILE} of ${revision}`,
    );
  }

  function gutterIcons(): Promise<number> {
    return workbench.page.locator('.editor-instance .glyph-margin-widgets [class*="ced-"]').count();
  }

  /** Clicks a link in the hover of a line. VS Code may close a hover when the line is painted again; then it is shown again. */
  async function clickInHover(code: string, link: string): Promise<void> {
    const { page } = workbench;
    await until(
      async () => {
        await hover(code);
        const click = page.locator('.monaco-hover:visible a', { hasText: link }).first().click({ timeout: 5_000 });
        return click.then(
          () => true,
          () => false,
        );
      },
      (isClicked) => isClicked,
      `“${link}” in the hover`,
    );
  }

  /** Shows the hover of the first visible line with this code. VS Code shows none while the pointer stays where it was. */
  async function hover(code: string): Promise<void> {
    const { page } = workbench;
    const line = page.locator('.editor-instance .view-line', { hasText: `await ${code}(` });
    await until(
      async () => {
        await page.mouse.move(0, 0);
        await line.locator('span span', { hasText: code }).first().hover();
        const link = page.locator('.monaco-hover:visible a', { hasText: 'Show Error' }).first();
        return link.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      },
      (isShown) => isShown,
      `the hover of “${code}”`,
    );
  }
});

/** Returns true for the line of the error that is looked at. */
const hasCode = (line: string): boolean => line.includes(CODE);
