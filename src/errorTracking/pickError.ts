import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { visible } from '../contract/visibleText.ts';
import { noErrorTracking } from './failures.ts';
import type { ErrorListState } from './model.ts';
import { formatStatus, titleOf } from './rows.ts';
import type { ErrorProject } from './source.ts';
import type { ErrorOfProject } from './target.ts';
import type { TrackedErrors } from './view.ts';

/** Returns the errors that can be selected, or a sentence that says why there are none. */
export type ErrorChoices = (state: ErrorListState & { kind: 'ready' }) => readonly TrackedError[] | string;

type ErrorItem = vscode.QuickPickItem & { readonly chosen?: ErrorOfProject };

/** Lets the user select one of the listed errors. Resolves to undefined if none was selected. */
export async function pickError(view: TrackedErrors, title: string, choices: ErrorChoices): Promise<ErrorOfProject | undefined> {
  const loading = view.ensureLoaded().then(() => itemsOf(view, choices));
  const placeHolder = l10n.t('Select an error of the Tracked Errors view');
  const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(loading, options))?.chosen;
}

function itemsOf(view: TrackedErrors, choices: ErrorChoices): readonly ErrorItem[] {
  const items = view.shown().flatMap(({ project, list }) => itemsOfList(project, list.state(), choices));
  const errors = items.filter(({ chosen }) => chosen !== undefined);
  if (items.length === 0) return [{ label: l10n.t('Select a project in the Tracked Errors view first') }];
  return errors.length > 0 ? errors : items.slice(0, 1);
}

function itemsOfList(project: ErrorProject, state: ErrorListState, choices: ErrorChoices): readonly ErrorItem[] {
  if (state.kind === 'failed') return [{ label: state.failure.message }];
  if (state.kind !== 'ready') return [];
  const errors = state.isMissing === true ? noErrorTracking() : choices(state);
  if (typeof errors === 'string') return [{ label: errors }];
  return errors.map((error) => ({
    chosen: { project, error },
    label: visible(titleOf(error)),
    description: formatStatus(error.status),
    detail: visible(error.culprit),
  }));
}
