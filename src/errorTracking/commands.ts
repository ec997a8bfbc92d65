import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { chooseProject } from '../projects/choose.ts';
import { failureWords } from './failures.ts';
import { disableErrorTracking, enableErrorTracking } from './settings.ts';

/** What links in the view say in place of a project: the one that it shows. */
export const SHOWN = 'shown';

/** Switches error tracking of projects on and off. */
export function registerErrorTrackingCommands(connection: Connection, project: CurrentProject): vscode.Disposable {
  async function change(isOn: boolean, meant: unknown): Promise<void> {
    const title = isOn ? l10n.t('Enable Error Tracking') : l10n.t('Disable Error Tracking');
    const chosen = await chooseProject(connection, title, meant === SHOWN ? project.get() : undefined);
    if (chosen === undefined) return;
    const { client, project: id, path } = chosen;
    try {
      await (isOn ? enableErrorTracking(client, id) : disableErrorTracking(client, id));
      void vscode.commands.executeCommand(commands.errorTrackingRefresh);
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
    vscode.commands.registerCommand(commands.errorTrackingEnable, (meant?: unknown) => change(true, meant)),
    vscode.commands.registerCommand(commands.errorTrackingDisable, (meant?: unknown) => change(false, meant)),
  );
}
