import * as l10n from '@vscode/l10n';
import type { ApiFailure } from '../api/failures.ts';

/** Why error tracking of a project, or its client keys, could not be read or changed. */
export function formatFailure(failure: ApiFailure, path: string): string {
  return failure.kind === 'forbidden'
    ? l10n.t('Only maintainers of {0} can manage its error tracking and client keys.', path)
    : failure.message;
}
