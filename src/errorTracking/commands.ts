import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ErrorStatus } from '../contract/trackedErrors.ts';
import { commands } from '../ids.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import { openPage } from '../ui/openPage.ts';
import { disable, enable } from './enable.ts';
import { openFrame } from './openFrame.ts';
import type { ErrorRow } from './rows.ts';
import type { CommandTarget } from './target.ts';
import type { TrackedErrors } from './view.ts';

export interface ErrorTrackingCommandSettings {
  /** Returns the view, which is created on the first call. */
  readonly view: () => TrackedErrors;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly addresses: Addresses;
}

/** Commands of the Tracked Errors view. Without a row, they use the selected one. */
export function errorTrackingCommands(settings: ErrorTrackingCommandSettings) {
  const { view, connection, project } = settings;
  return {
    [commands.errorTrackingEnable]: (target?: CommandTarget) => enable(connection, project, target),
    [commands.errorTrackingDisable]: (target?: CommandTarget) => disable(connection, project, target),
    [commands.errorTrackingRefresh]: () => view().refresh(),
    [commands.errorTrackingLoadMore]: () => view().withProgressBar(view().list.loadMore),
    [commands.errorTrackingSort]: () => selectOrder(view()),
    [commands.errorTrackingFilterStatus]: () => selectStatus(settings),
    [commands.errorTrackingOpenInBrowser]: (row?: ErrorRow) => openInBrowser(settings, row ?? view().selected()),
    [commands.errorTrackingResolve]: (row?: ErrorRow) => changeStatus(view(), row, 'resolved'),
    [commands.errorTrackingIgnore]: (row?: ErrorRow) => changeStatus(view(), row, 'ignored'),
    [commands.errorTrackingReopen]: (row?: ErrorRow) => changeStatus(view(), row, 'unresolved'),
    [commands.errorTrackingOpenFrame]: async (row?: ErrorRow) => {
      const target = row ?? view().selected();
      if (target?.kind === 'frame') await openFrame(target.frame);
    },
  };
}

async function selectOrder(view: TrackedErrors): Promise<void> {
  await view.selection.pickOrder();
  view.update();
}

async function selectStatus(settings: ErrorTrackingCommandSettings): Promise<void> {
  const view = settings.view();
  const state = view.list.state();
  if (state.kind === 'ready' && !state.abilities.listsByStatus) {
    const browser = l10n.t('Open in Browser');
    const text = l10n.t('This instance lists only unresolved errors. Open it in the browser to see the others.');
    const chosen = await vscode.window.showInformationMessage(text, browser);
    if (chosen === browser) await openInBrowser(settings, view.selected());
    return;
  }
  await view.selection.pickStatus();
  view.update();
}

/** Opens the page of an error, or the list of all errors. */
async function openInBrowser(
  { connection, project, addresses }: ErrorTrackingCommandSettings,
  row: ErrorRow | undefined,
): Promise<void> {
  const address = addresses(connection.state().instance.key);
  const current = project.get();
  if (address === undefined || current === undefined) return;
  const all = `${address}/${current.path.split('/').map(encodeURIComponent).join('/')}/-/error_tracking`;
  await openPage(row?.kind === 'error' ? `${all}/${encodeURIComponent(row.errorId)}/details` : all);
}

async function changeStatus(view: TrackedErrors, row: ErrorRow | undefined, next: ErrorStatus): Promise<void> {
  const target = row ?? view.selected();
  if (target?.kind !== 'error') return;
  try {
    await view.withProgressBar(() => view.list.changeStatus(target.errorId, next));
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const text =
      error.kind === 'forbidden' ? l10n.t('You need at least the Developer role to change the status of errors.') : error.message;
    void vscode.window.showErrorMessage(text);
  }
}
