import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { chooseProject } from '../projects/choose.ts';
import { failureWords } from './failures.ts';
import { disableErrorTracking, enableErrorTracking } from './settings.ts';

/** Switches error tracking of projects on and off. */
export function registerErrorTrackingCommands(connection: Connection): vscode.Disposable {
  async function change(isOn: boolean): Promise<void> {
    const title = isOn ? l10n.t('Enable Error Tracking') : l10n.t('Disable Error Tracking');
    const chosen = await chooseProject(connection, title);
    if (chosen === undefined) return;
    const { client, project, path } = chosen;
    try {
      await (isOn ? enableErrorTracking(client, project) : disableErrorTracking(client, project));
      const done = isOn ? l10n.t('Errors of {0} are tracked now.', path) : l10n.t('Errors of {0} are no longer tracked.', path);
      void vscode.window.showInformationMessage(done);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.kind !== 'notFound') void vscode.window.showErrorMessage(failureWords(error, path));
      else if (isOn) void vscode.window.showWarningMessage(l10n.t('The platform cannot track errors of {0} by itself.', path));
      else void vscode.window.showInformationMessage(l10n.t('Errors of {0} have never been tracked.', path));
    }
  }

  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.errorTrackingEnable, () => change(true)),
    vscode.commands.registerCommand(commands.errorTrackingDisable, () => change(false)),
  );
}
