import * as l10n from '@vscode/l10n';
import type { ConnectionState } from '../instances/connection.ts';

/** What stands on a view, and in sum on the icon of all views. */
export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

/**
 * One badge says that somebody has to sign in again, on the view that `warns`; otherwise a badge counts what is new. Nothing else asks
 * for attention: no message, no dialog.
 */
export function badgeOf(state: ConnectionState, news: number, warns: boolean): Badge | undefined {
  const who = signInNeededBy(state);
  if (who !== undefined) return warns ? { value: 1, tooltip: signInAgain(who, state.instance.label) } : undefined;
  return news === 0 ? undefined : { value: news, tooltip: l10n.t('{0} new', news) };
}

function signInAgain(username: string, instance: string): string {
  return l10n.t('Sign in again: {0} no longer accepts the sign-in of @{1}', instance, username);
}

/** Whose sign-in the instance has ended or refuses. */
function signInNeededBy(state: ConnectionState): string | undefined {
  if (state.kind === 'signedOut') return state.ended?.username;
  return state.kind === 'signedIn' && state.isRefused === true ? state.account.username : undefined;
}
