import type { Memento } from 'vscode';
import { instanceOfAccount } from '../instances/accountKey.ts';
import type { ResponseCache } from './cache.ts';

/** Keys of state stored per account, such as `activity.filter/…#3`. */
const OF_ACCOUNT = /^activity\.\w+\/(.+#\d+)$/;

/** Removes the stored state of all accounts of a removed instance. The selected projects of other workspaces remain. */
export async function forgetInstance(
  instance: string,
  memory: Memento,
  workspace: Memento,
  cache: Pick<ResponseCache, 'forget'>,
): Promise<void> {
  const accounts = new Set<string>();
  for (const key of memory.keys()) {
    const account = OF_ACCOUNT.exec(key)?.[1];
    if (account === undefined || instanceOfAccount(account) !== instance) continue;
    accounts.add(account);
    await memory.update(key, undefined);
  }
  await workspace.update(`activity.project/${instance}`, undefined);
  for (const account of accounts) await cache.forget(account);
}
