import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import { createClientKeyList, type ClientKeySource } from '../clientKeys/list.ts';
import { listClientKeys } from '../clientKeys/model.ts';
import { clientKeysRow } from '../clientKeys/rows.ts';
import { commands, contextKeys, views } from '../ids.ts';
import { clientOfAccount } from '../instances/clientOfAccount.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import { failureOfState } from '../support/listState.ts';
import type { Log } from '../support/log.ts';
import type { PollOutcome } from '../support/polling.ts';
import { sleep } from '../support/sleep.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { repaintEveryMinute } from '../ui/repaintEveryMinute.ts';
import { setContext } from '../ui/setContext.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling } from '../ui/viewPolling.ts';
import { setViewTexts } from '../ui/viewTexts.ts';
import { errorAppearance, statusesOf } from './appearance.ts';
import { createErrorList, type ErrorList, type ErrorListSource } from './model.ts';
import { type ErrorRow, errorRows } from './rows.ts';
import { createErrorSelection, type ErrorSelection } from './selection.ts';
import type { ErrorSource } from './source.ts';
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

/** Tracked Errors view with what its commands share. */
export interface TrackedErrors extends vscode.Disposable {
  readonly list: ErrorList;
  readonly selection: ErrorSelection;
  /** Must be called when the selection has changed. */
  readonly update: () => void;
  /** Loads the errors again, and the client keys if they are shown. */
  readonly refresh: () => Promise<void>;
  readonly selected: () => ErrorRow | undefined;
  readonly withProgressBar: (work: () => Promise<void>) => Promise<void>;
}

/** Kinds of rows that can be expanded. */
const EXPANDABLE_KINDS: ReadonlySet<ErrorRow['kind']> = new Set(['clientKeys', 'error', 'libraries']);

/** Creates the tree of the Tracked Errors view, which shows the current project. */
export function createTrackedErrors(settings: TrackedErrorsSettings): TrackedErrors {
  const { connection, project, limits, log } = settings;
  const { view } = settings.view;
  const list = createErrorList(Date.now);
  const keys = createClientKeyList();
  const selection = createErrorSelection(settings.workspaceState);
  const sourcesOf = createErrorSources(sleep);
  const moment = (): { now: number; locale: string } => ({ now: Date.now(), locale: vscode.env.language });
  const tree = createLazyTree<ErrorRow>({
    roots: () => {
      const current = project.get();
      const keysRow = current && clientKeysRow(keyOfProject(connection, current) ?? '', current, keys.state());
      return errorRows(list.state(), { prefix: list.sourceKey() ?? '', frames: list.frames, keys: keysRow, ...moment() });
    },
    children: (row) => {
      // Stacks and keys are loaded when their row is expanded, by the user or by VS Code after a reload.
      if (row.kind === 'error') list.open(row.errorId);
      if (row.kind === 'clientKeys') keys.open();
      return row.rows;
    },
    item: (row) => itemOf(row, canChangeStatus(list)),
    hover: async (_, item) => item,
  });
  const polling = createViewPolling({
    view,
    isWatched: () => view.visible && list.sourceKey() !== undefined,
    limits: { connection, limits },
    load: () => loadList(list),
  });

  function update(): void {
    const before = list.sourceKey();
    list.setSource(sourceOf(connection, project.get(), selection, sourcesOf));
    keys.setSource(keySourceOf(connection, project.get(), settings.addresses));
    polling.updateWatching();
    if (list.sourceKey() !== before) polling.restart();
    paint();
  }

  const paint = coalesced(() => {
    const subject = { project: project.get()?.path, status: selection.status(), order: selection.order() };
    const { state, description, message } = errorAppearance(connection.state(), list.state(), subject, moment());
    tree.changed();
    setViewTexts(view, { description, message });
    setContext(contextKeys.errorTrackingState, state);
  });

  list.onDidChange(() => {
    const failure = failureOfState(list.state());
    if (failure !== undefined) log.warn(`${views.errorTracking}: ${failure.message}`);
    paint();
  });
  keys.onDidChange(() => {
    const state = keys.state();
    if (state?.kind === 'failed') log.warn(`${views.errorTracking}: ${state.failure.message}`);
    tree.changed();
  });
  update();
  settings.view.provide(tree);
  const subscriptions = [
    connection.onDidChange(update),
    project.onDidChange(update),
    settings.onDidHappen(polling.expire),
    repaintEveryMinute(view, paint),
    polling,
    { dispose: () => list.setSource(undefined) },
    { dispose: () => keys.setSource(undefined) },
    tree,
  ];
  return {
    list,
    selection,
    update,
    refresh: () =>
      withProgressBar(async () => {
        await Promise.all([polling.loadNow(), keys.refresh()]);
      }),
    selected: () => view.selection[0],
    withProgressBar,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

async function withProgressBar(work: () => Promise<void>): Promise<void> {
  await vscode.window.withProgress({ location: { viewId: views.errorTracking } }, work);
}

async function loadList(list: ErrorList): Promise<PollOutcome> {
  // No progress bar for a refresh in the background.
  await (list.state().kind === 'ready' ? list.refresh() : withProgressBar(list.refresh));
  const failure = failureOfState(list.state());
  return { ok: failure === undefined, retryAfter: failure?.retryAfter };
}

/** Returns the key of the lists of a project, or undefined if the user is signed out. */
function keyOfProject(connection: Connection, { path }: ChosenProject): string | undefined {
  const account = accountKeyOf(connection.state());
  return account === undefined ? undefined : `${account}/${path}`;
}

function sourceOf(
  connection: Connection,
  project: ChosenProject | undefined,
  selection: ErrorSelection,
  sourcesOf: ReturnType<typeof createErrorSources>,
): ErrorListSource | undefined {
  const account = accountKeyOf(connection.state());
  if (account === undefined || project === undefined) return undefined;
  const query = { order: selection.order(), statuses: statusesOf(selection.status()) };
  const { id = project.path, path } = project;
  return {
    key: `${keyOfProject(connection, project)}/${query.order}/${selection.status()}`,
    query,
    source: (): ErrorSource => sourcesOf(clientOfAccount(connection, account), { id, path }),
  };
}

function keySourceOf(
  connection: Connection,
  project: ChosenProject | undefined,
  addresses: Addresses,
): ClientKeySource | undefined {
  const account = accountKeyOf(connection.state());
  if (account === undefined || project === undefined) return undefined;
  // A DSN contains the address, which can change for the local server.
  const address = addresses(connection.state().instance.key) ?? '';
  return {
    key: `${address} ${keyOfProject(connection, project)}`,
    read: (signal) => listClientKeys(clientOfAccount(connection, account), project.id ?? project.path, signal),
  };
}

function canChangeStatus(list: ErrorList): boolean {
  const state = list.state();
  return state.kind === 'ready' && state.abilities.changesStatus;
}

function itemOf(row: ErrorRow, canChange: boolean): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const context = row.kind === 'error' ? `trackedError.${row.status}${canChange ? '.changeable' : ''}` : row.kind;
  const item = treeItemOf(row, context, EXPANDABLE_KINDS.has(row.kind) ? Collapsed : None);
  if (row.kind === 'frame')
    item.command = { command: commands.errorTrackingOpenFrame, title: l10n.t('Open Stack Frame'), arguments: [row] };
  if (row.kind === 'more')
    item.command = { command: commands.errorTrackingLoadMore, title: l10n.t('Load more'), arguments: [row] };
  return item;
}
