import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import { createClientKeyList, type ClientKeySource } from '../clientKeys/list.ts';
import { listUsedKeys } from '../clientKeys/model.ts';
import { clientKeysRow } from '../clientKeys/rows.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
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
import { errorAppearance, errorBadge } from './appearance.ts';
import { isUsualFilter, queryOfFilter } from './filter.ts';
import { createErrorList, type ErrorList, type ErrorListSource } from './model.ts';
import { createNewErrors } from './newErrors.ts';
import { type ErrorRow, errorRows } from './rows.ts';
import { createErrorSelection, type ErrorSelection } from './selection.ts';
import type { ErrorSource } from './source.ts';
import { createErrorSources, createResourceChoice } from './sources.ts';

export interface TrackedErrorsSettings {
  readonly view: LateView<ErrorRow>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly addresses: Addresses;
  readonly limits: RateLimits;
  /** Fires when errors may have occurred. */
  readonly onDidHappen: vscode.Event<void>;
  readonly workspaceState: vscode.Memento;
  readonly globalState: vscode.Memento;
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
  /** Loads the errors if they were not loaded yet. */
  readonly ensureLoaded: () => Promise<void>;
  readonly selected: () => ErrorRow | undefined;
  /** Must be called when the user has opened an error, which is not new from then on. */
  readonly markOpened: (error: TrackedError) => void;
  /** Marks all errors of the project as read. */
  readonly markAllRead: () => void;
  readonly withProgressBar: <T>(work: () => Promise<T>) => Promise<T>;
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
  const news = createNewErrors(settings.globalState);
  const listOfProject = (): string | undefined => keyOfProject(connection, project.get());
  const isNew = (error: TrackedError): boolean => {
    const key = listOfProject();
    return key !== undefined && news.isNew(key, error);
  };
  const sourcesOf = createErrorSources(createResourceChoice(), sleep);
  const moment = (): { now: number; locale: string } => ({ now: Date.now(), locale: vscode.env.language });
  const tree = createLazyTree<ErrorRow>({
    roots: () => {
      const current = project.get();
      const keysRow = current && clientKeysRow(listOfProject() ?? '', current, keys.state(), moment());
      return errorRows(list.state(), { prefix: list.sourceKey() ?? '', frames: list.frames, isNew, keys: keysRow, ...moment() });
    },
    children: (row) => {
      // Stacks and keys are loaded when their row is expanded, by the user or by VS Code after a reload.
      if (row.kind === 'error') list.open(row.error.id);
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
    const subject = { project: project.get()?.path, filter: selection.filter(), order: selection.order() };
    const { state, description, message } = errorAppearance(connection.state(), list.state(), subject, moment());
    tree.changed();
    setViewTexts(view, { description, message });
    setContext(contextKeys.errorTrackingState, state);
    view.badge = errorBadge(errorsOf(list).filter((error) => error.status === 'unresolved' && isNew(error)).length);
  });

  function markOpened(error: TrackedError): void {
    const key = listOfProject();
    if (key !== undefined) news.markOpened(key, error);
  }

  /** Loads errors that may have occurred: a visible list at once, and a hidden one for the badge, if it was shown before. */
  function load(): void {
    polling.expire();
    if (!view.visible && vscode.window.state.focused && list.state().kind === 'ready') void polling.loadNow();
  }

  list.onDidChange(() => {
    const failure = failureOfState(list.state());
    if (failure !== undefined) log.warn(`${views.errorTracking}: ${failure.message}`);
    const [key, state] = [listOfProject(), list.state()];
    // A filtered list can lack errors that have occurred before.
    if (key !== undefined && state.kind === 'ready' && !state.isDisabled && isUsualFilter(selection.filter()))
      news.begin(key, state.errors);
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
    settings.onDidHappen(load),
    news.onDidChange(paint),
    view.onDidExpandElement(({ element }) => {
      if (element.kind === 'error') markOpened(element.error);
    }),
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
    ensureLoaded: async () => {
      const { kind } = list.state();
      if (kind !== 'ready') await withProgressBar(polling.loadNow);
    },
    selected: () => view.selection[0],
    markOpened,
    markAllRead: () => {
      const key = listOfProject();
      if (key !== undefined) news.markAllRead(key, errorsOf(list));
    },
    withProgressBar,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

async function withProgressBar<T>(work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: { viewId: views.errorTracking } }, work);
}

async function loadList(list: ErrorList): Promise<PollOutcome> {
  // No progress bar for a refresh in the background.
  await (list.state().kind === 'ready' ? list.refresh() : withProgressBar(list.refresh));
  const failure = failureOfState(list.state());
  return { ok: failure === undefined, retryAfter: failure?.retryAfter };
}

/** Returns the key of the lists of a project, or undefined if the user is signed out. */
function keyOfProject(connection: Connection, project: ChosenProject | undefined): string | undefined {
  const account = accountKeyOf(connection.state());
  return account === undefined || project === undefined ? undefined : `${account}/${project.path}`;
}

function errorsOf(list: ErrorList): readonly TrackedError[] {
  const state = list.state();
  return state.kind === 'ready' ? state.errors : [];
}

function sourceOf(
  connection: Connection,
  project: ChosenProject | undefined,
  selection: ErrorSelection,
  sourcesOf: ReturnType<typeof createErrorSources>,
): ErrorListSource | undefined {
  const account = accountKeyOf(connection.state());
  if (account === undefined || project === undefined) return undefined;
  const query = { order: selection.order(), ...queryOfFilter(selection.filter()) };
  const { id = project.path, path } = project;
  return {
    key: `${keyOfProject(connection, project)}/${JSON.stringify(query)}`,
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
    read: (signal) => listUsedKeys(clientOfAccount(connection, account), project.id ?? project.path, signal),
  };
}

function canChangeStatus(list: ErrorList): boolean {
  const state = list.state();
  return state.kind === 'ready' && state.abilities.changesStatus;
}

function itemOf(row: ErrorRow, canChange: boolean): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const context = row.kind === 'error' ? `trackedError.${row.error.status}${canChange ? '.changeable' : ''}` : row.kind;
  const item = treeItemOf(row, context, EXPANDABLE_KINDS.has(row.kind) ? Collapsed : None);
  if (row.kind === 'frame')
    item.command = { command: commands.errorTrackingOpenFrame, title: l10n.t('Open Stack Frame'), arguments: [row] };
  if (row.kind === 'more')
    item.command = { command: commands.errorTrackingLoadMore, title: l10n.t('Load more'), arguments: [row] };
  return item;
}
