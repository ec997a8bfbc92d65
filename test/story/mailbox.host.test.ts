import assert from 'node:assert/strict';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER, tokenByDevicePage } from '../support/host/platform.ts';
import { untilInView } from '../support/host/renderedDocument.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const PROJECT = 'amara/berth-api';
/** Shows each line of a document as one line. */
const NO_WRAP = { '[markdown]': { 'editor.wordWrap': 'off' } };

describe('the mailbox of the local server', () => {
  let editor: Editor;
  let workbench: Workbench;
  let mailbox: View;
  let colleague: Colleague;
  before(async () => {
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, ...NO_WRAP } });
    workbench = editor.workbench;
    await signIn(workbench, 'Signalbox: Start Local Server', 'Signalbox: Sign In as Demo User…', 'signed out');
    colleague = await colleagueOf(editor, 'Signalbox: Open OAuth Flows in Browser');
    mailbox = await workbench.openView('Mailbox');
    await workbench.widenSideBar(480);
  });
  beforeEach(async () => {
    await workbench.page.keyboard.press('Escape');
    if ((await mailbox.description()) !== '') await workbench.run('Signalbox: Show All Mails');
    await colleague.readAll();
    await until(badge, (text) => text === '', 'nothing unread');
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a mention arrives without a refresh, opens in the editor, is explained, and can be stopped', async () => {
    const { page } = workbench;
    const issue = await colleague.mention('the gate at berth 4 stays open.');
    const { label, name } = await mailbox.untilRow(
      ({ description }) => description.startsWith('● · mentioned · '),
      'the mention',
    );
    assert.ok(label.includes(`(#${issue})`), label);
    assert.match(name, /^Unread, .*, from .*, mentioned, Today /);
    assert.match(await until(badge, (text) => text !== '', 'the badge'), /1 unread mail/);
    await pictures(workbench, 'mailbox');

    await mailbox.clickRow(label);
    await page.locator(`.tab.active[aria-label*="#${issue} "]`).waitFor();
    await untilInView(workbench, 'p', 'berth 4 stays open');
    await mailbox.untilRow((row) => row.label === label && row.description.startsWith('mentioned · '), 'the mail is read');
    await until(badge, (text) => text === '', 'no badge');

    const button = page.locator('.editor-actions').getByRole('button', { name: 'Open in Browser', exact: true });
    const tab = await openedTab(editor.context, workbench, () => button.click());
    assert.ok(decodeURIComponent(tab.url()).includes(`/${PROJECT}/-/issues/${issue}`), tab.url());
    await tab.close();

    await mailbox.chooseFromRowMenu(label, 'Why Was I Mailed?');
    const why = await untilDocument('# Why was I mailed?', (lines) => lines.some((line) => line.startsWith('## What would')));
    assert.equal(why[2], '**You were mailed because you were mentioned.**');
    await page.locator('.codelens-decoration a', { hasText: 'Apply' }).first().waitFor();
    await pictures(workbench, 'mailbox-why');

    await mailbox.chooseFromRowMenu(label, 'Show Mail');
    const mail = await untilDocument(`# ${label}`, (lines) => lines.some((line) => line.includes('berth 4')));
    assert.ok(mail.includes('- Reason: mentioned'), mail.join('\n'));
    await pictures(workbench, 'mailbox-mail');
    await mailbox.chooseFromRowMenu(label, 'Show Mail Source');
    await page.locator('.tab.active[aria-label*=".eml"]').waitFor();
    await until(workbench.visibleLines, (lines) => lines.some((line) => /^X-GitLab-Project/i.test(line)), 'the header');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('an explanation of a possible mail is reversed by what it offers, which can be undone', async () => {
    const { page } = workbench;
    const issue = await colleague.mention('closed now.');
    const { label } = await mailbox.untilRow(({ description }) => description.startsWith('● · mentioned · '), 'the mention');
    await mailbox.clickRow(label);
    await page.locator(`.tab.active[aria-label*="#${issue} "]`).waitFor();
    await workbench.run('Signalbox: Why Would I Be Mailed?…');
    await workbench.choose('New comment');
    const before = await untilDocument('# Would I be mailed?', (lines) => lines.some((line) => line.startsWith('## What would')));
    assert.match(before[2] ?? '', /^\*\*You would be mailed/);
    await workbench.run('Signalbox: Change Whether I Am Mailed…');
    const choices = await workbench.choices();
    const level = choices.find((choice) => choice.startsWith(`Set the level of project ${PROJECT} to `));
    assert.ok(level !== undefined, choices.join('\n'));
    await workbench.choose(level);
    const after = await untilDocument('# Would I be mailed?', (lines) =>
      (lines[2] ?? '').startsWith('**You would not be mailed.**'),
    );
    assert.ok(after.join('').includes('does not let “New comment” through.'), after.join('\n'));
    await workbench.clickToast('Done: ', 'Undo');
    await page.locator('.editor-actions').getByRole('button', { name: 'Refresh Document', exact: true }).click();
    await untilDocument('# Would I be mailed?', (lines) => (lines[2] ?? '').startsWith('**You would be mailed'));
    await workbench.clear();
  });

  it('mails can be searched, filtered, marked as unread and deleted', async () => {
    await colleague.mention('a lighthouse.');
    const { label } = await mailbox.untilRow(({ description }) => description.startsWith('● · mentioned · '), 'the mention');
    await mailbox.chooseFromRowMenu(label, 'Mark Mail as Read');
    await until(badge, (text) => text === '', 'no badge');
    await mailbox.clickTitleAction('Show Only Unread Mails');
    await mailbox.untilWelcome((text) => text.startsWith('No mails match.'), 'nothing unread');
    await mailbox.clickWelcomeButton('Show All Mails');
    await mailbox.untilRow((row) => row.label === label, 'all mails');
    await mailbox.clickTitleAction('Search Mailbox…');
    await workbench.fillInput('lighthouse');
    const mails = (rows: readonly { readonly level: number }[]): number => rows.filter(({ level }) => level === 2).length;
    await mailbox.untilRows((rows) => mails(rows) === 1, 'one mail');
    assert.equal(await mailbox.description(), '“lighthouse”');
    await mailbox.chooseFromRowMenu(label, 'Mark Mail as Unread');
    assert.match(await until(badge, (text) => text !== '', 'the badge'), /1 unread mail/);
    // The key applies to the selected mail.
    await mailbox.clickRow(label);
    await until(badge, (text) => text === '', 'the mail is read');
    await workbench.page.keyboard.press('Delete');
    assert.match((await workbench.dialog('')).message, /^Delete the mail “/);
    await workbench.clickDialogButton('Delete');
    await mailbox.untilWelcome((text) => text.startsWith('No mails match.'), 'deleted');
    await until(badge, (text) => text === '', 'no badge');
    await mailbox.clickTitleAction('Show All Mails');
    await mailbox.untilRows((rows) => mails(rows) > 0, 'the other mails');
    assert.deepEqual(await workbench.toasts(), []);
  });

  /** Only keys are pressed here. */
  it('a mail is reached, opened and explained with the keyboard only', async () => {
    const { page } = workbench;
    const issue = await colleague.mention('by keyboard.');
    const { label } = await mailbox.untilRow(({ description }) => description.startsWith('● · mentioned · '), 'the mention');
    await workbench.run('Signalbox: Focus on Mailbox View');
    await page.keyboard.press('Home');
    await until(focusedRow, (name) => /^Today, \d+ mails?$/.test(name), 'the first day');
    // The view may be rendered again at any time, which moves the focus back to the first row.
    await until(
      async () => {
        if ((await focusedRow()).startsWith('Today, ')) await page.keyboard.press('ArrowDown');
        return focusedRow();
      },
      (name) => name.startsWith('Unread, '),
      'the mail',
    );
    await page.keyboard.press('Enter');
    await page.locator(`.tab.active[aria-label*="#${issue} "]`).waitFor();
    await mailbox.untilRow((row) => row.label === label && row.description.startsWith('mentioned · '), 'the mail is read');
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
    await untilDocument('# Why was I mailed?', () => true);
    assert.deepEqual(await workbench.toasts(), []);
  });

  /** Returns what screen readers say about the badge on the icon of the views; empty without a badge. */
  async function badge(): Promise<string> {
    return badgeOf(workbench);
  }

  function focusedRow(): Promise<string> {
    return workbench.page.evaluate(
      () =>
        document.querySelector('.sidebar .monaco-list:focus .monaco-list-row.focused')?.getAttribute('aria-label')?.trim() ?? '',
    );
  }

  function untilDocument(first: string, accept: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    return documentOf(workbench, first, accept);
  }
});

