import type { Event, Memento } from 'vscode';
import { isJsonObject, type JsonObject, stringMember } from '../contract/json.ts';
import { instanceOfAccount } from '../instances/accountKey.ts';
import { createEmitter } from '../support/emitter.ts';

/** State key of the account in use, by instance key. */
const IN_USE = 'auth.inUse';

/** Which account is in use on each instance. A new window starts with the last selection of any window; after that, only its own count. */
export interface AccountsInUse {
  /** Returns the key of the account that was selected on an instance. */
  readonly get: (instance: string) => string | undefined;
  /** Selects an account for its instance, in this window and in new ones. */
  readonly use: (account: string) => Promise<void>;
  /** Selects an account in this window unless one was selected here. */
  readonly keepHere: (instance: string, account: string) => Promise<void>;
  /** Deletes the selection of an instance that no longer exists. */
  readonly forget: (instance: string) => Promise<void>;
  /** Fires with the key of an instance when another account is in use there. */
  readonly onDidUse: Event<string>;
}

/** `memory`: state of all windows. `window`: state of this one. */
export function createAccountsInUse(memory: Memento, window: Memento): AccountsInUse {
  const uses = createEmitter<string>();
  let inUse: JsonObject = { ...objectIn(memory, IN_USE), ...objectIn(window, IN_USE) };

  async function useHere(instance: string, account: string): Promise<void> {
    inUse = { ...inUse, [instance]: account };
    await window.update(IN_USE, { ...objectIn(window, IN_USE), [instance]: account });
  }

  return {
    get: (instance) => stringMember(inUse, instance),
    use: async (account) => {
      const instance = instanceOfAccount(account);
      if (instance === undefined || inUse[instance] === account) return;
      await useHere(instance, account);
      await memory.update(IN_USE, { ...objectIn(memory, IN_USE), [instance]: account });
      uses.fire(instance);
    },
    keepHere: async (instance, account) => {
      if (objectIn(window, IN_USE)[instance] === undefined) await useHere(instance, account);
    },
    forget: async (instance) => {
      await memory.update(IN_USE, withoutInstance(objectIn(memory, IN_USE), instance));
      inUse = withoutInstance(inUse, instance);
      await window.update(IN_USE, withoutInstance(objectIn(window, IN_USE), instance));
    },
    onDidUse: uses.event,
  };
}

/** Returns the object stored under a state key, or an empty one. */
export function objectIn(state: Memento, name: string): JsonObject {
  const value: unknown = state.get(name);
  return isJsonObject(value) ? value : {};
}

/** Returns the members whose key is neither the instance nor one of its accounts. */
export function withoutInstance(values: JsonObject, instance: string): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== instance && instanceOfAccount(key) !== instance));
}
