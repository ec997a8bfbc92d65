import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { demoReleases } from '../../server/seeds/demoFailures.ts';
import { type GitClient, gitClient } from '../support/gitClient.ts';
import { markedLines } from '../support/host/errorViews.ts';
import { DEMO_USER } from '../support/host/platform.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import { THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const ROOT = path.join(import.meta.dirname, '../..');
const PICTURES = path.join(ROOT, '.cache/error-pictures');
/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const TRACKED = 'Berth API';
/** A file in which two demo errors happen, and one of their lines. */
const FILE = 'server.js';
/** Number of lines that were added above it after the releases, further away than the code of an event is searched. */
const ADDED = 70;
const CODE = 'const table = await loadTable(request.params.harbour);';

describe('marks at lines of errors', () => {
  let editor: Editor;
  let workbench: Workbench;
  let container: string;
  let git: GitClient;
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-marks-'));
    const workspace = path.join(container, 'open');
    cpSync(path.join(ROOT, 'media/demo-workspace'), workspace, { recursive: true });
    // A copy that fits the same frames equally well.
    mkdirSync(path.join(workspace, 'copy/berth-api'), { recursive: true });
    cpSync(path.join(workspace, 'berth-api/payments.js'), path.join(workspace, 'copy/berth-api/payments.js'));
    mkdirSync(path.join(workspace, '.vscode'));
    writeFileSync(path.join(workspace, '.vscode/settings.json'), '{}');
    git = gitClient(container);
    await git.succeed('init', '--quiet', workspace);
    const file = path.join(workspace, 'berth-api', FILE);
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, '// Nothing yet.\n');
    await commit('Begin the service');
    await tag(demoReleases.slice(0, 1));
    writeFileSync(file, code);
    await commit('Write the service');
    await tag(demoReleases.slice(1));
    writeFileSync(file, `${'// Changed after the last release.\n'.repeat(ADDED)}${code}`);
    await commit('Explain the service');
    editor = await openEditor({
      workspace,
      userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false, 'editor.lightbulb.enabled': 'off' },
    });
    workbench = editor.workbench;
    await workbench.openContainer();
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await workbench.clear();
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(TRACKED);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await workbench.openFile(FILE);
    await showEnd();
  });
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed')
      console.log(`screenshots: ${(await editor.screenshot(this.currentTest.title)).join(', ')}`);
  });

  it('show beside and at the end of a line how often its errors happen, in every theme, with a hover', async () => {
    const { text } = await markOf(CODE);
    assert.match(text, /^(?:\d+ errors · )?[\d,]+ events? · .*(?:ago|now|yesterday)$/);
    assert.ok((await gutterIcons()) > 0);
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await hover('loadTable');
      await workbench.screenshot(path.join(PICTURES, `marks-${theme}.png`));
      await workbench.page.keyboard.press('Escape');
    }
    await workbench.setTheme('light');
  });

  it('follow the commits since the release of the error, in the panel too', async () => {
    await hover('loadTable');
    await workbench.page.locator('.monaco-hover:visible a', { hasText: 'Show Error' }).first().click();
    const panel = workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    const moved = panel.locator('.frame', { hasText: `${FILE}:30` }).first();
    await moved.getByText(`now line ${30 + ADDED}`).waitFor();
    const suspect = panel.getByRole('region', { name: 'Suspect Commit' });
    await suspect.getByText(/Write the service|No suspect commit: no release before/).waitFor();
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await suspect.scrollIntoViewIfNeeded();
      await workbench.screenshot(path.join(PICTURES, `moved-${theme}.png`));
    }
    await workbench.setTheme('light');
    await moved.getByRole('button', { name: `${FILE}:30` }).click();
    await until(position, (line) => line === 30 + ADDED, 'the line where the code is now');
    await workbench.run('View: Close All Editors in Group');
  });

  it('follow edits, a deleted line and its restoration', async () => {
    const { keyboard } = workbench.page;
    await goToLine(1);
    for (let line = 0; line < 3; line += 1) await keyboard.press('Enter');
    await goToLine(30 + ADDED + 3);
    await markOf(CODE);
    await keyboard.press('Control+Shift+K');
    await until(
      () => markedLines(workbench),
      (all) => all.length > 0 && all.every(({ code }) => !code.includes(CODE)),
      'no mark of the deleted line',
    );
    await keyboard.press('Control+Z');
    await markOf(CODE);
    await workbench.run('File: Revert File');
    await showEnd();
    await goToLine(30 + ADDED - 1);
    await workbench.run('Signalbox: Next Error in File');
    await until(position, (line) => line === 30 + ADDED, 'the line without the edits');
  });

  it('are at the reported lines when the release is checked out', async () => {
    await git.succeed('-C', path.join(container, 'open'), 'checkout', '--quiet', 'v1.4.0');
    await until(position, (at) => at <= 40, 'the shorter file');
    await until(
      () => markedLines(workbench),
      (all) => all.some(({ code }) => code.includes(CODE)),
      'marks',
    );
    for (const _ of demoReleases) {
      await workbench.run('Signalbox: Next Error in File');
      const [line, shown] = [await position(), await markedLines(workbench)];
      assert.ok(line <= 40 && line % 5 === 0 && shown.length > 0, `${line}`);
    }
    await git.succeed('-C', path.join(container, 'open'), 'checkout', '--quiet', '-');
    await showEnd();
  });

  it('can be visited one after another from the palette', async () => {
    await goToLine(1);
    await workbench.run('Signalbox: Next Error in File');
    const first = await until(position, (line) => line > 1, 'the first marked line');
    await workbench.run('Signalbox: Next Error in File');
    await until(position, (line) => line > first, 'the line after it');
    await workbench.run('Signalbox: Previous Error in File');
    await until(position, (line) => line === first, 'the first line again');
  });

  it('are not shown in a file that fits as well as another one', async () => {
    await workbench.page.keyboard.press('Control+P');
    await workbench.page.locator('.quick-input-widget input.input').fill('copy/berth-api/payments.js');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'payments.js' }).first().waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.tab.active[data-resource-name="payments.js"]').waitFor();
    await workbench.openFile(FILE);
    await showEnd();
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
    await hover('fetch');
    await workbench.page.locator('.monaco-hover:visible a', { hasText: 'Resolve' }).first().click();
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

  it('are counted in the Explorer, and can be shown as code lenses', async () => {
    await workbench.run('File: Reveal Active File in Explorer View');
    const badge = workbench.page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: FILE })
      .locator('[class*="monaco-decoration"]');
    await badge.first().waitFor();
    assert.match(
      (await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: FILE }).getAttribute('aria-label')) ??
        '',
      /unresolved errors?/,
    );
    writeFileSync(path.join(container, 'open/.vscode/settings.json'), '{"signalbox.errorMarks.codeLens": true}');
    const lens = workbench.page.locator('.codelens-decoration a', { hasText: / · [\d,]+ events?$/ });
    await lens.first().waitFor();
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await workbench.screenshot(path.join(PICTURES, `explorer-${theme}.png`));
    }
    await workbench.setTheme('light');
    await lens.first().click();
    await workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame').locator('h1').waitFor();
    await workbench.run('View: Close Editor');
    writeFileSync(path.join(container, 'open/.vscode/settings.json'), '{}');
    await until(
      () => lens.count(),
      (count) => count === 0,
      'no lenses',
    );
    await workbench.openContainer();
  });

  it('can be turned off one by one', async () => {
    const settings = path.join(container, 'open/.vscode/settings.json');
    writeFileSync(settings, '{"signalbox.errorMarks.text": false}');
    await until(
      () => markedLines(workbench),
      (all) => all.length === 0,
      'no texts',
    );
    assert.ok((await gutterIcons()) > 0);
    writeFileSync(settings, '{"signalbox.errorMarks.gutter": false}');
    await until(gutterIcons, (count) => count === 0, 'no icons');
    await markOf(CODE);
    writeFileSync(settings, '{}');
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

  /** Shows the line of an error, and waits for its mark. */
  async function showEnd(): Promise<void> {
    await goToLine(30 + ADDED);
    await markOf(CODE);
  }

  async function goToLine(line: number): Promise<void> {
    await workbench.run('View: Focus Active Editor Group');
    await workbench.page.keyboard.press('Control+G');
    await workbench.page.locator('.quick-input-widget input.input').fill(`:${line}`);
    await workbench.page.keyboard.press('Enter');
    await until(position, (at) => at === line, `line ${line}`);
  }

  /** Tags the last commit with the versions of releases. */
  async function tag(releases: readonly string[]): Promise<void> {
    for (const release of releases)
      await git.succeed('-C', path.join(container, 'open'), 'tag', release.replace('berth-api@', 'v'));
  }

  async function commit(message: string): Promise<void> {
    const at = ['-C', path.join(container, 'open')];
    await git.succeed(...at, 'add', '--all');
    await git.succeed(...at, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', message);
  }

  function gutterIcons(): Promise<number> {
    return workbench.page.locator('.editor-instance .glyph-margin-widgets [class*="ced-"]').count();
  }

  /** Shows the hover of the first visible line with this code. */
  async function hover(code: string): Promise<void> {
    await workbench.page.locator('.editor-instance .view-line span span', { hasText: code }).last().hover();
    await workbench.page.locator('.monaco-hover:visible a', { hasText: 'Show Error' }).first().waitFor();
  }

  /** Returns the line of the cursor. */
  async function position(): Promise<number> {
    const status = await workbench.page.locator('.statusbar-item', { hasText: /Ln \d+, Col \d+/ }).innerText();
    return Number(/Ln (\d+)/.exec(status)?.[1]);
  }
});
