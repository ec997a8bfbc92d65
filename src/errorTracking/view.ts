import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import type { ClientKeySource } from '../clientKeys/list.ts';
import { listUsedKeys, readKeyUse } from '../clientKeys/model.ts';
import { type ClientKeyRow, clientKeysRow } from '../clientKeys/rows.ts';
import { createShownKeys, type ShownKeys } from '../clientKeys/shownKeys.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { shownAccountKey } from '../instances/currentAccount.ts';
import type { ErrorChange } from '../stream/errorChanges.ts';
import { failureOfState } from '../support/listState.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { repaintAges } from '../ui/repaintAges.ts';
import { setContext } from '../ui/setContext.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling } from '../ui/viewPolling.ts';
import { setViewTexts } from '../ui/viewTexts.ts';
import { errorAppearance, type ErrorSubject } from './appearance.ts';
import type { ErrorList, ErrorListSource } from './model.ts';
import { type ErrorRow, errorRows, type ErrorRowSettings, projectRow } from './rows.ts';
import { createShownNews } from './shownNews.ts';
import { createErrorSelection, type ErrorSelection } from './selection.ts';
import { createShownProjects, type ShownProjects } from './shownProjects.ts';
import { type ErrorProject, keyOfProject } from './source.ts';
import { onDidChangeNewErrorSettings } from './newErrorNotice.ts';
import { createErrorLists, type ErrorLists, type ListOfProject } from './lists.ts';
import { createListLoads } from './loadLists.ts';
import type { ErrorLink, ErrorOfProject } from './target.ts';

export interface TrackedErrorsSettings {
  readonly view: LateView<ErrorRow>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly limits: RateLimits;
  /** Fires when errors or client keys may have changed. */
  readonly onDidHappen: vscode.Event<readonly ErrorChange[]>;
  readonly workspaceState: vscode.Memento;
  readonly globalState: vscode.Memento;
  readonly log: Log;
}

