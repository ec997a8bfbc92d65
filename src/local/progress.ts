import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Supervisor } from './supervisor.ts';

/** Shows the progress of a starting server in the status bar. */
export function showProgress(supervisor: Supervisor): vscode.Disposable {
  let end: (() => void) | undefined;
  return supervisor.onDidChange(({ kind }) => {
    if (kind !== 'starting') {
      end?.();
      end = undefined;
      return;
    }
    if (end !== undefined) return;
    const title = l10n.t('Starting local server');
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (progress) => {
      // Created here, because creating the first formatter of a process takes tens of milliseconds and would delay activation.
      const percent = new Intl.NumberFormat(vscode.env.language, { style: 'percent' });
      const lines = supervisor.onDidProgress(({ message, done, total }) => {
        const isCounted = done !== undefined && total !== undefined && total > 0;
        progress.report({ message: isCounted ? `${message}, ${percent.format(done / total)}` : message });
      });
      return new Promise<void>((resolve) => {
        end = () => {
          lines.dispose();
          resolve();
        };
      });
    });
  });
}
