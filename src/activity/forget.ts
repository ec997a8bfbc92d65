import type { Memento } from 'vscode';
import { instanceOfAccount } from '../instances/accountKey.ts';
import type { ResponseCache } from './cache.ts';

/** What every view remembers for an account: `activity.filter/…#3` and the like. */
const OF_ACCOUNT = /^activity\.\w+\/(.+#\d+)$/;

/** Removes what is remembered for the accounts of an instance that is no more. Of other workspaces only a chosen project stays behind. */
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
