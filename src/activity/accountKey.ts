import { accountKey } from '../instances/accountKey.ts';
import type { Situation } from '../instances/connection.ts';

/** What everything that is remembered for the signed-in account hangs on; undefined while nobody is signed in. */
export function accountKeyOf(situation: Situation): string | undefined {
  return situation.kind === 'signedIn' ? accountKey(situation.instance.key, situation.account.id) : undefined;
}
