import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import type { Account } from '../auth/session.ts';
import { canWrite, EXTENSION_SCOPE } from '../contract/scopes.ts';
import { accountIdOf, instanceOfAccount, isLocalKey } from './accountKey.ts';
import { type Instance, isLocalServer } from './instances.ts';

/**
 * An account for which something was opened or started: a document, a panel, a dialog, a message with buttons. It acts with this account,
 * whichever account is current meanwhile.
 */
export interface BoundAccount {
  /** Account key. */
  readonly key: string;
  /** Key of the instance. */
  readonly instance: string;
  /** ID of the user on the instance. */
  readonly userId: number;
  /**
   * Returns the client of the account. Throws an `ApiFailure` with a text for the user: `signedOut` if the account is not signed in,
   * `unreachable` if the instance has no address.
   */
  readonly client: () => Client;
  /** Returns why nothing can be done with the account now, as a sentence; undefined if it can be used. */
  readonly problem: () => string | undefined;
  /** Returns the failure of every change that the account cannot make, because its sign-in may only read; undefined if it may change things. */
  readonly readOnly: () => ApiFailure | undefined;
  /** Returns the username; undefined if the account is not signed in. */
  readonly username: () => string | undefined;
  /** Returns true if the extension can control the server of the account. */
  readonly isOnLocalServer: () => boolean;
  /** Returns the address of the instance; undefined while it has none. */
  readonly address: () => string | undefined;
  readonly isCurrent: () => boolean;
  /** Returns the name for messages, such as `@amara on gitlab.example.com`. */
  readonly name: () => string;
  /** Returns a message that also names the account if another one is current. */
  readonly named: (text: string) => string;
}

export interface BoundAccountSettings {
  readonly instances: () => readonly Instance[];
  /** Returns the user of an account key if the account is signed in. */
  readonly account: (key: string) => Account | undefined;
  /** Returns the scopes of the sign-in of an account; none if they are unknown. */
  readonly scopes: (key: string) => readonly string[];
  readonly currentKey: () => string | undefined;
  readonly addresses: (instance: string) => string | undefined;
  readonly clientAt: (address: string, instance: Instance, key: string) => Client;
}

/** Returns a function that binds an account by its key. */
export function createAccountBinding({ instances, account, scopes, currentKey, addresses, clientAt }: BoundAccountSettings) {
  /** Usernames of accounts that were bound while they were signed in. */
  const usernames = new Map<string, string>();

  return (key: string): BoundAccount => {
    const instanceKey = instanceOfAccount(key) ?? '';
    const instance = (): Instance | undefined => instances().find((one) => one.key === instanceKey);
    const address = (): string | undefined => addresses(instanceKey);
    const remember = (): void => {
      const user = account(key);
      if (user !== undefined) usernames.set(key, user.username);
    };
    const name = (): string => {
      remember();
      const host = instance()?.label ?? (isLocalKey(instanceKey) ? l10n.t('Managed server') : instanceKey);
      const username = usernames.get(key);
      return username === undefined ? l10n.t('another account on {0}', host) : l10n.t('@{0} on {1}', username, host);
    };
    const problem = (): ApiFailure | undefined => {
      if (account(key) === undefined) return new ApiFailure('signedOut', l10n.t('You are no longer signed in as {0}.', name()));
      if (address() === undefined) return new ApiFailure('unreachable', l10n.t('The server of {0} is not running.', name()));
      return undefined;
    };
    const isCurrent = (): boolean => currentKey() === key;
    remember();
    return {
      key,
      instance: instanceKey,
      userId: accountIdOf(key),
      client: () => {
        const [failure, at, on] = [problem(), address(), instance()];
        if (failure !== undefined || at === undefined || on === undefined)
          throw failure ?? new ApiFailure('unreachable', l10n.t('The server of {0} is not running.', name()));
        return clientAt(at, on, key);
      },
      problem: () => problem()?.message,
      readOnly: () => {
        if (canWrite(scopes(key))) return undefined;
        const who = isCurrent() ? `@${usernames.get(key) ?? ''}` : name();
        const text = l10n.t('The sign-in of {0} may only read: it lacks the scope {1}.', who, EXTENSION_SCOPE);
        return new ApiFailure('insufficientScope', text, { scope: EXTENSION_SCOPE, account: key });
      },
      username: () => account(key)?.username,
      isOnLocalServer: () => {
        const on = instance();
        return on !== undefined && isLocalServer(on);
      },
      address,
      isCurrent,
      name,
      named: (text) => (isCurrent() ? text : l10n.t('{0} (for {1})', text, name())),
    };
  };
}
