import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Keys, keysOf } from '../support/host/keys.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { renderedDocument } from '../support/host/renderedDocument.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Text that screen readers read for the row of a day. */
const DAY = /^Today|, \d+ events?$/;
const COMMENT = /^Commented on #\d+ /;

/** Only keys are pressed here; everything is read from the page without touching it. */
describe('a user with a keyboard only', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let page: Page;
  let keys: Keys;
  before(async () => {
    platform = await startPlatform();
    editor = await openEditor({ userSettings: { 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    page = workbench.page;
    keys = keysOf(page);
    const tab = await editor.context.newPage();
    await platform.signIn(tab, DEMO_USER.username);
    await tab.close();
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a user with a keyboard only signs in, moves through the feed, reads a document and returns', async () => {
    await keys.run('Signalbox: Focus on My Activity View');
    const mine = workbench.view('My Activity');
    await mine.untilWelcome((text) => text.includes('Sign in with your browser'), 'offers to sign in');
    await tabTo(page, 'Sign In');
    await page.keyboard.press('Enter');

    await until(keys.focusedChoice, (label) => label.includes('Sign in with a code'), 'ways to sign in');
    await page.keyboard.press('Enter');
    const { message } = await workbench.dialog('Your code for');
    const code = /[A-Z]{4}-[A-Z]{4}$/.exec(message)?.[0] ?? '';
    await until(focusedText, (text) => text === 'Copy Code and Open Page', 'button in the dialog');
    const opened = editor.context.waitForEvent('page');
    await page.keyboard.press('Enter');
    const tab = await opened;
    await tab.getByRole('heading', { level: 1, name: 'Connect an application' }).waitFor();
    assert.equal(await tab.getByLabel('Code', { exact: true }).inputValue(), code);
    await tabTo(tab, 'Continue');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { level: 1, name: /^Approve / }).waitFor();
    await tabTo(tab, 'Approve');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { level: 1, name: 'Access approved' }).waitFor();
    await tab.close();

    await page.bringToFront();
    await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await mine.untilRows((rows) => rows.some(({ label }) => COMMENT.test(label)), 'feed');
    await keys.run('Signalbox: Focus on My Activity View');
    await page.keyboard.press('Home');
    await until(keys.focusedRow, (name) => DAY.test(name), 'the first day');
    await until(
      async () => {
        const name = await keys.focusedRow();
        // A list that is being repainted ignores the key.
        if (DAY.test(name)) await page.keyboard.press('ArrowDown');
        return name;
      },
      (name) => /, in .+, by Amara Okafor, /.test(name),
      'a row with action, project, author and time',
    );
    await page.keyboard.type('Commented');
    const spoken = await until(
      keys.focusedRow,
      (name) => /^(New, )?Commented on issue/i.test(name) || COMMENT.test(name),
      'found by typing',
    );
    assert.match(spoken, /, by Amara Okafor, /);

    await page.keyboard.press('Shift+F10');
    const menu = page.locator('.monaco-menu .action-menu-item .action-label');
    await menu.first().waitFor();
    assert.deepEqual(
      (await menu.allInnerTexts()).filter((label) => label !== ''),
      ['Open', 'Open in Browser', 'Copy Link', 'Copy Link for VS Code', 'Filter by Similar Activity', 'Why Would I Be Mailed?…'],
    );
    await page.keyboard.press('Escape');
    await menu.first().waitFor({ state: 'hidden' });

    await page.keyboard.press('Enter');
    await page.locator('.tab.active[aria-label*=".md"]').waitFor();
    const rendered = renderedDocument(workbench);
    await rendered.getByRole('heading', { level: 1, name: /^#\d+ / }).waitFor();
    await page.keyboard.press('Control+1');
    await until(focusedTag, (tag) => tag === 'IFRAME', 'the document has the focus');
    // Its first link is that of the issue.
    await page.keyboard.press('Tab');
    await rendered.locator('a:focus', { hasText: '/issues/' }).waitFor();
    await keys.run('Signalbox: Open Source of Document');
    await page.locator('.editor-instance .view-lines').waitFor();
    assert.match((await until(workbench.visibleLines, ([first]) => first !== undefined, 'the source'))[0] ?? '', /^# #\d+ /);
    await until(
      () => page.evaluate(() => document.activeElement?.closest('.editor-instance') !== null),
      (isThere) => isThere,
      'the source has the focus',
    );
    await page.keyboard.press('Control+0');
    assert.equal(await until(keys.focusedRow, (name) => name !== '', 'back in the feed'), spoken);
    assert.deepEqual(await workbench.toasts(), []);
  });

  function focusedTag(): Promise<string> {
    return page.evaluate(() => document.activeElement?.tagName ?? '');
  }

  function focusedText(): Promise<string> {
    return page.evaluate(() => (document.activeElement?.textContent ?? '').trim());
  }
});

/** Presses Tab until the element with this message has the focus. */
async function tabTo(page: Page, message: string): Promise<void> {
  const seen: string[] = [];
  for (let step = 0; step < 25; step += 1) {
    const text = await page.evaluate(() => (document.activeElement?.textContent ?? '').trim());
    if (text === message) return;
    seen.push(text.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  assert.fail(`“${message}” is not reached by Tab: ${seen.join(' › ')}`);
}
