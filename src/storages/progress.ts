import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

type Report = (progress: { readonly message: string; readonly increment: number }) => void;

/** Shows the progress of moves. Canceling only stops watching: the result is then undefined, and the moves continue. */
export async function withProgress<T>(
  title: string,
  run: (report: Report, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  const { Notification: location } = vscode.ProgressLocation;
  const shownTitle = l10n.t('{0} (Cancel only stops watching)', title);
  return vscode.window.withProgress({ location, title: shownTitle, cancellable: true }, async (progress, token) => {
    token.onCancellationRequested(() => stop.abort());
    try {
      return await run((step) => progress.report(step), stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      throw error;
    }
  });
}
