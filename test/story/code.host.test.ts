import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createKey } from '../support/host/clientKeys.ts';
import { errorPage, markedLines } from '../support/host/errorViews.ts';
import { pictures } from '../support/host/pictures.ts';
import { createReleasedCode } from '../support/host/releasedCode.ts';
import { startLocally } from '../support/host/signIn.ts';
import { goToLine, untilCursorAt } from '../support/host/textEditor.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** A file in which demo errors happen, and one of their lines. */
const FILE = 'server.js';
const CODE = 'const table = await loadTable(request.params.harbour);';
/** Number of that line (1-based) in the releases. */
const REPORTED = 30;
/** Number of lines that were added above it since, further away than the code of an event is searched. */
const COUNT = 70;
const NOW = REPORTED + COUNT;

describe('code in editors', () => {
  let editor: Editor;
  let workbench: Workbench;
  let container: string;
  let workspace: string;
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-code-'));
    workspace = path.join(container, 'open');
    mkdirSync(workspace);
    await createReleasedCode(workspace, container, FILE, COUNT);
    mkdirSync(path.join(workspace, '.vscode'));
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
    await workbench.choose(PROJECT.name);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.stepBack();
    if ((await workbench.page.locator('.tab.dirty').count()) > 0) await workbench.run('File: Revert File');
    await workbench.run('View: Close All Editors');
  });

  it('the line of an error is marked, moves with the code, is counted in the Explorer, and its hover opens the panel', async () => {
    const { page } = workbench;
    await workbench.openFile(FILE);
    await goToLine(workbench, NOW);
    const [mark] = await untilMarked((all) => all.some(hasCode), 'the mark');
    assert.match(mark ?? '', /^(?:\d+ errors · )?[\d,]+ events? · .*(?:ago|now|yesterday)$/);
    await until(gutterIcons, (count) => count > 0, 'icons');
    await pictures(workbench, 'marks', async () => {
      await page.keyboard.press('Escape');
      await hover(CODE, 'a', 'Show Error');
    });
    await page.keyboard.press('Escape');

    await goToLine(workbench, NOW);
    await page.keyboard.press('Control+Shift+K');
    await untilMarked((all) => !all.some(hasCode), 'no mark of a deleted line');
    await page.keyboard.press('Control+Z');
    await untilMarked((all) => all.some(hasCode), 'the mark again');

    await workbench.run('File: Reveal Active File in Explorer View');
    const label = page.locator('.explorer-folders-view .monaco-list-row .monaco-icon-label', { hasText: FILE });
    const spoken = await until(
      async () => (await label.getAttribute('aria-label')) ?? '',
      (text) => text.includes('unresolved errors'),
      'the number of errors',
    );
    const [, count] = /(\d+) unresolved errors/.exec(spoken) ?? [];
    assert.equal(await label.evaluate((element) => getComputedStyle(element, '::after').content), `"${count}"`);
    await pictures(workbench, 'marks-explorer');

    writeFileSync(path.join(workspace, '.vscode/settings.json'), '{"signalbox.errorMarks.codeLens": true}');
    const lens = page.locator('.codelens-decoration a', { hasText: / · [\d,]+ events?$/ }).first();
    await lens.waitFor();
    await pictures(workbench, 'marks-lenses');
    await clickInHover(CODE, 'Show Error');
    const frame = errorPage(workbench)
      .locator('.frame', { hasText: `${FILE}:${REPORTED}` })
      .first();
    await frame.getByText(`now line ${NOW}`).waitFor();
    const suspect = errorPage(workbench).getByRole('region', { name: 'Suspect Commit' });
    await suspect.getByText('Write the service').waitFor();
    await suspect.scrollIntoViewIfNeeded();
    await pictures(workbench, 'marks-moved');
    await frame.getByRole('button', { name: `${FILE}:${REPORTED}` }).click();
    await untilCursorAt(workbench, NOW);
    await lens.waitFor();
    await untilMarked((all) => all.some(hasCode), 'the mark in the editor that is shown again');
  });

  it('a DSN without a key is reported in .env, explained by its hover, and replaced with the keyboard', async () => {
    const { page } = workbench;
    const stored = await createKey(workbench, PROJECT);
    const unknown = stored.dsn.replace(/glet_\w+/, `glet_${'0'.repeat(32)}`);
    const text = (dsn: string): string => `# Settings of the shop\nSENTRY_DSN=${dsn}\nSHOP_DSN=${stored.dsn}\n`;
    writeFileSync(path.join(workspace, '.env'), text(unknown));
    // The search for files does not list it.
    await workbench.run('View: Show Explorer');
    await page.locator('.explorer-folders-view .monaco-list-row[aria-label^=".env"]').dblclick();
    await page.locator('.tab.active[data-resource-name=".env"]').waitFor();
    const squiggles = page.locator('.editor-instance .squiggly-warning');
    await until(
      () => squiggles.count(),
      (count) => count === 1,
      'a problem',
    );
    await pictures(workbench, 'dsn-hover', async () => {
      const shown = await hover('SHOP_DSN', 'p', 'DSN of client key');
      assert.match(shown, new RegExp(`DSN of client key ${stored.id} of ${PROJECT.path}, which is active\\.`));
      assert.match(shown, /Copy DSN \| Rotate Client Key… \| Send Test Error…/);
    });
    await pictures(workbench, 'dsn-hover-deleted', async () => {
      const shown = await hover('SENTRY_DSN', 'p', 'This DSN belongs to');
      assert.match(shown, /amara\/berth-api has no such client key any more/);
    });
    await page.mouse.move(1, 1);

    await workbench.run('View: Focus Active Editor Group');
    await page.keyboard.press('F8');
    const peek = page.locator('.marker-widget').first();
    await peek.waitFor();
    assert.match(await peek.innerText(), /amara\/berth-api has no such client key any more/);
    await pictures(workbench, 'dsn-problem');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    const menu = page.locator('.action-widget').first();
    const focused = menu.locator('.monaco-list-row.focused');
    await focused.waitFor();
    assert.equal((await focused.innerText()).trim(), `Use Client Key ${stored.id} of ${PROJECT.path}`);
    await pictures(workbench, 'dsn-fixes');
    await page.keyboard.press('Enter');
    await menu.waitFor({ state: 'hidden' });
    await until(
      () => squiggles.count(),
      (count) => count === 0,
      'no problem',
    );
    await workbench.run('File: Save');
    await until(
      () => readFileSync(path.join(workspace, '.env'), 'utf8'),
      (saved) => saved === text(stored.dsn),
      '.env saved',
    );
  });

  /** Waits until the visible lines with the mark of an error satisfy `accept`. Returns the texts at their ends. */
  async function untilMarked(accept: (codes: readonly string[]) => boolean, what: string): Promise<readonly string[]> {
    const all = await until(
      () => markedLines(workbench),
      (marks) => accept(marks.map(({ code }) => code)),
      what,
    );
    return all.filter(({ code }) => hasCode(code)).map(({ text }) => text);
  }

  function gutterIcons(): Promise<number> {
    return workbench.page.locator('.editor-instance .glyph-margin-widgets [class*="ced-"]').count();
  }

  /** Clicks a link in the hover of a line. VS Code may close a hover when the line is painted again; then it is shown again. */
  async function clickInHover(line: string, link: string): Promise<void> {
    const { page } = workbench;
    await until(
      async () => {
        await hover(line, 'a', link);
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

  /**
   * Shows the hover of the first visible line with a text, until it has an element with this text. Returns the text of the hover. VS Code
   * shows none while the pointer stays where it was.
   */
  async function hover(line: string, element: 'a' | 'p', expected: string): Promise<string> {
    const { page } = workbench;
    const shown = page.locator('.monaco-hover:visible');
    const code = page.locator('.editor-instance .view-line', { hasText: line }).first();
    return until(
      async () => {
        await page.mouse.move(0, 0);
        await code.hover({ position: { x: 200, y: 8 } });
        const found = shown.locator(element, { hasText: expected }).first();
        return found
          .waitFor({ timeout: 5_000 })
          .then(() => shown.first().innerText({ timeout: 5_000 }))
          .catch(() => '');
      },
      (text) => text !== '',
      `the hover of “${line}”`,
    );
  }
});

/** Returns true for the line of the error that is looked at. */
function hasCode(line: string): boolean {
  return line.includes(CODE);
}
