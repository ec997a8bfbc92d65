import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accountKeyOf } from '../activity/accountKey.ts';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { createPolling } from '../support/polling.ts';
import { ApiFailure } from '../api/failures.ts';
import { createClientKeyList, type ClientKeySource } from '../clientKeys/list.ts';
import { listClientKeys } from '../clientKeys/model.ts';
import { clientKeysRow } from '../clientKeys/rows.ts';
import type { Client } from '../api/client.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import type { ErrorStatus } from '../contract/trackedErrors.ts';
import { commands, contextKeys, settings as settingIds, views } from '../ids.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { browserUrl } from '../support/markdown.ts';
import { settingOf } from '../support/settings.ts';
import { sleep } from '../support/sleep.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { errorAppearance, formatOrder, STATUS_CHOICES, type StatusChoice, formatStatusChoice, statusesOf } from './appearance.ts';
import { createErrorList, type ErrorListSource } from './model.ts';
import { openFrame } from './openFrame.ts';
import { type ErrorRow, errorRows } from './rows.ts';
import { ERROR_ORDERS, type ErrorOrder } from './source.ts';
import { createErrorSources } from './sources.ts';

export interface TrackedErrorsSettings {
  readonly view: LateView<ErrorRow>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly addresses: Addresses;
  readonly limits: RateLimits;
  /** Fires when errors may have occurred. */
  readonly onDidHappen: vscode.Event<void>;
  readonly workspaceState: vscode.Memento;
  readonly log: Log;
}

const MINUTE = 60_000;
/** Shortest polling interval in seconds. */
const MIN_POLL = 15;
const ORDER_KEY = 'errorTracking.order';
const STATUS_KEY = 'errorTracking.status';

/** Kinds of rows that can be expanded. */
const EXPANDABLE_KINDS: ReadonlySet<ErrorRow['kind']> = new Set(['clientKeys', 'error', 'libraries']);

export interface TrackedErrors extends vscode.Disposable {
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  readonly pickOrder: () => Promise<void>;
  readonly pickStatus: () => Promise<void>;
  /** Without a row, this and the following methods use the selected row. */
  readonly openInBrowser: (row: ErrorRow | undefined) => Promise<void>;
  readonly changeStatus: (row: ErrorRow | undefined, next: ErrorStatus) => Promise<void>;
  readonly openFrame: (row: ErrorRow | undefined) => Promise<void>;
}

/** Commands of the Tracked Errors view. The view is created when the first command runs. */
export function trackedErrorCommands(view: () => TrackedErrors) {
  return {
    [commands.errorTrackingRefresh]: () => view().refresh(),
    [commands.errorTrackingLoadMore]: () => view().loadMore(),
    [commands.errorTrackingSort]: () => view().pickOrder(),
    [commands.errorTrackingFilterStatus]: () => view().pickStatus(),
    [commands.errorTrackingOpenInBrowser]: (row?: ErrorRow) => view().openInBrowser(row),
    [commands.errorTrackingResolve]: (row?: ErrorRow) => view().changeStatus(row, 'resolved'),
    [commands.errorTrackingIgnore]: (row?: ErrorRow) => view().changeStatus(row, 'ignored'),
    [commands.errorTrackingReopen]: (row?: ErrorRow) => view().changeStatus(row, 'unresolved'),
    [commands.errorTrackingOpenFrame]: (row?: ErrorRow) => view().openFrame(row),
  };
}

