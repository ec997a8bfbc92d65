import * as l10n from '@vscode/l10n';
import { ApiFailure } from '../api/failures.ts';

/** Message of the response for a route that the instance does not have. */
const UNKNOWN_ADDRESS = '404 Not Found';

/** Message of the response for a project whose error tracking was never enabled. */
export const NEVER_ENABLED = '404 Error Tracking Setting Not Found';

/** Returns true if the instance does not have the route of a request. */
export function isUnknownAddress(error: unknown): boolean {
  return error instanceof ApiFailure && error.kind === 'notFound' && error.serverMessage === UNKNOWN_ADDRESS;
}

/** Returns the sentence for an instance that offers neither the REST resource nor the GraphQL field. */
export function noErrorTracking(): string {
  return l10n.t('This instance has no error tracking.');
}

/** Returns the message for a failed request about the error tracking settings or client keys of a project. */
export function formatFailure(failure: ApiFailure, path: string): string {
  if (failure.kind === 'forbidden') return l10n.t('Only maintainers of {0} can manage its error tracking and client keys.', path);
  if (isUnknownAddress(failure)) return l10n.t('This instance does not offer client keys in its API.');
  if (failure.serverMessage === NEVER_ENABLED)
    return l10n.t('The integrated error tracking of {0} is off, so it has no client keys.', path);
  return failure.message;
}
