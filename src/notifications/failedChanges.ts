import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showFailure } from '../ui/showFailure.ts';
import type { ChangeOutcome } from './changes.ts';
import type { NotificationScope } from './scopes.ts';
import { nameOfScope } from './texts.ts';

/** Names of scopes in a message; further ones are counted. */
const MAX_NAMES = 3;

/** Shows one message for all failures of an outcome. */
export function showFailedChanges({ failed, skipped }: ChangeOutcome): void {
  const [first] = failed;
  if (first !== undefined) {
    const names = formatNames(failed.map(({ scope }) => scope));
    void showFailure(first.failure, l10n.t('Notification settings not changed: {0}. {1}', names, first.failure.message));
  }
  if (skipped.length > 0)
    void vscode.window.showWarningMessage(
      l10n.t('Settings that were changed elsewhere in the meantime were kept: {0}', formatNames(skipped)),
    );
}

export function formatNames(scopes: readonly NotificationScope[]): string {
  const names = scopes.slice(0, MAX_NAMES).map(nameOfScope).join(', ');
  return scopes.length > MAX_NAMES ? l10n.t('{0} and {1} more', names, scopes.length - MAX_NAMES) : names;
}
