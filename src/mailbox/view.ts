import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { formatOldRows } from '../activity/appearance.ts';
import { formatAge } from '../support/ages.ts';
import type { Badge } from '../activity/badge.ts';
import type { FailureKind } from '../api/failures.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import { type MailBasic, readMailBasic } from '../contract/mail.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { endOf, shownAccountKey } from '../instances/currentAccount.ts';
import { isLocalServer } from '../instances/instances.ts';
import { failureOfState } from '../support/listState.ts';
import type { Log } from '../support/log.ts';
import type { PollOutcome } from '../support/polling.ts';
import { coalesced } from '../ui/coalesced.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { repaintAges } from '../ui/repaintAges.ts';
import { setContext } from '../ui/setContext.ts';
import { moreItem, treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling } from '../ui/viewPolling.ts';
import { setViewTexts } from '../ui/viewTexts.ts';
import { createMailbox, type Mailbox, type MailSource } from './model.ts';
import { countUnread, listMails, type MailFilter, type UnreadCount } from './requests.ts';
import { type MailRow, mailRows } from './rows.ts';

export interface MailboxViewSettings {
  readonly connection: Connection;
  readonly limits: RateLimits;
  /** Fires when a mail has arrived or was read. */
  readonly onDidHappen: vscode.Event<void>;
  readonly log: Log;
}

/** Mailbox view with what its commands share. */
export interface MailboxView extends vscode.Disposable {
  readonly list: Mailbox;
  readonly filter: () => MailFilter;
  readonly setFilter: (filter: MailFilter) => void;
  readonly refresh: () => Promise<void>;
  /** Marks the list as outdated; a visible list is reloaded immediately. */
  readonly expire: () => void;
  readonly selected: () => MailRow | undefined;
  readonly withProgressBar: (work: () => Promise<unknown>) => Promise<void>;
}

/** Delay of the first request in milliseconds, which keeps it out of the start of VS Code. */
const START_DELAY = 1_000;

/** Failures for which the view has a welcome text of its own. */
const OWN_WELCOME: ReadonlySet<FailureKind> = new Set(['signedOut', 'insufficientScope']);

const NO_FILTER: MailFilter = { search: '', isUnreadOnly: false };

/**
 * Creates the Mailbox view: the mails of the signed-in user of the local server. The number of unread mails is requested from the start,
 * the list when the view is visible.
 */
export function createMailboxView({ connection, limits, onDidHappen, log }: MailboxViewSettings): MailboxView {
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
  const visibility = view.onDidChangeVisibility(() => {
    if (view.visible && list.state().kind !== 'ready') polling.expire();
  });
  const polling = createViewPolling({
    view,
    // The unread mails are counted also while the view is hidden, because its badge is on the icon of all views.
    isWatched: () => list.sourceKey() !== undefined && (isStarted || view.visible),
    connection,
    limits,
    load: () => load(list, view.visible, log),
  });

  function update(): void {
    const before = list.sourceKey();
    list.setSource(sourceOf(connection, filter));
    if (list.sourceKey() !== before) polling.restart();
    polling.updateWatching();
    paint();
  }

  const paint = coalesced(() => {
    tree.changed();
    paintView(view, list, filter, endOf(connection.state()));
  });

  list.onDidChange(paint);
  update();
  const starting = setTimeout(() => {
    isStarted = true;
    polling.updateWatching();
  }, START_DELAY);
  const subscriptions = [
    connection.onDidChange(update),
    onDidHappen(polling.expire),
    visibility,
    repaintAges(view, paint),
    { dispose: () => clearTimeout(starting) },
    polling,
    { dispose: () => list.setSource(undefined) },
    view,
    tree,
  ];
  return {
    list,
    filter: () => filter,
    setFilter: (next) => {
      filter = next.search === '' && !next.isUnreadOnly ? NO_FILTER : next;
      update();
    },
    refresh: () => withProgressBar(polling.reload),
    expire: polling.expire,
    selected: () => view.selection[0],
    withProgressBar,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

async function withProgressBar(work: () => Promise<unknown>): Promise<void> {
  await vscode.window.withProgress({ location: { viewId: views.mailbox } }, work);
}

/** Loads the list if it is visible, else only the number of unread mails. */
async function load(list: Mailbox, isVisible: boolean, log: Log): Promise<PollOutcome> {
  // No progress bar for a refresh in the background.
  const isShown = list.state().kind === 'ready';
  const progress = { location: { viewId: views.mailbox } };
  const loadList = isShown ? list.refresh : () => vscode.window.withProgress(progress, list.refresh);
  const failure = await (isVisible ? loadList() : list.count());
  if (failure !== undefined) log.warn(`${views.mailbox}: ${failure.message}`);
  return { ok: failure === undefined, retryAfter: failure?.retryAfter };
}

function sourceOf(connection: Connection, { search, isUnreadOnly }: MailFilter): MailSource | undefined {
  const account = shownAccountKey(connection.state());
  if (account === undefined || !isLocalServer(connection.state().instance)) return undefined;
  const { client } = connection.bound(account);
  return {
    key: `${account}/${isUnreadOnly ? 'unread' : 'all'}/${search}`,
    account,
    first: (signal) => listMails(client(), { search, isUnreadOnly }, signal),
    follow: (link, signal) => client().follow(link, readMailBasic, signal),
    unread: (signal) => countUnread(client(), signal),
  };
}

/** `end` is why the instance has ended the session, if it has. */
function paintView(view: vscode.TreeView<MailRow>, list: Mailbox, filter: MailFilter, end: string | undefined): void {
  const state = list.state();
  const isFiltered = filter !== NO_FILTER;
  const problem = end ?? failureOfState(state)?.message;
  const isOld = state.kind === 'ready' && problem !== undefined;
  setViewTexts(view, {
    description: state.kind === 'ready' ? formatFilter(filter) : (problem ?? formatFilter(filter)),
    message: isOld ? formatOldRows(formatAge(Date.now() - state.at, vscode.env.language), problem) : '',
  });
  const badge = mailBadge(list.unread());
  if (view.badge?.value !== badge?.value || view.badge?.tooltip !== badge?.tooltip) view.badge = badge;
  const isEmpty = state.kind === 'ready' && state.mails.length === 0;
  const shown = state.kind === 'failed' && OWN_WELCOME.has(state.failure.kind) ? state.failure.kind : state.kind;
  setContext(contextKeys.mailboxState, isEmpty ? (isFiltered ? 'emptyFiltered' : 'empty') : shown);
  setContext(contextKeys.mailboxIsFiltered, isFiltered);
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
  switch (row.kind) {
    case 'day': {
      const item = new vscode.TreeItem(row.label, vscode.TreeItemCollapsibleState.Expanded);
      item.id = row.id;
      item.contextValue = 'day';
      const count = row.rows.length;
      const label = count === 1 ? l10n.t('{0}, 1 mail', row.label) : l10n.t('{0}, {1} mails', row.label, count);
      item.accessibilityInformation = { label };
      return item;
    }
    case 'mail': {
      const item = treeItemOf(row, contextOf(row.mail));
      item.command = { command: commands.mailboxOpen, title: l10n.t('Open'), arguments: [row] };
      return item;
    }
    case 'more':
      return moreItem(row, commands.mailboxLoadMore);
  }
}

/** Returns the context value for the `when` clauses of menus, such as `mail.unread.event`. */
function contextOf({ read, notification_event_id: event }: MailBasic): string {
  return `mail.${read ? 'read' : 'unread'}${event === null ? '' : '.event'}`;
}
