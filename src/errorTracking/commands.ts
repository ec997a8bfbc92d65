import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { ErrorActions } from '../errorActions/actions.ts';
import type { ErrorAction, ErrorSubject } from '../errorActions/subject.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import type { PanelTarget } from '../errorPanel/source.ts';
import type { Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { errorPage } from './errorPage.ts';
import { noErrorTracking } from './failures.ts';
import type { ErrorListState } from './model.ts';
import { keyOfProject } from './source.ts';
import { pickError } from './pickError.ts';
import type { ErrorRow } from './rows.ts';
import type { CommandTarget, ErrorLink, ErrorOfProject } from './target.ts';
import type { TrackedErrors } from './view.ts';
import { mayWrite } from '../ui/showFailure.ts';

export interface ErrorTrackingCommandSettings {
  /** Returns the view, which is created on the first call. */
  readonly view: () => TrackedErrors;
  /** Returns the owner of the panels, which is loaded on the first call. */
  readonly panels: () => Promise<ErrorPanels>;
  /** Returns the owner of the actions, which is loaded on the first call. */
  readonly actions: () => Promise<ErrorActions>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  /** Returns the code in the workspace, which is loaded on the first call. */
  readonly code: () => Promise<ErrorCode>;
  readonly pages: Pages;
}

/** Settings of functions that find the error that a command opens. */
export type ErrorOpenSettings = Pick<ErrorTrackingCommandSettings, 'view'>;

/** Commands of the Tracked Errors view. Without a row, they use the selected ones; those that need an error ask if there is none. */
export function errorTrackingCommands(settings: ErrorTrackingCommandSettings) {
  const { view, connection, project } = settings;
  /** Without a target, says so if the instance has no error tracking. */
  const tracked =
    <Target, More extends readonly unknown[]>(run: (target?: Target, ...more: More) => unknown) =>
    async (target?: Target, ...more: More): Promise<void> => {
      if (target === undefined && view().isMissing()) void vscode.window.showInformationMessage(noErrorTracking());
      else await run(target, ...more);
    };
  const action = (name: ErrorAction) =>
    tracked((row?: ErrorRow | ErrorLink, rows?: readonly ErrorRow[]) => act(settings, name, row, rows));
  return {
    [commands.errorTrackingEnable]: tracked(async (target?: CommandTarget) =>
      (await settings.actions()).enable(connection, project, target),
    ),
    [commands.errorTrackingDisable]: tracked(async (target?: CommandTarget) =>
      (await settings.actions()).disable(connection, project, target),
    ),
    [commands.errorTrackingRefresh]: () => view().refresh(),
    [commands.errorTrackingLoadMore]: (row?: ErrorRow) => (row?.kind === 'more' ? view().loadMore(row.project) : undefined),
    [commands.errorTrackingSort]: tracked(() => selectOrder(view())),
    [commands.errorTrackingFilter]: tracked(() => selectFilter(settings)),
    [commands.errorTrackingMarkAllRead]: tracked(() => view().markAllRead()),
    [commands.errorTrackingOpenInBrowser]: tracked((row?: ErrorRow | ErrorLink) => openInBrowser(settings, row)),
    [commands.errorTrackingResolve]: action('resolve'),
    [commands.errorTrackingResolveInNextRelease]: action('resolveInNextRelease'),
    [commands.errorTrackingIgnore]: action('ignore'),
    [commands.errorTrackingReopen]: action('reopen'),
    [commands.errorTrackingAssign]: action('assign'),
    [commands.errorTrackingMerge]: action('merge'),
    [commands.errorTrackingSplit]: action('split'),
    [commands.errorTrackingCreateIssue]: action('createIssue'),
    [commands.errorTrackingLinkIssue]: action('linkIssue'),
    [commands.errorTrackingOpenIssue]: action('openIssue'),
    [commands.errorTrackingSearch]: tracked(() => search(settings)),
    [commands.errorTrackingSelectProjects]: tracked(() => selectProjects(settings)),
    [commands.errorTrackingUndo]: (row?: ErrorRow) => undo(settings, row),
    [commands.errorTrackingShow]: tracked((row?: ErrorRow | ErrorLink) => show(settings, row)),
    [commands.errorTrackingOpenFrame]: async (row?: ErrorRow) => {
      const target = row ?? view().selected()[0];
      if (target?.kind === 'frame') await (await settings.code()).open(target);
    },
  };
}

/**
 * Returns the errors that a command works on: those of the selected rows if the row of the command is one of them, that row first. Rows of
 * other kinds and links to errors that are no longer listed name none. Undefined without a row if no error is selected.
 */
function errorsOf(
  view: TrackedErrors,
  target: ErrorRow | ErrorLink | undefined,
  rows: readonly ErrorRow[] = [],
): readonly ErrorOfProject[] | undefined {
  if (target !== undefined && !('kind' in target)) {
    const error = view.find(target);
    return error === undefined ? [] : [error];
  }
  const all = target === undefined ? view.selected() : [target, ...rows.filter(({ id }) => id !== target.id)];
  const chosen = all.flatMap((row) => (row.kind === 'error' ? [row] : []));
  return chosen.length === 0 && target === undefined ? undefined : chosen;
}

/** Runs an action on errors, which can belong to several projects. */
async function act(
  settings: ErrorTrackingCommandSettings,
  action: ErrorAction,
  row: ErrorRow | ErrorLink | undefined,
  rows: readonly ErrorRow[] | undefined,
): Promise<void> {
  const view = settings.view();
  const known = errorsOf(view, row, rows);
  const account = settings.connection.current();
  // Before the user is asked for an error. The actions ask the account of each error.
  if (known === undefined && action !== 'openIssue' && account !== undefined && !mayWrite(account)) return;
  const chosen = known ?? (await pickFor(view, action));
  const subjects = subjectsOf(view, chosen);
  if (subjects.length === 0) return;
  await (await settings.actions()).run(action, subjects);
}

/** Returns the errors by project. */
function subjectsOf(view: TrackedErrors, chosen: readonly ErrorOfProject[]): readonly ErrorSubject[] {
  return [...Map.groupBy(chosen, ({ project }) => keyOfProject(project)).values()].flatMap((all) =>
    all.slice(0, 1).map(({ project }) => ({
      ...{ project, canChange: view.canChange(project) },
      errors: all.map(({ error }) => error),
    })),
  );
}

async function pickFor(view: TrackedErrors, action: ErrorAction): Promise<readonly ErrorOfProject[]> {
  const picked = await pickError(view, titleOfAction(action), (state) => choicesOf(state, action));
  return picked === undefined ? [] : [picked];
}

/** Returns the listed errors that an action can change, or why there are none. */
function choicesOf({ errors }: ErrorListState & { kind: 'ready' }, action: ErrorAction): readonly TrackedError[] | string {
  const found = errors.filter((error) => isPossible(action, error));
  return found.length === 0 ? l10n.t('No error in the list can be changed this way') : found;
}

function isPossible(action: ErrorAction, { status, issue }: TrackedError): boolean {
  switch (action) {
    case 'resolve':
      return status !== 'resolved';
    case 'resolveInNextRelease':
      return status !== 'resolved_in_next_release';
    case 'ignore':
    case 'assign':
    case 'merge':
    case 'split':
    case 'linkIssue':
      return true;
    case 'reopen':
      return status !== 'unresolved';
    case 'createIssue':
      return issue === null;
    case 'openIssue':
      return issue !== null;
  }
}

function titleOfAction(action: ErrorAction): string {
  switch (action) {
    case 'resolve':
      return l10n.t('Resolve Error');
    case 'resolveInNextRelease':
      return l10n.t('Resolve Error in Next Release');
    case 'ignore':
      return l10n.t('Ignore Error');
    case 'reopen':
      return l10n.t('Reopen Error');
    case 'assign':
      return l10n.t('Assign Error');
    case 'merge':
      return l10n.t('Merge Errors');
    case 'split':
      return l10n.t('Split Error');
    case 'createIssue':
      return l10n.t('Create Issue');
    case 'linkIssue':
      return l10n.t('Link Issue');
    case 'openIssue':
      return l10n.t('Open Issue');
  }
}

/** Undoes the latest change of the error of a row; without a row, what this window changed last. */
async function undo(settings: ErrorTrackingCommandSettings, row: ErrorRow | undefined): Promise<void> {
  const [subject] = row?.kind === 'error' ? subjectsOf(settings.view(), [row]) : [];
  const actions = await settings.actions();
  if (subject === undefined) await actions.undoLast();
  else await actions.undo(subject);
}

/** Shows an error in a panel; without a target, the selected error or one that the user selects. */
async function show(settings: ErrorTrackingCommandSettings, row: ErrorRow | ErrorLink | undefined): Promise<void> {
  const chosen = await errorToOpen(settings.view(), row, l10n.t('Show Error'));
  if (chosen !== undefined) await showError(settings, chosen);
}

async function showError(settings: ErrorTrackingCommandSettings, chosen: ErrorOfProject): Promise<void> {
  (await settings.panels()).show(opened(settings, chosen), chosen.error.title);
}

/** Returns the error to replay; without a row or link, the selected error or one that the user selects. */
export async function errorToReplay(
  settings: ErrorOpenSettings,
  row: ErrorRow | ErrorLink | undefined,
): Promise<PanelTarget | undefined> {
  const chosen = await errorToOpen(settings.view(), row, l10n.t('Replay Error in Debugger'));
  return chosen === undefined ? undefined : opened(settings, chosen);
}

async function errorToOpen(
  view: TrackedErrors,
  row: ErrorRow | ErrorLink | undefined,
  title: string,
): Promise<ErrorOfProject | undefined> {
  const [chosen] = errorsOf(view, row) ?? [];
  if (chosen !== undefined || row !== undefined) return chosen;
  const none = l10n.t('No errors are listed');
  return pickError(view, title, ({ errors }) => (errors.length === 0 ? none : errors));
}

/** Marks an error as opened. */
function opened({ view }: ErrorOpenSettings, chosen: ErrorOfProject): PanelTarget {
  view().markOpened(chosen);
  const { account, ...project } = chosen.project;
  return { account, project, errorId: chosen.error.id };
}

async function selectOrder(view: TrackedErrors): Promise<void> {
  await view.selection.pickOrder();
  view.update();
}

async function selectFilter(settings: ErrorTrackingCommandSettings): Promise<void> {
  const view = settings.view();
  const { selection, list } = view;
  const state = list.state();
  const { connection } = settings;
  const project = view.shown()[0]?.project;
  const account = connection.current();
  if (account === undefined) return;
  const picked = await (await settings.actions()).pickFilter({
    ...{ project, instance: account.instance },
    current: selection.filter(),
    abilities: state.kind === 'ready' ? state.abilities : { filters: true, changesStatus: true },
    known: list.facet,
  });
  if (picked === undefined) return;
  if (picked === 'browser') {
    await openPageOf(settings, account, project?.path, undefined);
    return;
  }
  await selection.setFilter(picked);
  view.update();
}

/** Searches the errors of the shown projects, and shows the one that the user selects. */
async function search(settings: ErrorTrackingCommandSettings): Promise<void> {
  const view = settings.view();
  await view.ensureLoaded();
  if (view.isMissing()) return void vscode.window.showInformationMessage(noErrorTracking());
  const sources = view.shown().flatMap(({ project }) => {
    const source = view.source(project);
    return source === undefined ? [] : [{ project, ...source }];
  });
  const picked = await (await settings.actions()).search(sources);
  if (picked !== undefined) await showError(settings, picked);
}

async function selectProjects(settings: ErrorTrackingCommandSettings): Promise<void> {
  const view = settings.view();
  const { connection, project } = settings;
  const account = connection.current();
  if (account === undefined) return;
  const picked = await (await settings.actions()).pickProjects(account.key, view.projects.get());
  const [first] = picked ?? [];
  // The view shows projects of the current account only.
  if (picked === undefined || first === undefined || !account.isCurrent()) return;
  const current = picked.find(({ path }) => path === project.get()?.path) ?? first;
  await view.projects.setOthers(picked.filter(({ path }) => path !== current.path));
  if (current.path !== project.get()?.path) await project.choose(account.instance, current);
  view.update();
}

/** Opens the page of an error, or the list of all errors. */
async function openInBrowser(settings: ErrorTrackingCommandSettings, row: ErrorRow | ErrorLink | undefined): Promise<void> {
  const chosen = errorsOf(settings.view(), row)?.[0];
  const { connection, project } = settings;
  const account = chosen === undefined ? connection.current() : connection.bound(chosen.project.account);
  await openPageOf(settings, account, (chosen?.project ?? project.get())?.path, chosen?.error.id);
  if (chosen !== undefined) settings.view().markOpened(chosen);
}

async function openPageOf(
  { pages }: ErrorTrackingCommandSettings,
  account: BoundAccount | undefined,
  path: string | undefined,
  errorId: string | undefined,
): Promise<void> {
  const address = account?.address();
  if (account !== undefined && address !== undefined && path !== undefined)
    await pages.open(errorPage(address, path, errorId), account);
}
