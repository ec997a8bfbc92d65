import * as l10n from '@vscode/l10n';
import type { CurrentProject } from '../activity/currentProject.ts';
import { commands } from '../ids.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { changeStatus } from './changeStatus.ts';
import { disable, enable } from './enable.ts';
import { errorPage } from './errorPage.ts';
import { pickErrorFilter } from './filterPick.ts';
import { pickError } from './pickError.ts';
import type { ErrorRow } from './rows.ts';
import type { CommandTarget, ErrorLink, ErrorTarget } from './target.ts';
import type { TrackedErrors } from './view.ts';

export interface ErrorTrackingCommandSettings {
  /** Returns the view, which is created on the first call. */
  readonly view: () => TrackedErrors;
  /** Returns the owner of the panels, which is loaded on the first call. */
  readonly panels: () => Promise<ErrorPanels>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly addresses: Addresses;
  /** Returns the code in the workspace, which is loaded on the first call. */
  readonly code: () => Promise<ErrorCode>;
  readonly pages: Pages;
}

/** Commands of the Tracked Errors view. Without a row, they use the selected one; those that need an error ask if there is none. */
export function errorTrackingCommands(settings: ErrorTrackingCommandSettings) {
  const { view, connection, project } = settings;
  return {
    [commands.errorTrackingEnable]: (target?: CommandTarget) => enable(connection, project, target),
    [commands.errorTrackingDisable]: (target?: CommandTarget) => disable(connection, project, target),
    [commands.errorTrackingRefresh]: () => view().refresh(),
    [commands.errorTrackingLoadMore]: () => view().withProgressBar(view().list.loadMore),
    [commands.errorTrackingSort]: () => selectOrder(view()),
    [commands.errorTrackingFilter]: () => selectFilter(settings),
    [commands.errorTrackingMarkAllRead]: () => view().markAllRead(),
    [commands.errorTrackingOpenInBrowser]: (target?: ErrorRow | ErrorLink) =>
      openInBrowser(settings, targetOf(view(), target) ?? view().selected()),
    [commands.errorTrackingResolve]: (target?: ErrorRow | ErrorLink) =>
      changeStatus(view(), targetOf(view(), target), 'resolved'),
    [commands.errorTrackingIgnore]: (target?: ErrorRow | ErrorLink) => changeStatus(view(), targetOf(view(), target), 'ignored'),
    [commands.errorTrackingReopen]: (target?: ErrorRow | ErrorLink) =>
      changeStatus(view(), targetOf(view(), target), 'unresolved'),
    [commands.errorTrackingShow]: (target?: ErrorRow | ErrorLink) => show(settings, targetOf(view(), target)),
    [commands.errorTrackingOpenFrame]: async (row?: ErrorRow) => {
      const target = row ?? view().selected();
      const current = project.get();
      if (target?.kind !== 'frame' || current === undefined) return;
      const { error, frame } = target;
      const code = await settings.code();
      await code.open({ project: { id: current.id ?? current.path, path: current.path }, error, frame });
    },
  };
}

/** Returns the error that a link names. A link to an error that is no longer listed has no effect. */
function targetOf(view: TrackedErrors, target: ErrorRow | ErrorLink | undefined): ErrorTarget | undefined {
  if (target === undefined || 'kind' in target) return target;
  const state = view.list.state();
  const error = state.kind === 'ready' ? state.errors.find(({ id }) => id === target.errorId) : undefined;
  return error === undefined ? { kind: 'text' } : { kind: 'error', error };
}

/** Shows an error in a panel; without a target, the selected error or one that the user selects. */
async function show(settings: ErrorTrackingCommandSettings, target: ErrorTarget | undefined): Promise<void> {
  const view = settings.view();
  const project = settings.project.get();
  const account = accountKeyOf(settings.connection.state());
  const error = await errorToShow(view, target);
  if (error === undefined || project === undefined || account === undefined) return;
  const { id = project.path, path } = project;
  view.markOpened(error);
  (await settings.panels()).show({ account, project: { id, path }, errorId: error.id }, error.title);
}

async function errorToShow(view: TrackedErrors, target: ErrorTarget | undefined): Promise<TrackedError | undefined> {
  if (target !== undefined) return target.kind === 'error' ? target.error : undefined;
  const selected = view.selected();
  if (selected?.kind === 'error') return selected.error;
  return pickError(view, l10n.t('Show Error'), ({ errors }) => (errors.length === 0 ? l10n.t('No errors are listed') : errors));
}

async function selectOrder(view: TrackedErrors): Promise<void> {
  await view.selection.pickOrder();
  view.update();
}

async function selectFilter(settings: ErrorTrackingCommandSettings): Promise<void> {
  const view = settings.view();
  const { selection, list } = view;
  const state = list.state();
  const picked = await pickErrorFilter({
    current: selection.filter(),
    abilities: state.kind === 'ready' ? state.abilities : { filters: true, changesStatus: true },
    known: list.facet,
  });
  if (picked === undefined) return;
  if (picked === 'browser') {
    await openInBrowser(settings, undefined);
    return;
  }
  await selection.setFilter(picked);
  view.update();
}

/** Opens the page of an error, or the list of all errors. */
async function openInBrowser(
  { view, connection, project, addresses, pages }: ErrorTrackingCommandSettings,
  target: ErrorTarget | undefined,
): Promise<void> {
  const address = addresses(connection.state().instance.key);
  const current = project.get();
  if (address === undefined || current === undefined) return;
  const error = target?.kind === 'error' ? target.error : undefined;
  await pages.open(errorPage(address, current.path, error?.id));
  if (error !== undefined) view().markOpened(error);
}
