import type { CurrentProject } from '../activity/currentProject.ts';
import { commands } from '../ids.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { changeStatus } from './changeStatus.ts';
import { disable, enable } from './enable.ts';
import { errorPage } from './errorPage.ts';
import { pickErrorFilter } from './filterPick.ts';
import type { FrameDocuments } from './frameDocuments.ts';
import { openFrame } from './openFrame.ts';
import type { ErrorRow } from './rows.ts';
import type { CommandTarget } from './target.ts';
import type { TrackedErrors } from './view.ts';

export interface ErrorTrackingCommandSettings {
  /** Returns the view, which is created on the first call. */
  readonly view: () => TrackedErrors;
  /** Returns the owner of the panels, which is loaded on the first call. */
  readonly panels: () => Promise<ErrorPanels>;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly addresses: Addresses;
  readonly frames: FrameDocuments;
  readonly pages: Pages;
}

/** Commands of the Tracked Errors view. Without a row, they use the selected one; those that change a status ask if there is none. */
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
    [commands.errorTrackingOpenInBrowser]: (row?: ErrorRow) => openInBrowser(settings, row ?? view().selected()),
    [commands.errorTrackingResolve]: (row?: ErrorRow) => changeStatus(view(), row, 'resolved'),
    [commands.errorTrackingIgnore]: (row?: ErrorRow) => changeStatus(view(), row, 'ignored'),
    [commands.errorTrackingReopen]: (row?: ErrorRow) => changeStatus(view(), row, 'unresolved'),
    [commands.errorTrackingShow]: (row?: ErrorRow) => show(settings, row ?? view().selected()),
    [commands.errorTrackingOpenFrame]: async (row?: ErrorRow) => {
      const target = row ?? view().selected();
      const current = project.get();
      if (target?.kind !== 'frame' || current === undefined) return;
      const { error, frame } = target;
      await openFrame(settings.frames, { project: { id: current.id ?? current.path, path: current.path }, error, frame });
    },
  };
}

async function show(
  { view, panels, connection, project }: ErrorTrackingCommandSettings,
  row: ErrorRow | undefined,
): Promise<void> {
  const current = project.get();
  const account = accountKeyOf(connection.state());
  if (row?.kind !== 'error' || current === undefined || account === undefined) return;
  const { id = current.path, path } = current;
  view().markOpened(row.error);
  (await panels()).show({ account, project: { id, path }, errorId: row.error.id }, row.error.title);
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
  row: ErrorRow | undefined,
): Promise<void> {
  const address = addresses(connection.state().instance.key);
  const current = project.get();
  if (address === undefined || current === undefined) return;
  const error = row?.kind === 'error' ? row.error : undefined;
  await pages.open(errorPage(address, current.path, error?.id));
  if (error !== undefined) view().markOpened(error);
}
