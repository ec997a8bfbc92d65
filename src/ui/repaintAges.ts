import type * as vscode from 'vscode';

/** Milliseconds by which an age on the screen can be too low. */
const INTERVAL = 10_000;

/** Repaints a view regularly while it is visible, and when it becomes visible, because ages and names of days change over time. */
export function repaintAges(
  view: Pick<vscode.TreeView<unknown>, 'onDidChangeVisibility' | 'visible'>,
  paint: () => void,
): vscode.Disposable {
  const paintVisible = (): void => {
    if (view.visible) paint();
  };
  const timer = setInterval(paintVisible, INTERVAL);
  const following = view.onDidChangeVisibility(paintVisible);
  return {
    dispose: () => {
      clearInterval(timer);
      following.dispose();
    },
  };
}