/** Creates the tree of the Tracked Errors view, which shows the current project. */
export function createTrackedErrors(settings: TrackedErrorsSettings): TrackedErrors {
  const { connection, project, addresses, limits, workspaceState, log } = settings;
  const list = createErrorList(Date.now);
  const keys = createClientKeyList();
  const sourcesOf = createErrorSources(sleep);
  const tree = createLazyTree<ErrorRow>({
    roots: () => {
      const moment = { now: Date.now(), locale: vscode.env.language };
      const prefix = list.sourceKey() ?? '';
      const current = project.get();
      const keysRow = current && clientKeysRow(keyOf(current) ?? '', current, keys.state());
      return errorRows(list.state(), { prefix, frames: list.frames, keys: keysRow, ...moment });
    },
    children: (row) => {
      // Stacks and keys are loaded when their row is expanded, by the user or by VS Code after a reload.
      if (row.kind === 'error') list.open(row.errorId);
      if (row.kind === 'clientKeys') keys.open();
      return row.rows;
    },
    item: itemOf,
    hover: async (_, item) => item,
  });
  const { view } = settings.view;
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

  const order = (): ErrorOrder => ERROR_ORDERS.find((one) => one === workspaceState.get(ORDER_KEY)) ?? 'last_seen';
  const status = (): StatusChoice => STATUS_CHOICES.find((one) => one === workspaceState.get(STATUS_KEY)) ?? 'unresolved';

  async function load(): Promise<{ readonly ok: boolean; readonly retryAfter: number | undefined }> {
    // No progress bar for a refresh in the background.
    await (list.state().kind === 'ready' ? list.refresh() : withProgressBar(list.refresh));
    const state = list.state();
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
    return { ok: failure === undefined, retryAfter: failure?.retryAfter };
  }

  async function withProgressBar(work: () => Promise<void>): Promise<void> {
    await vscode.window.withProgress({ location: { viewId: views.errorTracking } }, work);
  }

  /** Returns the key of the lists of a project, or undefined if the user is signed out. */
  function keyOf({ path }: ChosenProject): string | undefined {
    const owner = accountKeyOf(connection.state());
    return owner === undefined ? undefined : `${owner}/${path}`;
  }

  /** Returns the client of this account. Throws if another account is current, whose token must not be used. */
  function clientOf(owner: string | undefined): Client {
    const client = connection.client();
    if (client === undefined || accountKeyOf(connection.state()) !== owner) throw new vscode.CancellationError();
    return client;
  }

  function source(): ErrorListSource | undefined {
    const owner = accountKeyOf(connection.state());
    const current = project.get();
    if (owner === undefined || current === undefined) return undefined;
    const query = { order: order(), statuses: statusesOf(status()) };
    return {
      key: `${keyOf(current)}/${query.order}/${status()}`,
      query,
      source: () => sourcesOf(clientOf(owner), { id: current.id ?? current.path, path: current.path }),
    };
  }

  function keySource(): ClientKeySource | undefined {
    const owner = accountKeyOf(connection.state());
    const current = project.get();
    const key = current && keyOf(current);
    if (current === undefined || key === undefined) return undefined;
    // A DSN contains the address, which can change for the local server.
    const address = addresses(connection.state().instance.key) ?? '';
    return { key: `${address} ${key}`, read: (signal) => listClientKeys(clientOf(owner), current.id ?? current.path, signal) };
  }

  function follow(): void {
    const before = list.sourceKey();
    list.setSource(source());
    keys.setSource(keySource());
    look();
    if (list.sourceKey() !== before) polling.restart();
    paint();
  }

  /** Polls only while the view is visible and the window has the focus. */
  function look(): void {
    polling.watch(view.visible && vscode.window.state.focused && list.sourceKey() !== undefined);
  }

  const paint = coalesced(paintNow);

  function paintNow(): void {
    const subject = { project: project.get()?.path, status: status(), order: order() };
    const moment = { now: Date.now(), locale: vscode.env.language };
    const appearance = errorAppearance(connection.state(), list.state(), subject, moment);
    tree.changed();
    if (view.description !== appearance.description) view.description = appearance.description;
    // A message that is not empty would replace the welcome text.
    if (view.message !== appearance.message) view.message = appearance.message;
    void vscode.commands.executeCommand('setContext', contextKeys.errorTrackingState, appearance.state);
  }

  function itemOf(row: ErrorRow): vscode.TreeItem {
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, EXPANDABLE_KINDS.has(row.kind) ? Collapsed : None);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = row.tooltip;
    item.iconPath = new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color));
    item.accessibilityInformation = { label: row.spoken };
    item.contextValue = contextOf(row);
    if (row.kind === 'frame')
      item.command = { command: commands.errorTrackingOpenFrame, title: l10n.t('Open Stack Frame'), arguments: [row] };
    if (row.kind === 'more')
      item.command = { command: commands.errorTrackingLoadMore, title: l10n.t('Load more'), arguments: [row] };
    return item;
  }

  function contextOf(row: ErrorRow): string {
    if (row.kind !== 'error') return row.kind;
    const state = list.state();
    const canChange = state.kind === 'ready' && state.abilities.changesStatus;
    return `trackedError.${row.status}${canChange ? '.changeable' : ''}`;
  }

  async function pickOrder(): Promise<void> {
    const title = l10n.t('Sort Errors');
    const items = ERROR_ORDERS.map((one) => ({ one, label: formatOrder(one), picked: one === order() }));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select how to sort the errors') });
    if (picked === undefined) return;
    await workspaceState.update(ORDER_KEY, picked.one);
    follow();
  }

  async function pickStatus(): Promise<void> {
    const state = list.state();
    if (state.kind === 'ready' && !state.abilities.listsByStatus) {
      const browser = l10n.t('Open in Browser');
      const text = l10n.t('This instance lists only unresolved errors. Open it in the browser to see the others.');
      if ((await vscode.window.showInformationMessage(text, browser)) === browser) await openInBrowser(undefined);
      return;
    }
    const title = l10n.t('Filter Errors by Status');
    const items = STATUS_CHOICES.map((one) => ({ one, label: formatStatusChoice(one), picked: one === status() }));
    const picked = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: l10n.t('Select the status of the errors to list'),
    });
    if (picked === undefined) return;
    await workspaceState.update(STATUS_KEY, picked.one);
    follow();
  }

  /** Opens the page of an error, or the list of all errors. */
  async function openInBrowser(row: ErrorRow | undefined): Promise<void> {
    const target = row ?? view.selection[0];
    const address = addresses(connection.state().instance.key);
    const current = project.get();
    if (address === undefined || current === undefined) return;
    const all = `${address}/${current.path.split('/').map(encodeURIComponent).join('/')}/-/error_tracking`;
    const page = browserUrl(target?.kind === 'error' ? `${all}/${encodeURIComponent(target.errorId)}/details` : all);
    if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page, true));
  }

  async function changeStatus(row: ErrorRow | undefined, next: ErrorStatus): Promise<void> {
    const target = row ?? view.selection[0];
    if (target?.kind !== 'error') return;
    try {
      await withProgressBar(() => list.changeStatus(target.errorId, next));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const text =
        error.kind === 'forbidden'
          ? l10n.t('You need at least the Developer role to change the status of errors.')
          : error.message;
      void vscode.window.showErrorMessage(text);
    }
  }

  list.onDidChange(() => {
    const state = list.state();
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
    if (failure !== undefined) log.warn(`${views.errorTracking}: ${failure.message}`);
    paint();
  });
  keys.onDidChange(() => {
    const state = keys.state();
    if (state?.kind === 'failed') log.warn(`${views.errorTracking}: ${state.failure.message}`);
    tree.changed();
  });
  follow();
  settings.view.provide(tree);
  // Relative times must be updated regularly.
  const ageing = setInterval(() => {
    if (view.visible && vscode.window.state.focused) paint();
  }, MINUTE);

  const subscriptions = [
    connection.onDidChange(follow),
    project.onDidChange(follow),
    settings.onDidHappen(polling.expire),
    limits.onDidChange(polling.replan),
    view.onDidChangeVisibility(look),
    vscode.window.onDidChangeWindowState(look),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) polling.replan();
    }),
    { dispose: () => clearInterval(ageing) },
    { dispose: polling.dispose },
    { dispose: () => list.setSource(undefined) },
    { dispose: () => keys.setSource(undefined) },
    tree,
  ];
  return {
    refresh: () =>
      withProgressBar(async () => {
        await Promise.all([polling.loadNow(), keys.refresh()]);
      }),
    loadMore: () => withProgressBar(list.loadMore),
    pickOrder,
    pickStatus,
    openInBrowser,
    changeStatus,
    openFrame: async (row) => {
      const target = row ?? view.selection[0];
      if (target?.kind === 'frame') await openFrame(target.frame);
    },
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
