import * as vscode from 'vscode';

const MINUTE = 60_000;

/** Repaints a view every minute while it is visible, because ages and names of days change over time. */
export function repaintEveryMinute(view: Pick<vscode.TreeView<unknown>, 'visible'>, paint: () => void): vscode.Disposable {
  const timer = setInterval(() => {
    if (view.visible && vscode.window.state.focused) paint();
  }, MINUTE);
  return { dispose: () => clearInterval(timer) };
}
