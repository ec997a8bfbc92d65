import type { Memento } from 'vscode';
import { instanceOfAccount } from '../instances/accountKey.ts';
import type { ProfileStore } from './profileStore.ts';

/** Keys of state stored per account, such as `notifications.pins/…#3`. */
const OF_ACCOUNT = /^notifications\.\w+\/(.+#\d+)$/;

/** Removes the pins and profiles of all accounts of a removed instance. */
export async function forgetNotifications(instance: string, memory: Memento, store: ProfileStore): Promise<void> {
  for (const key of memory.keys()) {
    const account = OF_ACCOUNT.exec(key)?.[1];
    if (account !== undefined && instanceOfAccount(account) === instance) await memory.update(key, undefined);
  }
  await store.forget(instance);
}