describe('the mailbox in German', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ language: 'de', userSettings: NO_WRAP });
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a mention and its explanation are shown in German', async () => {
    const { workbench } = editor;
    await signIn(workbench, 'Signalbox: Lokalen Server starten', 'Signalbox: Als Demobenutzer anmelden…', 'abgemeldet');
    const colleague = await colleagueOf(editor, 'Signalbox: OAuth-Abläufe im Browser öffnen');
    const mailbox = await workbench.openView('Postfach');
    await colleague.readAll();
    await until(
      () => badgeOf(workbench),
      (text) => text === '',
      'nothing unread',
    );
    await colleague.mention('Guten Morgen.');
    const { label, name } = await mailbox.untilRow(({ description }) => description.startsWith('● · erwähnt · '), 'the mention');
    assert.match(name, /^Ungelesen, .*, von .*, erwähnt, Heute /);
    assert.match(
      await until(
        () => badgeOf(workbench),
        (text) => text !== '',
        'the badge',
      ),
      /1 ungelesene E-Mail/,
    );
    await mailbox.chooseFromRowMenu(label, 'Warum habe ich diese E-Mail bekommen?');
    const lines = await documentOf(workbench, '# Warum habe ich eine E-Mail bekommen?', (all) =>
      all.some((line) => line.startsWith('## Was das nächste Mal')),
    );
    assert.equal(lines[2], '**Sie haben eine E-Mail bekommen, weil Sie erwähnt wurden.**');
    assert.ok(lines.includes('- Ereignis: Neuer Kommentar'), lines.join('\n'));
    assert.doesNotMatch(lines.join('\n'), /\b(?:You|The|level|mailed)\b/);
    // A message says as whom the page was opened.
    assert.deepEqual(
      (await workbench.toasts()).filter(({ severity }) => severity !== 'info'),
      [],
    );
  });
});

