import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Documents } from '../activity/documents.ts';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { MailBasic } from '../contract/mail.ts';
import { commands, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { openMessage, openSource, openTarget } from './documents.ts';
import type { Mailbox } from './model.ts';
import { deleteMail, markAllMailsRead, setMailRead } from './requests.ts';
import type { MailRow } from './rows.ts';
import type { MailboxView } from './view.ts';

export interface MailboxCommandSettings {
  readonly view: MailboxView;
  readonly connection: Connection;
  readonly documents: Documents;
  readonly pages: Pages;
}

/** Commands of the Mailbox view. Without a row, they use the selected one. */
export function mailboxCommands(settings: MailboxCommandSettings) {
  const { view, documents } = settings;
  const { list } = view;
  return {
    [commands.mailboxRefresh]: () => view.refresh(),
    [commands.mailboxLoadMore]: () => view.withProgressBar(list.loadMore),
    [commands.mailboxSearch]: () => search(view),
    [commands.mailboxShowUnread]: () => view.setFilter({ ...view.filter(), isUnreadOnly: true }),
    [commands.mailboxClearFilter]: () => view.setFilter({ search: '', isUnreadOnly: false }),
    [commands.mailboxMarkAllRead]: () =>
      attempt(settings, async (client) => {
        await markAllMailsRead(client);
        list.setAllRead();
      }),
    [commands.mailboxOpen]: (row?: MailRow) =>
      withMail(settings, row, async (client, mail) => {
        await openTarget(documents, mail);
        await markRead(client, list, mail, true);
      }),
    [commands.mailboxShowMessage]: (row?: MailRow) =>
      withMail(settings, row, async (client, mail) => {
        await openMessage(documents, mail);
        await markRead(client, list, mail, true);
      }),
    [commands.mailboxShowSource]: (row?: MailRow) => withMail(settings, row, (_, mail) => openSource(documents, mail)),
    [commands.mailboxOpenInBrowser]: (row?: MailRow) => withMail(settings, row, (_, mail) => settings.pages.open(mail.web_url)),
    [commands.mailboxMarkRead]: (row?: MailRow) => withMail(settings, row, (client, mail) => markRead(client, list, mail, true)),
    [commands.mailboxMarkUnread]: (row?: MailRow) =>
      withMail(settings, row, (client, mail) => markRead(client, list, mail, false)),
    [commands.mailboxDelete]: (row?: MailRow) =>
      withMail(settings, row, async (client, mail) => {
        if (!(await isSureToDelete(mail))) return;
        await deleteMail(client, mail.id);
        list.remove(mail.id);
      }),
  };
}

async function search(view: MailboxView): Promise<void> {
  const value = await vscode.window.showInputBox({
    title: l10n.t('Search Mailbox'),
    prompt: l10n.t('Search subjects, senders and texts. Leave empty to show all mails.'),
    value: view.filter().search,
  });
  if (value === undefined) return;
  view.setFilter({ ...view.filter(), search: value.trim() });
  await vscode.commands.executeCommand(`${views.mailbox}.focus`);
}

/** Runs work for the account of the mailbox and shows its failure. */
async function attempt({ connection, view }: MailboxCommandSettings, work: (client: Client) => Promise<void>): Promise<void> {
  const client = connection.client();
  if (client === undefined || view.list.sourceKey() === undefined) return;
  try {
    await work(client);
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    // The mail may have been deleted elsewhere.
    if (failure.kind === 'notFound') view.expire();
    void vscode.window.showErrorMessage(failure.message);
  }
}

/** Runs work with the mail of a row. Does nothing if neither the row nor the selection is a mail. */
async function withMail(
  settings: MailboxCommandSettings,
  row: MailRow | undefined,
  work: (client: Client, mail: MailBasic) => Promise<void>,
): Promise<void> {
  const target = row ?? settings.view.selected();
  if (target?.kind !== 'mail') return;
  // The row may be older than the list.
  const mail = settings.view.list.find(target.mail.id) ?? target.mail;
  await attempt(settings, (client) => work(client, mail));
}

async function markRead(client: Client, list: Mailbox, mail: MailBasic, isRead: boolean): Promise<void> {
  if (mail.read === isRead) return;
  await setMailRead(client, mail.id, isRead);
  list.setRead(mail.id, isRead);
}

async function isSureToDelete({ subject }: MailBasic): Promise<boolean> {
  const yes = l10n.t('Delete');
  const question = l10n.t('Delete the mail “{0}”?', subject);
  const detail = l10n.t('This cannot be undone.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}
