import type { Memento } from 'vscode';
import { isJsonObject } from '../contract/json.ts';
import { objectIn, withoutInstance } from './accountsInUse.ts';
import { type Account, readAccount } from './session.ts';

/** State key of the accounts whose session the instance has ended, by account key. */
const ENDED = 'auth.ended';

/** Accounts that have to sign in again, by account key. */
export interface EndedSessions {
  readonly get: (account: string) => Account | undefined;
  readonly add: (account: string, user: Account) => Promise<void>;
  readonly remove: (account: string) => Promise<void>;
  readonly forget: (instance: string) => Promise<void>;
}

export function createEndedSessions(memory: Memento): EndedSessions {
  return {
    get: (account) => {
      const value = objectIn(memory, ENDED)[account];
      return isJsonObject(value) ? readAccount(value) : undefined;
    },
    add: async (account, user) => {
      await memory.update(ENDED, { ...objectIn(memory, ENDED), [account]: user });
    },
    remove: async (account) => {
      const { [account]: gone, ...others } = objectIn(memory, ENDED);
      if (gone !== undefined) await memory.update(ENDED, others);
    },
    forget: async (instance) => {
      await memory.update(ENDED, withoutInstance(objectIn(memory, ENDED), instance));
    },
  };
}