/** Tracked Errors view with what its commands share. */
export interface TrackedErrors extends vscode.Disposable, Pick<ErrorLists, 'ofMarked' | 'setMarked'> {
  /** List of the current project. */
  readonly list: ErrorList;
  /** Lists of all projects that are shown, that of the current project first. */
  readonly shown: () => readonly ListOfProject[];
  readonly projects: ShownProjects;
  readonly selection: ErrorSelection;
  /** Must be called when the selection or the projects have changed. */
  readonly update: () => void;
  /** Loads further errors of a project. */
  readonly loadMore: (project: ErrorProject) => Promise<void>;
  /** Creates the source of the errors of a project; undefined while nobody is signed in. */
  readonly source: (project: ErrorProject) => ErrorListSource | undefined;
  /** Loads the errors again, and the client keys if they are shown. */
  readonly refresh: () => Promise<void>;
  /** Loads the errors if they were not loaded yet. */
  readonly ensureLoaded: () => Promise<void>;
  /** Loads the errors again, after they were changed. */
  readonly refreshAfterChange: () => Promise<void>;
  /** Loads errors that may have occurred, also if the view was never shown. */
  readonly loadNews: () => void;
  /** Returns true if the view is visible, and so keeps its lists up to date. */
  readonly isVisible: () => boolean;
  readonly selected: () => readonly ErrorRow[];
  /** Returns an error that a link names, also if another account is current since. */
  readonly find: (link: ErrorLink) => ErrorOfProject | undefined;
  /** Returns true if the instance has no error tracking. */
  readonly isMissing: () => boolean;
  /** Returns true if the instance has an API to change the errors of a project. */
  readonly canChange: (project: ErrorProject) => boolean;
  /** Must be called when the user has opened an error, which is not new from then on. */
  readonly markOpened: (opened: ErrorOfProject) => void;
  /** Marks all errors of the projects as read. */
  readonly markAllRead: () => void;
  readonly withProgressBar: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Kinds of rows that can be expanded. */
const EXPANDABLE_KINDS: ReadonlySet<ErrorRow['kind']> = new Set(['clientKeys', 'error', 'libraries', 'project']);

/** Creates the tree of the Tracked Errors view, which shows the current project and further ones that the user has selected. */
export function createTrackedErrors(settings: TrackedErrorsSettings): TrackedErrors {
  const { connection, project, log, workspaceState } = settings;
  const { view } = settings.view;
  const keys = createShownKeys({
    ...{ view, project: project.get },
    changed: (failure) => {
      if (failure !== undefined) log.warn(`${views.errorTracking}: ${failure}`);
      tree.changed();
    },
  });
  const selection = createErrorSelection(workspaceState);
  const projects = createShownProjects(connection, project, workspaceState);
  const moment = (): { now: number; locale: string } => ({ now: Date.now(), locale: vscode.env.language });
  const lists = createErrorLists({ connection, projects, selection, changed: (changed) => listChanged(changed) });
  const { current: list, shown, canChange, find, source, setMarked, ofMarked } = lists;
  const news = createShownNews({ view, selection, shown, memory: settings.globalState });
  const rowSettings = ({ project: of, list: own }: ListOfProject): ErrorRowSettings => ({
    ...{ prefix: own.sourceKey() ?? '', project: of, frames: own.frames, keys: undefined, ...moment() },
    isNew: (error) => news.isNew({ project: of, error }),
  });
  const tree = createLazyTree<ErrorRow>({
    roots: () => {
      const [all, current] = [shown(), project.get()];
      const [first] = all;
      if (first === undefined || current === undefined || lists.isMissing()) return [];
      const { account } = first.project;
      const keysRow = clientKeysRow(keyOfProject(first.project), { account, ...current }, keys.state(), moment());
      return rootRows(all, keysRow, rowSettings);
    },
    children: (row) => {
      // Stacks and keys are loaded when their row is expanded, by the user or by VS Code after a reload.
      if (row.kind === 'error') lists.of(row.project)?.open(row.error.id);
      if (row.kind === 'clientKeys') keys.open();
      return row.rows;
    },
    item: (row) => itemOf(row, row.kind === 'error' && lists.canChange(row.project)),
    hover: async (_, item) => item,
  });
  const polling = createErrorPolling(settings, lists, keys);

  function update(): void {
    const isOther = lists.update();
    keys.setSource(keySourceOf(connection, project.get()));
    polling.updateWatching();
    if (isOther) polling.restart();
    paint();
  }

  const paint = coalesced(() => {
    const subject = subjectOf(projects.get(), selection);
    const { state, description, message } = errorAppearance(connection.state(), list.state(), subject, moment());
    tree.changed();
    setViewTexts(view, { description, message });
    setContext(contextKeys.errorTrackingState, state);
    news.show();
  });

  function listChanged(changed: ErrorList): void {
    const state = changed.state();
    const failure = failureOfState(state);
    if (failure !== undefined) log.warn(`${views.errorTracking}: ${failure.message}`);
    const of = shown().find(({ list: one }) => one === changed);
    if (of !== undefined) news.begin(of);
    paint();
  }

  update();
  settings.view.provide(tree);
  const subscriptions = [
    connection.onDidChange(update),
    project.onDidChange(update),
    settings.onDidHappen(polling.happened),
    news.onDidChange(paint),
    onDidChangeNewErrorSettings(paint),
    view.onDidExpandElement(({ element }) => {
      if (element.kind === 'error') news.markOpened(element);
    }),
    repaintAges(view, paint),
    polling,
    lists,
    keys,
    tree,
  ];
  return {
    ...{ list, shown, projects, selection, update, withProgressBar, isVisible: () => view.visible },
    ...{ markOpened: news.markOpened, markAllRead: news.markAllRead },
    ...{ canChange, find, source, setMarked, ofMarked, isMissing: lists.isMissing },
    refresh: () =>
      withProgressBar(async () => {
        lists.retry();
        await Promise.all([polling.loadAll(), keys.refresh()]);
      }),
    loadMore: (project) => withProgressBar(async () => lists.of(project)?.loadMore()),
    refreshAfterChange: async () => void (await Promise.all(shown().map((one) => one.list.refreshAfterChange()))),
    loadNews: () => {
      if (list.state().kind === 'idle' && vscode.window.state.focused) void polling.loadNow();
    },
    ensureLoaded: async () => {
      if (shown().some((one) => one.list.state().kind !== 'ready')) await withProgressBar(polling.loadNow);
    },
    selected: () => view.selection,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Returns the errors of the only project, or a row for each project. */
function rootRows(
  shown: readonly ListOfProject[],
  keysRow: ClientKeyRow,
  settingsOf: (of: ListOfProject) => ErrorRowSettings,
): readonly ErrorRow[] {
  const [first, ...others] = shown;
  if (first === undefined) return [];
  if (others.length === 0) return errorRows(first.list.state(), { ...settingsOf(first), keys: keysRow });
  return first.list.sourceKey() === undefined
    ? []
    : [keysRow, ...shown.map((one) => projectRow(one.list.state(), settingsOf(one)))];
}

/** Loads the lists and the client keys of the view when they may be outdated. */
function createErrorPolling(
  { view: { view }, connection, limits }: TrackedErrorsSettings,
  { current, shown }: Pick<ErrorLists, 'current' | 'shown'>,
  keys: ShownKeys,
) {
  const loads = createListLoads({ shown, withProgress: withProgressBar, loadOthers: () => keys.expire() });
  const isWatched = (): boolean => view.visible && current.sourceKey() !== undefined;
  const polling = createViewPolling({ view, isWatched, connection, limits, load: loads.load });
  return {
    ...polling,
    dispose: (): void => void polling.dispose(),
    loadAll: async (): Promise<void> => {
      loads.expireAll();
      await polling.reload();
    },
    /** Loads what may have changed: visible lists at once, and a hidden one with other errors for the badge, if it was shown before. */
    happened: (changes: readonly ErrorChange[]): void => {
      if (loads.expire(changes)) polling.expire();
      const hasOthers = changes.some(({ kind }) => kind === 'error');
      if (hasOthers && !isWatched() && vscode.window.state.focused && current.state().kind === 'ready') void polling.loadNow();
      keys.expireAfter(changes);
    },
  };
}

/** Names the only project, or the number of projects. */
function subjectOf(projects: readonly ChosenProject[], selection: ErrorSelection): ErrorSubject {
  const project = projects.length < 2 ? projects[0]?.path : l10n.t('{0} projects', projects.length);
  return { project, isAlone: projects.length < 2, filter: selection.filter(), order: selection.order() };
}

async function withProgressBar<T>(work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: { viewId: views.errorTracking } }, work);
}

function keySourceOf(connection: Connection, project: ChosenProject | undefined): ClientKeySource | undefined {
  const account = shownAccountKey(connection.state());
  if (account === undefined || project === undefined) return undefined;
  const bound = connection.bound(account);
  return {
    // A DSN contains the address, which can change for the local server.
    key: `${bound.address() ?? ''} ${keyOfProject({ account, path: project.path })}`,
    read: (signal) => listUsedKeys(bound.client(), project.id ?? project.path, signal),
    readUse: (keyId, signal) => readKeyUse(bound.client(), project.id ?? project.path, keyId, signal),
  };
}

function itemOf(row: ErrorRow, canChange: boolean): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const state = row.kind === 'project' ? Expanded : EXPANDABLE_KINDS.has(row.kind) ? Collapsed : None;
  const item = treeItemOf(row, row.kind === 'error' ? contextOf(row.error, canChange) : row.kind, state);
  if (row.kind === 'frame')
    item.command = { command: commands.errorTrackingOpenFrame, title: l10n.t('Open Stack Frame'), arguments: [row] };
  if (row.kind === 'more')
    item.command = { command: commands.errorTrackingLoadMore, title: l10n.t('Load more'), arguments: [row] };
  return item;
}

/** Returns the context value for the menus of an error. */
function contextOf({ status, issue, lastChange }: TrackedError, canChange: boolean): string {
  const parts = [canChange ? '.changeable' : '', issue === null ? '' : '.issue', lastChange === null ? '' : '.undo'];
  return `trackedError.${status}${parts.join('')}`;
}
