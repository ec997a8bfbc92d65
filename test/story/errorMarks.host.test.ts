import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { markedLines } from '../support/host/errorViews.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import { THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PICTURES = path.join(ROOT, '.cache/error-pictures');
/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const TRACKED = 'Berth API';
/** A file in which two demo errors happen, and one of their lines. */
const FILE = 'server.js';
const CODE = 'const table = await loadTable(request.params.harbour);';

describe('marks at lines of errors', () => {
  let editor: Editor;
  let workbench: Workbench;
  let container: string;
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-marks-'));
    const workspace = path.join(container, 'open');
    cpSync(path.join(ROOT, 'media/demo-workspace'), workspace, { recursive: true });
    // A copy that fits the same frames equally well.
    mkdirSync(path.join(workspace, 'copy/berth-api'), { recursive: true });
    cpSync(path.join(workspace, 'berth-api/payments.js'), path.join(workspace, 'copy/berth-api/payments.js'));
    mkdirSync(path.join(workspace, '.vscode'));
    editor = await openEditor({
      workspace,
      userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false, 'editor.lightbulb.enabled': 'off' },
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
    await markOf(CODE);
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

  it('can be visited one after another from the palette', async () => {
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
