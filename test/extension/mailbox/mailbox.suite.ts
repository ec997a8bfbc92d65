import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { type Colleague, colleagueOf, MAIL_PROJECT } from '../../support/host/colleague.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { activeDocument, lensesOf, untilEditor } from '../../support/host/suite/errors.ts';
import { start } from '../../support/host/suite/extension.ts';
import { ask, connectTo, visit } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

describe('the mailbox in its view', () => {
  let platform: RunningPlatform;
  let mailbox: View;
  let colleague: Colleague;
  before(async () => {
    platform = await startPlatform();
    await start();
    await connectTo(platform);
    colleague = await colleagueOf(platform);
    mailbox = await workbench.openView('Mailbox');
  });
  after(() => platform?.close());
  beforeEach(async () => {
    if ((await mailbox.description()) !== '') await workbench.run('Signalbox: Show All Mails');
    await colleague.readAll();
    await until(workbench.badge, (text) => text === '', 'nothing unread');
  });
  afterEach(async () => {
    await workbench.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('a mention arrives without a refresh, opens in the editor, is explained, and can be stopped', async () => {
    const issue = await colleague.mention('the gate at berth 4 stays open.');
    const { label, name } = await mailbox.untilRow(
      ({ description }) => description.startsWith('● · mentioned · '),
      'the mention',
    );
    assert.ok(label.includes(`(#${issue})`), label);
    assert.match(name, /^Unread, .*, from .*, mentioned, Today /);
    assert.match(await until(workbench.badge, (text) => text !== '', 'the badge'), /1 unread mail/);

    await mailbox.clickRow(label);
    await untilTab(`#${issue} `);
    await mailbox.untilRow((row) => row.label === label && row.description.startsWith('mentioned · '), 'the mail is read');
    await until(workbench.badge, (text) => text === '', 'no badge');

    await workbench.clickEditorAction('Open in Browser');
    const opened = await visit(await workbench.untilPage(() => true, 'the issue'));
    assert.equal(decodeURIComponent(opened.address.pathname), `/${MAIL_PROJECT}/-/issues/${issue}`);

    await mailbox.chooseFromRowMenu(label, 'Why Was I Mailed?');
    const why = await untilDocument('# Why was I mailed?', (lines) => lines.some((line) => line.startsWith('## What would')));
    assert.equal(why[2], '**You were mailed because you were mentioned.**');
    assert.ok((await lensesOf(activeDocument())).some((title) => title.includes('Apply')));

    await mailbox.chooseFromRowMenu(label, 'Show Mail');
    const mail = await untilDocument(`# ${label}`, (lines) => lines.some((line) => line.includes('berth 4')));
    assert.ok(mail.includes('- Reason: mentioned'), mail.join('\n'));
    await mailbox.chooseFromRowMenu(label, 'Show Mail Source');
    await untilTab('.eml');
    await untilEditor((text) => /^X-GitLab-Project/im.test(text), 'the header');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('an explanation of a possible mail is reversed by what it offers, which can be undone', async () => {
    const issue = await colleague.mention('closed now.');
    const { label } = await mailbox.untilRow(({ description }) => description.startsWith('● · mentioned · '), 'the mention');
    await mailbox.clickRow(label);
    await untilTab(`#${issue} `);
    const levelBefore = await levelOfProject();
    await workbench.run('Signalbox: Why Would I Be Mailed?…');
    await workbench.choose('New comment');
    const before = await untilDocument('# Would I be mailed?', (lines) => lines.some((line) => line.startsWith('## What would')));
    assert.match(before[2] ?? '', /^\*\*You would be mailed/);
    await workbench.run('Signalbox: Change Whether I Am Mailed…');
    const choices = await workbench.choices();
    const level = choices.find((choice) => choice.startsWith(`Set the level of project ${MAIL_PROJECT} to `));
    assert.ok(level !== undefined, choices.join('\n'));
    await workbench.choose(level);
    const after = await untilDocument('# Would I be mailed?', (lines) =>
      (lines[2] ?? '').startsWith('**You would not be mailed.**'),
    );
    assert.ok(after.join('').includes('does not let “New comment” through.'), after.join('\n'));
    assert.notEqual(await levelOfProject(), levelBefore);
    await workbench.clickToast('Done: ', 'Undo');
    await until(levelOfProject, (restored) => restored === levelBefore, 'the level from before');
    await workbench.clickEditorAction('Refresh Document');
    await untilDocument('# Would I be mailed?', (lines) => (lines[2] ?? '').startsWith('**You would be mailed'));
  });

  it('mails can be searched, filtered, marked as unread and deleted', async () => {
    await colleague.mention('a lighthouse.');
    const { label } = await mailbox.untilRow(({ description }) => description.startsWith('● · mentioned · '), 'the mention');
    await mailbox.chooseFromRowMenu(label, 'Mark Mail as Read');
    await until(workbench.badge, (text) => text === '', 'no badge');
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
    assert.match(await until(workbench.badge, (text) => text !== '', 'the badge'), /1 unread mail/);
    // The key applies to the selected mail.
    await mailbox.clickRow(label);
    await until(workbench.badge, (text) => text === '', 'the mail is read');
    await mailbox.pressKey('delete');
    assert.match((await workbench.dialog('')).message, /^Delete the mail “/);
    await workbench.clickDialogButton('Delete');
    await mailbox.untilWelcome((text) => text.startsWith('No mails match.'), 'deleted');
    await until(workbench.badge, (text) => text === '', 'no badge');
    await mailbox.clickTitleAction('Show All Mails');
    await mailbox.untilRows((rows) => mails(rows) > 0, 'the other mails');
    assert.deepEqual(await workbench.toasts(), []);
  });

  /** Returns the notification level of the demo user for the project. */
  async function levelOfProject(): Promise<string | undefined> {
    const path = `/api/v4/projects/${encodeURIComponent(MAIL_PROJECT)}/notification_settings`;
    const settings = await ask(platform, 'GET', path, undefined, DEMO_USER.username);
    return isJsonObject(settings) ? stringMember(settings, 'level') : undefined;
  }

  /** Waits until the active document begins with a line and satisfies `accept`, and returns its lines. */
  async function untilDocument(first: string, accept: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    return untilEditor((text) => text.split('\n')[0] === first && accept(text.split('\n')), `document “${first}”`);
  }

  async function untilTab(part: string): Promise<void> {
    await until(
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '',
      (label) => label.includes(part),
      `tab “${part}”`,
    );
  }
});
