import * as l10n from '@vscode/l10n';
import type { ConnectionState } from '../instances/connection.ts';

/** Badge of a view. VS Code sums the values on the icon of the view container. */
export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

/**
 * Returns the badge of a view. If the user has to sign in again, only the view with `warns` has one; otherwise it counts the unread events.
 * These badges are the only notification: there is no message and no dialog.
 */
export function badgeOf(state: ConnectionState, unread: number, warns: boolean): Badge | undefined {
  const tooltip = signInAgain(state);
  if (tooltip !== undefined) return warns ? { value: 1, tooltip } : undefined;
  if (unread === 0) return undefined;
  return { value: unread, tooltip: unread === 1 ? l10n.t('1 unread event') : l10n.t('{0} unread events', unread) };
}

/** Returns why the user has to sign in again; undefined if they do not. */
function signInAgain(state: ConnectionState): string | undefined {
  const { label } = state.instance;
  const refused = (username: string): string =>
    l10n.t('Sign in again: {0} no longer accepts the sign-in of @{1}', label, username);
  if (state.kind === 'signedOut') return state.ended === undefined ? undefined : refused(state.ended.username);
  if (state.kind !== 'signedIn') return undefined;
  const { username } = state.account;
  if (state.isRefused === true) return refused(username);
  return state.isFailing === true
    ? l10n.t('Sign in again: the sign-in of @{1} on {0} cannot be renewed at present', label, username)
    : undefined;
}
