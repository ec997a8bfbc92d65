import * as l10n from '@vscode/l10n';
import { CancellationError } from 'vscode';
import { ApiFailure } from '../api/failures.ts';

/** Returns the text for a failed request about one error. */
export function describePanelFailure(error: unknown): string {
  if (error instanceof CancellationError) return l10n.t('This error belongs to another account. Select that account to load it.');
  if (error instanceof ApiFailure && error.kind === 'forbidden')
    return l10n.t('You need at least the Developer role to change the status of errors.');
  return error instanceof Error ? error.message : String(error);
}
