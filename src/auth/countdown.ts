import * as vscode from 'vscode';

/** Shows a notification with the remaining time until the work is done or the user cancels. */
export function waitUntil<T>(
  deadline: number,
  title: string,
  message: (left: string) => string,
  work: (signal: AbortSignal) => Promise<T>,
): PromiseLike<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const cancelled = new AbortController();
    const subscription = token.onCancellationRequested(() => cancelled.abort());
    const update = (): void => progress.report({ message: message(minutesUntil(deadline)) });
    update();
    const timer = setInterval(update, 1_000);
    try {
      return await work(cancelled.signal);
    } finally {
      clearInterval(timer);
      subscription.dispose();
    }
  });
}

function minutesUntil(deadline: number): string {
  const seconds = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