async function signIn(workbench: Workbench, start: string, persona: string, signedOut: string): Promise<void> {
  await workbench.openContainer();
  await workbench.run(start);
  await workbench.untilStatus(STATUS, (text) => text.includes(signedOut), 'signed out');
  await workbench.run(persona);
  await workbench.choose(DEMO_USER.name);
  await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
}

/** Waits until the active document begins with a line and satisfies `accept`, and returns its painted lines. */
function documentOf(
  workbench: Workbench,
  first: string,
  accept: (lines: readonly string[]) => boolean,
): Promise<readonly string[]> {
  return until(workbench.visibleLines, (lines) => lines[0] === first && accept(lines), `document “${first}”`);
}

/** Returns what screen readers say about the badge on the icon of the views; empty without a badge. */
async function badgeOf({ page }: Workbench): Promise<string> {
  const label = await page.locator('.activitybar a.action-label[aria-label^="Signalbox"]').first().getAttribute('aria-label');
  return (label ?? '').replace(/^Signalbox(?: - )?/, '');
}

interface Colleague {
  /** Mentions the demo user in a comment on an issue that has had none from here before, and returns the number of the issue. */
  mention(text: string): Promise<number>;
  /** Marks all mails of the demo user as read. */
  readAll(): Promise<void>;
}

/** Returns another member of the project, who comments through the API of the editor's local server. */
async function colleagueOf({ context, workbench }: Editor, openAsAdministrator: string): Promise<Colleague> {
  const tab = await openedTab(context, workbench, () => workbench.run(openAsAdministrator));
  const { origin } = new URL(tab.url());
  const adminToken = await tokenByDevicePage(tab, origin);
  await tab.close();
  await workbench.page.bringToFront();

  async function ask(token: string, url: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch(`${origin}/api/v4${url}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${url}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async function tokenOf(username: unknown): Promise<string> {
    const [user] = listOf(await ask(adminToken, `/users?username=${String(username)}`));
    const created = await ask(adminToken, `/users/${String(user?.['id'])}/personal_access_tokens`, {
      name: 'story',
      scopes: ['api'],
    });
    const [{ token } = {}] = listOf([created]);
    return String(token);
  }

  const project = `/projects/${encodeURIComponent(PROJECT)}`;
  const members = listOf(await ask(adminToken, `${project}/members/all`)).map((member) => member['username']);
  const token = await tokenOf(members.find((username) => username !== DEMO_USER.username && username !== 'root'));
  const ownToken = await tokenOf(DEMO_USER.username);
  const issues = listOf(await ask(adminToken, `${project}/issues?state=opened`)).map((issue) => Number(issue['iid']));
  return {
    mention: async (text) => {
      const issue = issues.pop();
      assert.ok(issue !== undefined);
      await ask(token, `${project}/issues/${issue}/notes`, { body: `@${DEMO_USER.username} ${text}` });
      return issue;
    },
    readAll: async () => {
      await ask(ownToken, '/user/mails/mark_as_read', {});
    },
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  assert.ok(Array.isArray(value));
  return value.map((one: unknown) => Object.fromEntries(Object.entries(one ?? {})));
}
