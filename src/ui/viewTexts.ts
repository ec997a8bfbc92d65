import { env, type TreeView } from 'vscode';
import { formatOldRows } from '../activity/appearance.ts';
import { formatAge } from '../support/ages.ts';
import type { ReloadedList } from '../support/reloadedList.ts';
import { messageOf } from '../support/log.ts';

/** Texts of a view. A text that is not given stays. */
export interface ViewTexts {
  readonly title?: string;
  /** Text next to the title. */
  readonly description?: string;
  /** Text above the rows. Unless it is empty, it hides the welcome text. */
  readonly message?: string;
}

/** Sets the texts of a view that have changed, because VS Code paints the view again after each assignment. */
export function setViewTexts(view: Pick<TreeView<unknown>, keyof ViewTexts>, { title, description, message }: ViewTexts): void {
  if (title !== undefined && view.title !== title) view.title = title;
  if (description !== undefined && view.description !== description) view.description = description;
  if (message !== undefined && view.message !== message) view.message = message;
}

/**
 * Returns the text above the rows of a list whose latest request has failed, with the age of the rows; empty if it has not. `end` is why the
 * instance has ended the session that the list needs.
 */
export function problemOf(
  list: Pick<ReloadedList<unknown, { readonly kind: string; readonly problem?: unknown }>, 'state' | 'loadedAt'>,
  end?: string,
): string {
  const { kind, problem } = list.state();
  const reason = end ?? (problem === undefined ? '' : messageOf(problem));
  return kind === 'ready' && reason !== ''
    ? formatOldRows(formatAge(Date.now() - list.loadedAt(), env.language), reason)
    : reason;
}
