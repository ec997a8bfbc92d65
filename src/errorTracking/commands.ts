import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type ChosenPlace, chooseProject } from '../projects/choose.ts';
import { formatFailure } from './failures.ts';
import { disableErrorTracking, enableErrorTracking } from './settings.ts';

/** What links in the view say in place of a project: the one that it shows. */
const SHOWN = 'shown';

/** What a link in the view, or a row of it, hands to a command that is about a project; from elsewhere it gets nothing, and asks. */
export type Meant = typeof SHOWN | { readonly project: ChosenProject };

export function meantProject(meant: Meant | undefined, current: CurrentProject): ChosenProject | undefined {
  return meant === SHOWN ? current.get() : meant?.project;
}

/** Switches error tracking of projects on and off. */
export function errorTrackingCommands(connection: Connection, project: CurrentProject) {
  async function change(isOn: boolean, meant: Meant | undefined): Promise<void> {
    const title = isOn ? l10n.t('Enable Error Tracking') : l10n.t('Disable Error Tracking');
    const chosen = await chooseProject(connection, title, meantProject(meant, project), project.get());
    if (chosen === undefined) return;
    const { client, project: id, path } = chosen;
    // Who has chosen the project in a list could step back there.
    if (!isOn && meant !== undefined && !(await isSure(path))) return;
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
    if (isOn) await offerKey(chosen);
    else void vscode.window.showInformationMessage(l10n.t('Error tracking disabled for {0}.', path));
  }

  async function isSure(path: string): Promise<boolean> {
    const yes = l10n.t('Disable');
    const detail = l10n.t('New error reports will be rejected. Existing errors and client keys are kept.');
    const question = l10n.t('Disable error tracking for {0}?', path);
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
  }

  /** What a program needs next. */
  async function offerKey({ project: id, path }: ChosenPlace): Promise<void> {
    const make = l10n.t('Create Client Key');
    const text = l10n.t('Error tracking enabled for {0}.', path);
    if ((await vscode.window.showInformationMessage(text, make)) !== make) return;
    const here: Meant = { project: { id: typeof id === 'number' ? id : undefined, path } };
    await vscode.commands.executeCommand(commands.clientKeysCreate, here);
  }

  return {
    [commands.errorTrackingEnable]: (meant?: Meant) => change(true, meant),
    [commands.errorTrackingDisable]: (meant?: Meant) => change(false, meant),
  };
}
