import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type PickedProject, chooseProject } from '../projects/choose.ts';
import { formatFailure } from './failures.ts';
import { disableErrorTracking, enableErrorTracking } from './settings.ts';

/** Argument of links in the view: the project that the view shows. */
const SHOWN = 'shown';

/** Argument that links and rows of the view pass to a command. Without it, the command asks for a project. */
export type CommandTarget = typeof SHOWN | { readonly project: ChosenProject };

/** Returns the project of the argument, or undefined if the command has to ask. */
export function projectOf(target: CommandTarget | undefined, current: CurrentProject): ChosenProject | undefined {
  return target === SHOWN ? current.get() : target?.project;
}

/** Commands that enable and disable error tracking for a project. */
export function errorTrackingCommands(connection: Connection, project: CurrentProject) {
  async function change(isOn: boolean, target: CommandTarget | undefined): Promise<void> {
    const title = isOn ? l10n.t('Enable Error Tracking') : l10n.t('Disable Error Tracking');
    const picked = await chooseProject(connection, title, projectOf(target, project), project.get());
    if (picked === undefined) return;
    const { client, project: id, path } = picked;
    // No confirmation after a selection from a list, which could have been canceled.
    if (!isOn && target !== undefined && !(await isSure(path))) return;
    try {
      await (isOn ? enableErrorTracking(client, id) : disableErrorTracking(client, id));
      void vscode.commands.executeCommand(commands.errorTrackingRefresh);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.kind !== 'notFound') void vscode.window.showErrorMessage(formatFailure(error, path));
      else if (isOn)
        void vscode.window.showWarningMessage(l10n.t('This instance does not support integrated error tracking for {0}.', path));
      else void vscode.window.showInformationMessage(l10n.t('Error tracking was never enabled for {0}.', path));
      return;
    }
    if (isOn) await offerKey(picked);
    else void vscode.window.showInformationMessage(l10n.t('Error tracking disabled for {0}.', path));
  }

  async function isSure(path: string): Promise<boolean> {
    const yes = l10n.t('Disable');
    const detail = l10n.t('New error reports will be rejected. Existing errors and client keys are kept.');
    const question = l10n.t('Disable error tracking for {0}?', path);
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
  }

  /** Offers to create the client key that applications need. */
  async function offerKey({ project: id, path }: PickedProject): Promise<void> {
    const make = l10n.t('Create Client Key');
    const text = l10n.t('Error tracking enabled for {0}.', path);
    if ((await vscode.window.showInformationMessage(text, make)) !== make) return;
    const target: CommandTarget = { project: { id: typeof id === 'number' ? id : undefined, path } };
    await vscode.commands.executeCommand(commands.clientKeysCreate, target);
  }

  return {
    [commands.errorTrackingEnable]: (target?: CommandTarget) => change(true, target),
    [commands.errorTrackingDisable]: (target?: CommandTarget) => change(false, target),
  };
}
