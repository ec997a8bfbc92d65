import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accountKeyOf } from '../instances/currentAccount.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { createNotificationApi, type NotificationApi } from './api.ts';
import { notificationsAppearance } from './appearance.ts';
import type { MadeChange } from './changes.ts';
import { createNotificationsModel, type NotificationsModel } from './model.ts';
import { createNotificationPins, type NotificationPins } from './pins.ts';
import { createRequestQueue } from './requestQueue.ts';
import { allProjectsAddress, findRow, type NotificationRow, notificationRows } from './rows.ts';
import { globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { formatLevel, withSource } from './texts.ts';

export interface NotificationsSettings {
  readonly view: LateView<NotificationRow>;
  readonly connection: Connection;
  readonly globalState: vscode.Memento;
  readonly log: Log;
}

/** Notifications view with what its commands share. */
export interface Notifications extends vscode.Disposable {
  readonly model: NotificationsModel;
  readonly pins: NotificationPins;
  readonly view: vscode.TreeView<NotificationRow>;
  /** Returns the key of the signed-in account and its API; offers to sign in and returns undefined if there is none. */
  readonly signedIn: () => Promise<SignedIn | undefined>;
  /** Remembers changes, so that they can be undone together, and shows their result. */
  readonly changed: (account: string, made: readonly MadeChange[]) => void;
  /** Removes and returns the last changes of the account in this window. */
  readonly takeLastChange: (account: string) => readonly MadeChange[] | undefined;
  /** Fires when a checkbox of an event is clicked. */
  readonly onDidTick: vscode.Event<{ readonly row: NotificationRow; readonly isOn: boolean }>;
  /** Paints the rows again, for example after a click on a checkbox that had no effect. */
  readonly repaint: () => void;
  /** Runs the work after that of earlier calls. */
  readonly inOrder: (work: () => Promise<void>) => Promise<void>;
  readonly withProgress: (work: () => Promise<void>) => Promise<void>;
}

export interface SignedIn {
  readonly account: string;
  readonly api: NotificationApi;
}

/** Milliseconds that the view may be hidden before its rows are loaded again when it is shown. */
const MAX_AGE = 60_000;
/** Changes per account that can be undone. */
const MAX_UNDO = 20;

/** Creates the tree of the Notifications view. */
export function createNotifications(settings: NotificationsSettings): Notifications {
  const { connection, log } = settings;
  const { view } = settings.view;
  const model = createNotificationsModel();
  const pins = createNotificationPins(settings.globalState);
  const ticks = new vscode.EventEmitter<{ readonly row: NotificationRow; readonly isOn: boolean }>();
  const undoable = new Map<string, (readonly MadeChange[])[]>();
  /** Number of clicks without effect. VS Code shows a checkbox as clicked until its row changes. */
  let clicks = 0;

  /** Time when the view was last hidden, in milliseconds since the epoch. */
  let hiddenAt = Number.POSITIVE_INFINITY;

  /** IDs of rows that were expanded. */
  const expanded = new Set<string>();

  const rows = (): readonly NotificationRow[] =>
    notificationRows({ model, noteOf, isExpanded: (id) => expanded.has(id), version: clicks });

  const tree = createLazyTree<NotificationRow>({
    roots: rows,
    children: (row) => {
      if (row.kind === 'scope' && row.scope.kind === 'group')
        model.open(keyOfScope(row.scope), { kind: 'projectsOf', group: row.scope });
      if (row.kind === 'projects') model.open('projects', allProjectsAddress);
      if (row.kind === 'scope' || row.kind === 'events') void model.resolve(row.scope);
      if (expanded.has(row.id)) return row.rows;
      expanded.add(row.id);
      return findRow(rows(), row.id)?.rows ?? row.rows;
    },
    item: itemOf,
    // Rows are requested only while the view is shown. A command alone loads what it needs.
    ready: () => {
      model.begin();
      return undefined;
    },
    hover: async (row, item) => {
      if (row.kind === 'scope') await model.resolve(row.scope);
      return item;
    },
  });

  /** Returns the previous level of a scope if the last change has made it custom. */
  function noteOf(scope: NotificationScope): string | undefined {
    const account = accountKeyOf(connection.state());
    const last = account === undefined ? undefined : undoable.get(account)?.at(-1);
    const made = last?.find((one) => keyOfScope(one.scope) === keyOfScope(scope));
    if (made === undefined || made.after.level !== 'custom' || made.before.level === 'custom') return undefined;
    if (made.before.level !== 'global') return l10n.t('was {0}', formatLevel(made.before.level));
    const above = scope.parents.map((path) => model.setting({ ...scope, kind: 'group', path })?.level);
    const at = above.findIndex((level) => level !== undefined && level !== 'global');
    const path = scope.parents[at];
    const level = above[at];
    if (path !== undefined && level !== undefined)
      return l10n.t('was {0}', withSource(formatLevel(level), { ...scope, kind: 'group', path }));
    const global = model.setting(globalScope);
    return global && l10n.t('was {0}', withSource(formatLevel(global.level), globalScope));
  }

  /** Returns the API of this account. Throws if another account is current, whose token must not be used. */
  function apiOf(owner: string): NotificationApi {
    const client = connection.client();
    if (client === undefined || accountKeyOf(connection.state()) !== owner) throw new vscode.CancellationError();
    return createNotificationApi(client);
  }

  function follow(): void {
    const key = accountKeyOf(connection.state());
    model.setSource(key === undefined ? undefined : { key, api: () => apiOf(key), pins: () => pins.list(key) });
    if (view.visible) model.begin();
    paint();
  }

  const paint = coalesced(() => {
    const appearance = notificationsAppearance(connection.state(), model);
    tree.changed();
    if (view.description !== appearance.description) view.description = appearance.description;
    void vscode.commands.executeCommand('setContext', contextKeys.notificationsState, appearance.state);
    void vscode.commands.executeCommand('setContext', contextKeys.notificationsIsSearching, model.search() !== '');
  });

  function itemOf(row: NotificationRow): vscode.TreeItem {
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const isExpandable = row.kind === 'scope' || row.kind === 'events' || row.kind === 'projects';
    const item = new vscode.TreeItem(row.label, isExpandable ? Collapsed : None);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = row.tooltip;
    if (row.icon !== '')
      item.iconPath = new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color));
    item.accessibilityInformation = { label: row.spoken };
    item.contextValue = contextOf(row);
    if (row.kind === 'event' && row.isTicked !== undefined) {
      const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
      item.checkboxState = {
        state: row.isTicked ? Checked : Unchecked,
        tooltip: row.description,
        accessibilityInformation: { label: row.spoken },
      };
    }
    // Enter and the space bar run the command of a row, and VS Code has no other key for its checkbox.
    if (row.kind === 'event')
      item.command = { command: commands.notificationsToggleEvent, title: l10n.t('Switch On or Off'), arguments: [row] };
    if (row.kind === 'more')
      item.command = { command: commands.notificationsLoadMore, title: l10n.t('Load more'), arguments: [row] };
    return item;
  }

  model.onDidChange(paint);
  follow();
  settings.view.provide(tree);
  const subscriptions = [
    connection.onDidChange(follow),
    view.onDidChangeVisibility(({ visible }) => {
      if (!visible) hiddenAt = Date.now();
      else if (Date.now() - hiddenAt > MAX_AGE) void model.refresh();
      else model.begin();
    }),
    view.onDidChangeCheckboxState(({ items }) => {
      for (const [row, state] of items) ticks.fire({ row, isOn: state === vscode.TreeItemCheckboxState.Checked });
    }),
    { dispose: () => model.setSource(undefined) },
    ticks,
    tree,
  ];
  return {
    model,
    pins,
    view,
    signedIn: async () => {
      const account = accountKeyOf(connection.state());
      if (account !== undefined && connection.client() !== undefined) return { account, api: apiOf(account) };
      await vscode.commands.executeCommand(commands.signIn);
      return undefined;
    },
    changed: (account, made) => {
      if (made.length > 0) undoable.set(account, [...(undoable.get(account) ?? []), made].slice(-MAX_UNDO));
      if (accountKeyOf(connection.state()) !== account) return;
      for (const { scope, after } of made) model.put(scope, after);
      log.debug(`notifications: ${made.length} settings changed`);
    },
    takeLastChange: (account) => undoable.get(account)?.pop(),
    onDidTick: ticks.event,
    repaint: () => {
      clicks += 1;
      tree.changed();
    },
    inOrder: createRequestQueue(1).add,
    withProgress: async (work) => {
      await vscode.window.withProgress({ location: { viewId: views.notifications } }, work);
    },
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function contextOf(row: NotificationRow): string {
  switch (row.kind) {
    case 'scope':
      return `notification.${row.scope.kind}${row.scope.kind === 'global' ? '' : row.isPinned ? '.pinned' : '.unpinned'}`;
    case 'event':
      return row.isSet ? 'notificationEvent.set' : 'notificationEvent';
    case 'events':
    case 'more':
    case 'projects':
    case 'text':
      return row.kind === 'events' ? 'notificationEvents' : row.kind;
  }
}
