import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import type { ErrorState, TrackedError } from '../contract/trackedErrors.ts';
import { visible } from '../contract/visibleText.ts';
import type { ErrorListState } from './model.ts';
import { pickError } from './pickError.ts';
import { titleOf } from './rows.ts';
import type { ErrorTarget } from './target.ts';
import type { TrackedErrors } from './view.ts';

/** Status that a command sets. */
export type NextStatus = 'resolved' | 'ignored' | 'unresolved';

/**
 * Changes the status of an error; without a target, of the selected error or of one that the user selects. Offers to undo the
 * change.
 */
export async function changeStatus(view: TrackedErrors, target: ErrorTarget | undefined, next: NextStatus): Promise<void> {
  const error = await errorOf(view, target, next);
  if (error === undefined) return;
  view.markOpened(error);
  const changeAgain = await attempt(view, () => view.list.changeState(error.id, { status: next, ignored: null }));
  if (changeAgain === undefined) return;
  const undo = l10n.t('Undo');
  if ((await vscode.window.showInformationMessage(formatChange(next, shortTitle(error)), undo)) !== undo) return;
  const before: ErrorState = { status: error.status, ignored: error.ignored };
  await attempt(view, () => changeAgain(before));
}

/** Returns undefined after a failure, which is shown. */
async function attempt<T>(view: TrackedErrors, change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await view.withProgressBar(change);
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    const text =
      failure.kind === 'forbidden'
        ? l10n.t('You need at least the Developer role to change the status of errors.')
        : failure.message;
    void vscode.window.showErrorMessage(text);
    return undefined;
  }
}

async function errorOf(
  view: TrackedErrors,
  target: ErrorTarget | undefined,
  next: NextStatus,
): Promise<TrackedError | undefined> {
  if (target !== undefined) return target.kind === 'error' ? target.error : undefined;
  const selected = view.selected();
  if (selected?.kind === 'error' && selected.error.status !== next) return selected.error;
  return pickError(view, titleOfChange(next), (state) => choicesOf(state, next));
}

/** Returns the listed errors that have another status, or why there are none. */
function choicesOf(state: ErrorListState & { kind: 'ready' }, next: NextStatus): readonly TrackedError[] | string {
  if (!state.abilities.changesStatus) return l10n.t('On this instance, the status of errors can only be changed in the browser.');
  const errors = state.errors.filter(({ status }) => status !== next);
  return errors.length === 0 ? l10n.t('No error in the list can be changed this way') : errors;
}

/** Maximum number of characters of a title in a message. */
const MAX_TITLE = 80;

function shortTitle(error: TrackedError): string {
  const title = visible(titleOf(error));
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;
}

function titleOfChange(next: NextStatus): string {
  switch (next) {
    case 'resolved':
      return l10n.t('Resolve Error');
    case 'ignored':
      return l10n.t('Ignore Error');
    case 'unresolved':
      return l10n.t('Reopen Error');
  }
}

function formatChange(next: NextStatus, title: string): string {
  switch (next) {
    case 'resolved':
      return l10n.t('Resolved: {0}', title);
    case 'ignored':
      return l10n.t('Ignored: {0}', title);
    case 'unresolved':
      return l10n.t('Reopened: {0}', title);
  }
}
