import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { type PickedProject, chooseProjectToChange } from '../projects/choose.ts';
import { formatFailure, noErrorTracking } from './failures.ts';
import { isWithoutTracking } from './missing.ts';
import { disableErrorTracking, enableErrorTracking } from './settings.ts';
import { type CommandTarget, projectOf } from './target.ts';
import { showFailure } from '../ui/showFailure.ts';

/** Enables error tracking for a project and offers to create the client key that applications need. */
export async function enable(connection: Connection, project: CurrentProject, target: CommandTarget | undefined): Promise<void> {
  const title = l10n.t('Enable Error Tracking');
  const known = projectOf(target, project);
  const picked = await showingFailure(known?.path ?? '', () => chooseProjectToChange(connection, title, known, project.get()));
  if (picked === undefined) return;
  const { client, project: id, path } = picked;
  const isEnabled = await apply(
    picked,
    () => enableErrorTracking(client, id),
    () => vscode.window.showWarningMessage(l10n.t('This instance does not support integrated error tracking for {0}.', path)),
  );
  if (isEnabled) await offerKey(picked);
}

/** Disables error tracking for a project. */
export async function disable(connection: Connection, project: CurrentProject, target: CommandTarget | undefined): Promise<void> {
  const title = l10n.t('Disable Error Tracking');
  const known = projectOf(target, project);
  const picked = await showingFailure(known?.path ?? '', () => chooseProjectToChange(connection, title, known, project.get()));
  if (picked === undefined) return;
  const { account, client, project: id, path } = picked;
  if (!(await isSure(path, account))) return;
  const isDisabled = await apply(
    picked,
    () => disableErrorTracking(client, id),
    () => vscode.window.showInformationMessage(l10n.t('Error tracking was never enabled for {0}.', path)),
  );
  if (isDisabled) void vscode.window.showInformationMessage(account.named(l10n.t('Error tracking disabled for {0}.', path)));
}

/** Returns undefined after a failure, which is shown. */
async function showingFailure<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    void showFailure(error, formatFailure(error, path));
    return undefined;
  }
}

/** Changes the setting of a project and refreshes the view. Returns false after a failure, which is shown. */
async function apply(
  { client, project, path }: PickedProject,
  change: () => Promise<unknown>,
  showNotFound: () => unknown,
): Promise<boolean> {
  try {
    await change();
    void vscode.commands.executeCommand(commands.errorTrackingRefresh);
    return true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (await isWithoutTracking(error, client, { id: project, path }))
      void vscode.window.showInformationMessage(noErrorTracking());
    else if (error.kind === 'notFound') void showNotFound();
    else void showFailure(error, formatFailure(error, path));
    return false;
  }
}

async function isSure(path: string, account: BoundAccount): Promise<boolean> {
  const yes = l10n.t('Disable');
  const detail = l10n.t('New error reports will be rejected. Existing errors and client keys are kept.');
  const question = account.named(l10n.t('Disable error tracking for {0}?', path));
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

/** Offers to create the client key that applications need. */
async function offerKey({ account, project: id, path }: PickedProject): Promise<void> {
  const make = l10n.t('Create Client Key');
  const text = account.named(l10n.t('Error tracking enabled for {0}.', path));
  if ((await vscode.window.showInformationMessage(text, make)) !== make) return;
  const target: CommandTarget = {
    project: { account: account.key, id: typeof id === 'number' ? id : undefined, path },
  };
  await vscode.commands.executeCommand(commands.clientKeysCreate, target);
}
