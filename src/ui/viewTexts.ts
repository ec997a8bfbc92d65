import type { TreeView } from 'vscode';

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
