import { accountKey } from '../instances/accountKey.ts';
import type { ConnectionState } from '../instances/connection.ts';

/** What everything that is remembered for the signed-in account hangs on; undefined while nobody is signed in. */
export function accountKeyOf(state: ConnectionState): string | undefined {
  return state.kind === 'signedIn' ? accountKey(state.instance.key, state.account.id) : undefined;
}
