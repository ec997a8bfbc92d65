import * as l10n from '@vscode/l10n';
import type { ConnectionState } from '../instances/connection.ts';

/** Badge of a view. VS Code sums the values on the icon of the view container. */
export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

/**
 * Returns the badge of a view. If the session has ended, only the view with `warns` has one; otherwise it counts the unread events.
 * These badges are the only notification: there is no message and no dialog.
 */
export function badgeOf(state: ConnectionState, unread: number, warns: boolean): Badge | undefined {
  const who = signInNeededBy(state);
  if (who !== undefined) return warns ? { value: 1, tooltip: signInAgain(who, state.instance.label) } : undefined;
  if (unread === 0) return undefined;
  return { value: unread, tooltip: unread === 1 ? l10n.t('1 unread event') : l10n.t('{0} unread events', unread) };
}

function signInAgain(username: string, instance: string): string {
  return l10n.t('Sign in again: {0} no longer accepts the sign-in of @{1}', instance, username);
}

/** Returns the username of the account whose session has ended or is rejected. */
function signInNeededBy(state: ConnectionState): string | undefined {
  if (state.kind === 'signedOut') return state.ended?.username;
  return state.kind === 'signedIn' && state.isRefused === true ? state.account.username : undefined;
}
