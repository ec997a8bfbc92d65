import * as l10n from '@vscode/l10n';
import { accountKey } from './accountKey.ts';
import type { Account } from '../auth/session.ts';
import type { ConnectionState } from './connection.ts';

/** Returns the key under which state of the signed-in account is stored; undefined while signed out. */
export function accountKeyOf(state: ConnectionState): string | undefined {
  return state.kind === 'signedIn' ? accountKey(state.instance.key, state.account.id) : undefined;
}

/** Returns the account whose rows are shown: the signed-in one, or the one whose session the instance has ended. */
export function shownAccount(state: ConnectionState): Account | undefined {
  if (state.kind === 'signedIn') return state.account;
  return state.kind === 'signedOut' ? state.ended : undefined;
}

/** Returns the key of the account whose rows are shown. */
export function shownAccountKey(state: ConnectionState): string | undefined {
  const account = shownAccount(state);
  return account === undefined ? undefined : accountKey(state.instance.key, account.id);
}

/** Returns that the instance has ended the session of the account whose rows are shown; undefined if it has not. */
export function endOf(state: ConnectionState): string | undefined {
  if (state.kind !== 'signedOut' || state.ended === undefined) return undefined;
  return l10n.t('{0} no longer accepts the sign-in of @{1}. Sign in again.', state.instance.label, state.ended.username);
}
