import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Documents } from '../activity/documents.ts';
import { failureOfError } from '../api/failures.ts';
import type { MailBasic } from '../contract/mail.ts';
import { commands, views } from '../ids.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { openMessage, openSource, openTarget } from './documents.ts';
import type { Mailbox } from './model.ts';
import { deleteMail, markAllMailsRead, setMailRead } from './requests.ts';
import type { MailRow } from './rows.ts';
import type { MailboxView } from './view.ts';
import { mayWrite, showFailure } from '../ui/showFailure.ts';

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
      attempt(settings, settings.connection.current(), async (account) => {
        if (!mayWrite(account)) return;
        await markAllMailsRead(account.client());
        if (account.isCurrent()) list.setAllRead();
      }),
    [commands.mailboxOpen]: (row?: MailRow) =>
      withMail(settings, row, async (account, mail) => {
        await openTarget(documents, mail, account);
        await markOpened(account, list, mail);
      }),
    [commands.mailboxShowMessage]: (row?: MailRow) =>
      withMail(settings, row, async (account, mail) => {
        await openMessage(documents, mail, account);
        await markOpened(account, list, mail);
      }),
    [commands.mailboxShowSource]: (row?: MailRow) =>
      withMail(settings, row, (account, mail) => openSource(documents, mail, account)),
    [commands.mailboxOpenInBrowser]: (row?: MailRow) =>
      withMail(settings, row, (account, mail) => settings.pages.open(mail.web_url, account)),
    [commands.mailboxMarkRead]: (row?: MailRow) =>
      withMail(settings, row, (account, mail) => markRead(account, list, mail, true)),
    [commands.mailboxMarkUnread]: (row?: MailRow) =>
      withMail(settings, row, (account, mail) => markRead(account, list, mail, false)),
    [commands.mailboxDelete]: (row?: MailRow) =>
      withMail(settings, row, async (account, mail) => {
        if (!mayWrite(account) || !(await isSureToDelete(account, mail))) return;
        await deleteMail(account.client(), mail.id);
        if (account.isCurrent()) list.remove(mail.id);
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

/** Runs work for an account and shows its failure. */
async function attempt(
  { view }: MailboxCommandSettings,
  account: BoundAccount | undefined,
  work: (account: BoundAccount) => Promise<void>,
): Promise<void> {
  if (account === undefined || view.list.sourceKey() === undefined) return;
  try {
    await work(account);
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    // The mail may have been deleted elsewhere.
    if (failure.kind === 'notFound') view.expire();
    void showFailure(failure);
  }
}

/** Runs work with the mail of a row and the account that received it. Does nothing if neither the row nor the selection is a mail. */
async function withMail(
  settings: MailboxCommandSettings,
  row: MailRow | undefined,
  work: (account: BoundAccount, mail: MailBasic) => Promise<void>,
): Promise<void> {
  const target = row ?? settings.view.selected();
  if (target?.kind !== 'mail') return;
  const account = settings.connection.bound(accountOf(target.id) ?? '');
  // The row may be older than the list.
  const mail = (account.isCurrent() ? settings.view.list.find(target.mail.id) : undefined) ?? target.mail;
  await attempt(settings, account, () => work(account, mail));
}

/** Marks a mail as read that was opened. It stays unread if the account may only read. */
async function markOpened(account: BoundAccount, list: Mailbox, mail: MailBasic): Promise<void> {
  if (account.readOnly() === undefined) await markRead(account, list, mail, true);
}

async function markRead(account: BoundAccount, list: Mailbox, mail: MailBasic, isRead: boolean): Promise<void> {
  if (mail.read === isRead || !mayWrite(account)) return;
  await setMailRead(account.client(), mail.id, isRead);
  if (account.isCurrent()) list.setRead(mail.id, isRead);
}

async function isSureToDelete(account: BoundAccount, { subject }: MailBasic): Promise<boolean> {
  const yes = l10n.t('Delete');
  const question = account.named(l10n.t('Delete the mail “{0}”?', subject));
  const detail = l10n.t('This cannot be undone.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}
