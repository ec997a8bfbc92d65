import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accountKeyOf, shownAccountKey } from '../instances/currentAccount.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { repaintAges } from '../ui/repaintAges.ts';
import { setContext } from '../ui/setContext.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { setViewTexts } from '../ui/viewTexts.ts';
import { notificationsAppearance } from './appearance.ts';
import type { MadeChange } from './changes.ts';
import { createNotificationsModel, type NotificationsModel } from './model.ts';
import { createNotificationPins, type NotificationPins } from './pins.ts';
import { createRequestQueue } from './requestQueue.ts';
import { allProjectsAddress, findRow, type NotificationRow, notificationRows } from './rows.ts';
import { keyOfScope } from './scopes.ts';
import { createSignedIn, type SignedInAccounts, sourceOf } from './signedIn.ts';
import { createUndoableChanges, previousLevel } from './undoableChanges.ts';

export interface NotificationsSettings {
  readonly view: LateView<NotificationRow>;
  readonly connection: Connection;
  readonly globalState: vscode.Memento;
  readonly workspaceState: vscode.Memento;
  readonly log: Log;
}

/** Notifications view with what its commands share. */
export interface Notifications extends vscode.Disposable, SignedInAccounts {
  readonly model: NotificationsModel;
  readonly pins: NotificationPins;
  readonly view: vscode.TreeView<NotificationRow>;
  /** Remembers changes, so that they can be undone together, and shows their result. */
  readonly changed: (account: string, made: readonly MadeChange[]) => void;
  /** Removes and returns the last changes of the account in this workspace. */
  readonly takeLastChange: (account: string) => readonly MadeChange[] | undefined;
  /** Fires when a checkbox of an event is clicked. */
  readonly onDidTick: vscode.Event<{ readonly row: NotificationRow; readonly isOn: boolean }>;
  /** Paints the rows again, for example after a click on a checkbox that had no effect. */
  readonly repaint: () => void;
  /** Runs the work after that of earlier calls. */
  readonly inOrder: (work: () => Promise<void>) => Promise<void>;
  readonly withProgress: (work: () => Promise<void>) => Promise<void>;
}

/** Milliseconds that the view may be hidden before its rows are loaded again when it is shown. */
const MAX_AGE = 60_000;

/** Creates the tree of the Notifications view. */
export function createNotifications(settings: NotificationsSettings): Notifications {
  const { connection, log } = settings;
  const { view } = settings.view;
  const model = createNotificationsModel();
  const pins = createNotificationPins(settings.globalState);
  const ticks = new vscode.EventEmitter<{ readonly row: NotificationRow; readonly isOn: boolean }>();
  const undoable = createUndoableChanges(settings.workspaceState);
  /** Number of clicks without effect. VS Code shows a checkbox as clicked until its row changes. */
  let clicks = 0;

  /** Time when the view was last hidden, in milliseconds since the epoch. */
  let hiddenAt = Number.POSITIVE_INFINITY;

  /** IDs of rows that were expanded. */
  const expanded = new Set<string>();

  const lastChange = (): readonly MadeChange[] | undefined => {
    const account = accountKeyOf(connection.state());
    return account === undefined ? undefined : undoable.last(account);
  };
  const rows = (): readonly NotificationRow[] =>
    notificationRows({
      model,
      noteOf: (scope) => previousLevel(model, lastChange(), scope),
      isExpanded: (id) => expanded.has(id),
      version: clicks,
      readOnly: readOnlyReason(connection, model.sourceKey()),
    });

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

  function follow(): void {
    const key = shownAccountKey(connection.state());
    model.setSource(key === undefined ? undefined : sourceOf(connection.bound(key), pins));
    if (view.visible) load();
    paint();
  }

  /** Loads the rows unless they are loaded, and those of an ended session again after the sign-in. */
  function load(): void {
    if (model.failure()?.kind === 'signedOut' && accountKeyOf(connection.state()) !== undefined) void model.refresh();
    else model.begin();
  }

  const paint = coalesced(() => {
    tree.changed();
    paintTexts(view, connection, model);
  });

  model.onDidChange(paint);
  follow();
  settings.view.provide(tree);
  const subscriptions = [
    connection.onDidChange(follow),
    connection.onDidReturn(() => {
      if (view.visible && model.failure() !== undefined) void model.refresh();
    }),
    view.onDidChangeVisibility(({ visible }) => {
      if (!visible) hiddenAt = Date.now();
      else if (Date.now() - hiddenAt > MAX_AGE || model.failure()?.kind === 'insufficientScope') void model.refresh();
      else load();
    }),
    view.onDidChangeCheckboxState(({ items }) => {
      for (const [row, state] of items) ticks.fire({ row, isOn: state === vscode.TreeItemCheckboxState.Checked });
    }),
    repaintAges(view, paint),
    { dispose: () => model.setSource(undefined) },
    ticks,
    tree,
  ];
  return {
    model,
    pins,
    view,
    ...createSignedIn({ connection, model, pins }),
    changed: (account, made) => {
      undoable.add(account, made);
      if (accountKeyOf(connection.state()) !== account) return;
      for (const { scope, after } of made) model.put(scope, after);
      log.debug(`notifications: ${made.length} settings changed`);
    },
    takeLastChange: undoable.takeLast,
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

/** Returns why an account may only read; undefined if it may change settings, or without an account. */
function readOnlyReason(connection: Connection, account: string | undefined): string | undefined {
  return account === undefined ? undefined : connection.bound(account).readOnly()?.message;
}

function paintTexts(view: vscode.TreeView<NotificationRow>, connection: Connection, model: NotificationsModel): void {
  const moment = { now: Date.now(), locale: vscode.env.language };
  const { state, description, message } = notificationsAppearance(connection.state(), model, moment);
  setViewTexts(view, { description, message });
  setContext(contextKeys.notificationsState, state);
  setContext(contextKeys.notificationsIsSearching, model.search() !== '');
}

function itemOf(row: NotificationRow): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const isExpandable = row.kind === 'scope' || row.kind === 'events' || row.kind === 'projects';
  const item = treeItemOf(row, contextOf(row), isExpandable ? Collapsed : None);
  if (row.kind === 'event' && row.isTicked !== undefined && !row.isReadOnly) {
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
