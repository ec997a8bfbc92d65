import assert from 'node:assert/strict';
import { deprecations } from '../../src/contract/deprecations.ts';
import { colleagueOf } from '../support/host/colleague.ts';
import { pictures } from '../support/host/pictures.ts';
import { tokenByDevicePage } from '../support/host/platform.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const { replacement } = deprecations['password-grant'];
/** User agent, username and password of a client that uses what is deprecated. */
const CLIENT = 'nightly-export/2.1';
const USER = { username: 'night', password: 'lamps and lanterns', name: 'Night Shift', email: 'night@signalbox.example' };
/** Request of the client that the registry names. */
const CALL = 'POST /oauth/token · password grant';

describe('views of the local server', () => {
  let editor: Editor;
  let workbench: Workbench;
  let origin: string;
  let adminToken: string;
  before(async () => {
    // Each line of a document is shown as one line.
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, '[markdown]': { 'editor.wordWrap': 'off' } } });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    const tab = await openedTab(editor.context, workbench, () => workbench.run('Signalbox: Open OAuth Flows in Browser'));
    ({ origin } = new URL(tab.url()));
    adminToken = await tokenByDevicePage(tab, origin);
    await tab.close();
    await workbench.page.bringToFront();
    await workbench.widenSideBar(520);
  });
  after(async () => {
    await editor?.close();
  });
  beforeEach(() => workbench.clear());
  afterEach(screenshotsOfFailure(() => editor));

  /** Only keys are pressed here. */
  it('a mail is reached, opened, explained and deleted with the keyboard only', async () => {
    const { page } = workbench;
    const colleague = await colleagueOf({ origin, adminToken });
    const mailbox = await workbench.openView('Mailbox');
    await colleague.readAll();
    await until(workbench.badge, (text) => text === '', 'nothing unread');
    const issue = await colleague.mention('by keyboard.');
    const { label, name } = await mailbox.untilRow(
      ({ description }) => description.startsWith('● · mentioned · '),
      'the mention',
    );
    assert.match(name, /^Unread, .*, from .*, mentioned, Today /);
    assert.match(await until(workbench.badge, (text) => text !== '', 'the badge'), /1 unread mail/);
    await pictures(workbench, 'mailbox');
    await workbench.run('Signalbox: Focus on Mailbox View');
    await page.keyboard.press('Home');
    await until(focusedRow, (row) => /^Today, \d+ mails?$/.test(row), 'the first day');
    // The view may be rendered again at any time, which moves the focus back to the first row.
    await until(
      async () => {
        if ((await focusedRow()).startsWith('Today, ')) await page.keyboard.press('ArrowDown');
        return focusedRow();
      },
      (row) => row.startsWith('Unread, '),
      'the mail',
    );
    await page.keyboard.press('Enter');
    await page.locator(`.tab.active[aria-label*="#${issue} "]`).waitFor();
    await mailbox.untilRow((row) => row.label === label && row.description.startsWith('mentioned · '), 'the mail is read');
    await until(workbench.badge, (text) => text === '', 'no badge');
    await page.keyboard.press('Shift+F10');
    const menu = page.locator('.monaco-menu .action-menu-item .action-label');
    await menu.first().waitFor();
    assert.deepEqual(
      (await menu.allInnerTexts()).filter((text) => text !== ''),
      [
        'Open What the Mail Is About',
        'Show Mail',
        'Show Mail Source',
        'Open Mail in Browser',
        'Why Was I Mailed?',
        'Mark Mail as Unread',
        'Delete Mail…',
      ],
    );
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(workbench.visibleLines, ([first]) => first === '# Why was I mailed?', 'the explanation');
    await page.locator('.codelens-decoration a', { hasText: 'Apply' }).first().waitFor();
    await pictures(workbench, 'mailbox-why');

    await workbench.run('Signalbox: Focus on Mailbox View');
    await until(focusedRow, (row) => row.includes('mentioned, Today '), 'the same mail');
    await page.keyboard.press('Delete');
    assert.match((await workbench.dialog('')).message, /^Delete the mail “/);
    await page.keyboard.press('Enter');
    await mailbox.untilRows((rows) => rows.length > 0 && !rows.some((row) => row.label === label), 'deleted');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a deprecated call appears without a refresh, with its client, its replacement and a page about it', async () => {
    const view = await workbench.openView('Deprecations');
    await view.untilWelcome((text) => text.startsWith('Your clients have called nothing that is deprecated.'), 'no calls');
    assert.equal(await view.description(), 'up to release 20.0');
    await pictures(workbench, 'deprecations-empty');
    const report = await openedTab(editor.context, workbench, () => view.clickWelcomeButton('Open in Browser'));
    await report.getByText('No client has called anything that release 20.0 no longer has.').waitFor();
    await report.close();
    await workbench.page.bringToFront();

    await callDeprecated();
    await view.untilRow((row) => row.label === CALL && row.description === `${CLIENT} · 1 call`, 'the call');
    await pictures(workbench, 'deprecations');
    assert.match(await view.hoverText(CALL), new RegExp(`User: @${USER.username}`));
    await view.clickRowAction(CALL, 'Copy Replacement');
    assert.equal(await until(workbench.clipboard, (text) => text === replacement, 'the replacement'), replacement);
    const page = await openedTab(editor.context, workbench, () => view.clickRowAction(CALL, 'Open Deprecation in Browser'));
    assert.equal(new URL(page.url()).pathname, '/help/deprecations/password-grant');
    await page.getByText(replacement).first().waitFor();
    await page.close();
  });

  /** Creates a user, and signs in with the password grant. */
  async function callDeprecated(): Promise<void> {
    const created = await fetch(`${origin}/api/v4/users`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...USER, skip_confirmation: true }),
    });
    assert.equal(created.status, 201);
    const { status } = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      headers: { 'User-Agent': CLIENT },
      body: new URLSearchParams({ grant_type: 'password', username: USER.username, password: USER.password }),
    });
    assert.equal(status, 200);
  }

  function focusedRow(): Promise<string> {
    return workbench.page.evaluate(
      () =>
        document.querySelector('.sidebar .monaco-list:focus .monaco-list-row.focused')?.getAttribute('aria-label')?.trim() ?? '',
    );
  }
});
