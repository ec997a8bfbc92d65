import * as l10n from '@vscode/l10n';
import type { ApiFailure } from '../api/failures.ts';

/** Returns the message for a failed request about the error tracking settings or client keys of a project. */
export function formatFailure(failure: ApiFailure, path: string): string {
  return failure.kind === 'forbidden'
    ? l10n.t('Only maintainers of {0} can manage its error tracking and client keys.', path)
    : failure.message;
}
