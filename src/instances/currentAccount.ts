import { accountKey } from './accountKey.ts';
import type { ConnectionState } from './connection.ts';

/** Returns the key under which state of the signed-in account is stored; undefined while signed out. */
export function accountKeyOf(state: ConnectionState): string | undefined {
  return state.kind === 'signedIn' ? accountKey(state.instance.key, state.account.id) : undefined;
}
