import type * as vscode from 'vscode';
import { once } from '../support/once.ts';
import { createLateView, type LateView } from './lateView.ts';

/** Part of the extension that is made on first use and ends with the window. */
export interface LatePart<Part> {
  /** Returns the part and makes it on the first call. */
  readonly get: () => Part;
  /** Returns the part if it was made. */
  readonly made: () => Part | undefined;
}

/** `make` returns the part, or loads its bundle first. The part is disposed with `subscriptions`. */
export function createLatePart<Part extends vscode.Disposable | Promise<vscode.Disposable>>(
  subscriptions: vscode.Disposable[],
  make: () => Part,
): LatePart<Part> {
  let made: Part | undefined;
  const get = once(() => {
    const part = make();
    made = part;
    if (!(part instanceof Promise)) subscriptions.push(part);
    // The caller handles a failure.
    else void part.then((loaded) => subscriptions.push(loaded)).catch(() => undefined);
    return part;
  });
  return { get, made: () => made };
}

/**
 * Registers a view and returns its part, which is made when rows of the view are first requested or a command needs it. `show` fills the
 * view if `make` alone does not.
 */
export function createLateViewPart<Row, Part extends vscode.Disposable | Promise<vscode.Disposable>>(
  subscriptions: vscode.Disposable[],
  viewId: string,
  make: (view: LateView<Row>) => Part,
  show: (part: Awaited<Part>) => unknown = () => undefined,
): LatePart<Part> {
  const part: LatePart<Part> = createLatePart(subscriptions, () => make(view));
  const view: LateView<Row> = createLateView<Row>(viewId, async () => show(await part.get()));
  subscriptions.push(view);
  return part;
}
