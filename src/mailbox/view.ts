import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accountKeyOf } from '../activity/accountKey.ts';
import type { Badge } from '../activity/badge.ts';
import type { Documents, OpenedTarget } from '../activity/documents.ts';
import { createPolling, type PollOutcome } from '../support/polling.ts';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import { type MailBasic, readMailBasic } from '../contract/mail.ts';
import { commands, contextKeys, settings as settingIds, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { browserUrl } from '../support/markdown.ts';
import { settingOf } from '../support/settings.ts';
import { coalesced } from '../ui/coalesced.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { mailText } from './mailText.ts';
import { createMailbox, type MailSource } from './model.ts';
import {
  countUnread,
  deleteMail,
  getMail,
  getMailSource,
  listMails,
  type MailFilter,
  markAllMailsRead,
  setMailRead,
  type UnreadCount,
} from './requests.ts';
import { type MailRow, mailRows } from './rows.ts';

export interface MailboxViewSettings {
  readonly connection: Connection;
  readonly documents: Documents;
  readonly limits: RateLimits;
  /** Fires when a mail has arrived or was read. */
  readonly onDidHappen: vscode.Event<void>;
  readonly log: Log;
}

export interface MailboxView extends vscode.Disposable {
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  readonly search: () => Promise<void>;
  readonly showUnread: () => void;
  readonly clearFilter: () => void;
  readonly markAllRead: () => Promise<void>;
  /** Opens what the mail is about, else the mail itself. Without a row, this and the following methods use the selected row. */
  readonly open: (row: MailRow | undefined) => Promise<void>;
  readonly showMessage: (row: MailRow | undefined) => Promise<void>;
  readonly showSource: (row: MailRow | undefined) => Promise<void>;
  readonly openInBrowser: (row: MailRow | undefined) => Promise<void>;
  readonly setRead: (row: MailRow | undefined, isRead: boolean) => Promise<void>;
  readonly remove: (row: MailRow | undefined) => Promise<void>;
  readonly selected: () => MailRow | undefined;
}

const MINUTE = 60_000;
/** Shortest polling interval in seconds. */
const MIN_POLL = 15;
/** Delay of the first request in milliseconds, which keeps it out of the start of VS Code. */
const START_DELAY = 1_000;

/** Kinds of the documents. */
const MESSAGE = 'mail';
const SOURCE = 'mailSource';

const NO_FILTER: MailFilter = { search: '', isUnreadOnly: false };

/** Creates the commands of the Mailbox view. */
export function mailboxCommands(view: MailboxView) {
  return {
    [commands.mailboxRefresh]: () => view.refresh(),
    [commands.mailboxLoadMore]: () => view.loadMore(),
    [commands.mailboxSearch]: () => view.search(),
    [commands.mailboxShowUnread]: () => view.showUnread(),
    [commands.mailboxClearFilter]: () => view.clearFilter(),
    [commands.mailboxMarkAllRead]: () => view.markAllRead(),
    [commands.mailboxOpen]: (row?: MailRow) => view.open(row),
    [commands.mailboxShowMessage]: (row?: MailRow) => view.showMessage(row),
    [commands.mailboxShowSource]: (row?: MailRow) => view.showSource(row),
    [commands.mailboxOpenInBrowser]: (row?: MailRow) => view.openInBrowser(row),
    [commands.mailboxMarkRead]: (row?: MailRow) => view.setRead(row, true),
    [commands.mailboxMarkUnread]: (row?: MailRow) => view.setRead(row, false),
    [commands.mailboxDelete]: (row?: MailRow) => view.remove(row),
  };
}

/**
 * Creates the Mailbox view: the mails of the signed-in user of the local server. The number of unread mails is requested from the start,
 * the list when the view is visible.
 */
export function createMailboxView(settings: MailboxViewSettings): MailboxView {
  const { connection, documents, limits, log } = settings;
  const list = createMailbox();
  let filter = NO_FILTER;
  let isStarted = false;
  const tree = createLazyTree<MailRow>({
    roots: () => mailRows(list.state(), list.sourceKey() ?? '', new Date(), vscode.env.language),
    children: (row) => (row.kind === 'day' ? row.rows : []),
    item: itemOf,
    hover: async (_, item) => item,
  });
  const view = vscode.window.createTreeView<MailRow>(views.mailbox, { treeDataProvider: tree, showCollapseAll: true });
  const polling = createPolling({
    now: Date.now,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    interval: () => {
      const seconds: unknown = settingOf(settingIds.activityPollSeconds);
      return typeof seconds === 'number' && seconds > 0 ? Math.max(seconds, MIN_POLL) * 1000 : 0;
    },
    notBefore: () => {
      const account = accountKeyOf(connection.state());
      return account === undefined ? 0 : limits.notBefore(account);
    },
    load,
  });
  const paint = coalesced(paintNow);

  async function load(): Promise<PollOutcome> {
    const isShown = list.state().kind === 'ready';
    const failure = await (view.visible ? (isShown ? list.refresh() : withProgressBar(list.refresh)) : list.count());
    if (failure !== undefined) log.warn(`${views.mailbox}: ${failure.message}`);
    return { ok: failure === undefined, retryAfter: failure?.retryAfter };
  }

  async function withProgressBar<T>(work: () => Promise<T>): Promise<T> {
    return vscode.window.withProgress({ location: { viewId: views.mailbox } }, work);
  }

  /** Returns the client of this account. Throws if another account is current, whose token must not be used. */
  function clientOf(account: string): Client {
    const client = connection.client();
    if (client === undefined || accountKeyOf(connection.state()) !== account) throw new vscode.CancellationError();
    return client;
  }

  function source(): MailSource | undefined {
    const account = accountKeyOf(connection.state());
    if (account === undefined || connection.state().instance.kind !== 'local') return undefined;
    const { search, isUnreadOnly } = filter;
    return {
      key: `${account}/${isUnreadOnly ? 'unread' : 'all'}/${search}`,
      account,
      first: (signal) => listMails(clientOf(account), { search, isUnreadOnly }, signal),
      follow: (link, signal) => clientOf(account).follow(link, readMailBasic, signal),
      unread: (signal) => countUnread(clientOf(account), signal),
    };
  }

  function update(): void {
    const before = list.sourceKey();
    list.setSource(source());
    if (list.sourceKey() !== before) polling.restart();
    updateWatching();
    paint();
  }

  /** The unread mails are counted also while the view is hidden, because its badge is on the icon of all views. */
  function updateWatching(): void {
    polling.watch(vscode.window.state.focused && list.sourceKey() !== undefined && (isStarted || view.visible));
  }

  function paintNow(): void {
    const state = list.state();
    tree.changed();
    const isFiltered = filter !== NO_FILTER;
    const description = state.kind === 'failed' ? state.failure.message : formatFilter(filter);
    if (view.description !== description) view.description = description;
    const problem = state.kind === 'ready' ? state.problem : undefined;
    // A message that is not empty hides the welcome text.
    const message = problem?.message ?? '';
    if (view.message !== message) view.message = message;
    const badge = mailBadge(list.unread());
    if (view.badge?.value !== badge?.value || view.badge?.tooltip !== badge?.tooltip) view.badge = badge;
    const isEmpty = state.kind === 'ready' && state.mails.length === 0;
    const shown = isEmpty ? (isFiltered ? 'emptyFiltered' : 'empty') : state.kind;
    void vscode.commands.executeCommand('setContext', contextKeys.mailboxState, shown);
    void vscode.commands.executeCommand('setContext', contextKeys.mailboxIsFiltered, isFiltered);
  }

  function setFilter(next: MailFilter): void {
    filter = next.search === '' && !next.isUnreadOnly ? NO_FILTER : next;
    update();
  }

  function mailOf(row: MailRow | undefined): MailBasic | undefined {
    const target = row ?? view.selection[0];
    return target?.kind === 'mail' ? target.mail : undefined;
  }

  /** Runs work for the account of the mailbox and shows its failure. */
  async function attempt(work: (client: Client) => Promise<void>): Promise<void> {
    const client = connection.client();
    if (client === undefined || list.sourceKey() === undefined) return;
    try {
      await work(client);
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      // The mail may have been deleted elsewhere.
      if (failure.kind === 'notFound') polling.expire();
      void vscode.window.showErrorMessage(failure.message);
    }
  }

  async function markRead(client: Client, mail: MailBasic, isRead: boolean): Promise<void> {
    if (mail.read === isRead) return;
    await setMailRead(client, mail.id, isRead);
    list.setRead(mail.id, isRead);
  }

  async function openMessage(mail: MailBasic): Promise<void> {
    await documents.openOther({ kind: MESSAGE, title: titleOf(mail), parameters: { id: String(mail.id) } });
  }

  async function openTarget(mail: MailBasic): Promise<void> {
    const target = targetOf(mail);
    if (target === undefined) {
      await openMessage(mail);
      return;
    }
    try {
      await documents.openTarget(target);
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      // It was deleted or is hidden now; the mail can still be read.
      if (failure.kind !== 'notFound' && failure.kind !== 'forbidden') throw error;
      await openMessage(mail);
    }
  }

  documents.add(MESSAGE, async (client, parameters) => {
    const mail = await getMail(client, Number(parameters.get('id')));
    return { text: mailText(mail, vscode.env.language), page: mail.web_url };
  });
  documents.add(SOURCE, async (client, parameters) => ({
    text: (await getMailSource(client, Number(parameters.get('id')))).replace(/\r\n/g, '\n'),
  }));
  list.onDidChange(paint);
  update();
  const starting = setTimeout(() => {
    isStarted = true;
    updateWatching();
  }, START_DELAY);
  // Day names change over time.
  const dayTimer = setInterval(() => {
    if (view.visible && vscode.window.state.focused) paint();
  }, MINUTE);
  const subscriptions = [
    connection.onDidChange(update),
    settings.onDidHappen(polling.expire),
    view.onDidChangeVisibility(() => {
      if (view.visible && list.state().kind !== 'ready') polling.expire();
      updateWatching();
    }),
    vscode.window.onDidChangeWindowState(updateWatching),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) polling.replan();
    }),
    view,
    tree,
  ];

  return {
    refresh: async () => {
      await withProgressBar(polling.loadNow);
    },
    loadMore: async () => {
      await withProgressBar(list.loadMore);
    },
    search: async () => {
      const value = await vscode.window.showInputBox({
        title: l10n.t('Search Mailbox'),
        prompt: l10n.t('Search subjects, senders and texts. Leave empty to show all mails.'),
        value: filter.search,
      });
      if (value === undefined) return;
      setFilter({ ...filter, search: value.trim() });
      await vscode.commands.executeCommand(`${views.mailbox}.focus`);
    },
    showUnread: () => setFilter({ ...filter, isUnreadOnly: true }),
    clearFilter: () => setFilter(NO_FILTER),
    markAllRead: () =>
      attempt(async (client) => {
        await markAllMailsRead(client);
        list.setAllRead();
      }),
    open: (row) =>
      attempt(async (client) => {
        const mail = mailOf(row);
        if (mail === undefined) return;
        await openTarget(mail);
        await markRead(client, mail, true);
      }),
    showMessage: (row) =>
      attempt(async (client) => {
        const mail = mailOf(row);
        if (mail === undefined) return;
        await openMessage(mail);
        await markRead(client, mail, true);
      }),
    showSource: (row) =>
      attempt(async () => {
        const mail = mailOf(row);
        if (mail === undefined) return;
        await documents.openOther({
          kind: SOURCE,
          title: titleOf(mail),
          extension: 'eml',
          parameters: { id: String(mail.id) },
        });
      }),
    openInBrowser: (row) =>
      attempt(async () => {
        const page = browserUrl(mailOf(row)?.web_url);
        if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page, true));
      }),
    setRead: (row, isRead) =>
      attempt(async (client) => {
        const mail = mailOf(row);
        if (mail !== undefined) await markRead(client, mail, isRead);
      }),
    remove: (row) =>
      attempt(async (client) => {
        const mail = mailOf(row);
        if (mail === undefined) return;
        const yes = l10n.t('Delete');
        const question = l10n.t('Delete the mail “{0}”?', mail.subject);
        const detail = l10n.t('This cannot be undone.');
        if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return;
        await deleteMail(client, mail.id);
        list.remove(mail.id);
      }),
    selected: () => view.selection[0],
    dispose: () => {
      clearTimeout(starting);
      clearInterval(dayTimer);
      polling.dispose();
      list.setSource(undefined);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function titleOf({ subject }: MailBasic): string {
  return subject === '' ? l10n.t('(no subject)') : subject;
}

/** Returns the issue or merge request that a mail is about. */
function targetOf({ about }: MailBasic): OpenedTarget | undefined {
  if (about === null || about.iid === null || about.project_id === null) return undefined;
  const kind = about.type === 'Issue' ? 'issue' : about.type === 'MergeRequest' ? 'mergeRequest' : undefined;
  return kind === undefined ? undefined : { kind, project: about.project_id, iid: about.iid, note: about.note_id ?? undefined };
}

function mailBadge({ count, isMore }: UnreadCount): Badge | undefined {
  if (count === 0) return undefined;
  if (isMore) return { value: count, tooltip: l10n.t('More than {0} unread mails', count) };
  return { value: count, tooltip: count === 1 ? l10n.t('1 unread mail') : l10n.t('{0} unread mails', count) };
}

function formatFilter({ search, isUnreadOnly }: MailFilter): string {
  return [isUnreadOnly ? l10n.t('unread') : '', search === '' ? '' : `“${search}”`].filter(Boolean).join(' · ');
}

function itemOf(row: MailRow): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  switch (row.kind) {
    case 'day': {
      const item = new vscode.TreeItem(row.label, Expanded);
      item.id = row.id;
      item.contextValue = 'day';
      const count = row.rows.length;
      const label = count === 1 ? l10n.t('{0}, 1 mail', row.label) : l10n.t('{0}, {1} mails', row.label, count);
      item.accessibilityInformation = { label };
      return item;
    }
    case 'mail': {
      const item = new vscode.TreeItem(row.label, None);
      item.id = row.id;
      item.description = row.description;
      item.tooltip = row.tooltip;
      item.iconPath = new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color));
      item.contextValue = contextOf(row.mail);
      item.accessibilityInformation = { label: row.spoken };
      item.command = { command: commands.mailboxOpen, title: l10n.t('Open'), arguments: [row] };
      return item;
    }
    case 'more': {
      const item = new vscode.TreeItem(l10n.t('Load more'), None);
      item.id = row.id;
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.contextValue = 'more';
      item.command = { command: commands.mailboxLoadMore, title: l10n.t('Load more'), arguments: [row] };
      return item;
    }
  }
}

/** Returns the context value for the `when` clauses of menus, such as `mail.unread.event`. */
function contextOf({ read, notification_event_id: event }: MailBasic): string {
  return `mail.${read ? 'read' : 'unread'}${event === null ? '' : '.event'}`;
}
