import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { once } from '../support/once.ts';
import { mayWrite } from '../ui/showFailure.ts';
import { createNotificationApi, type NotificationApi } from './api.ts';
import { createNotificationsModel, type NotificationSource, type NotificationsModel } from './model.ts';
import type { NotificationPins } from './pins.ts';
import type { NotificationRow } from './rows.ts';

/** Account of a command, which stays the same until the command has ended. */
export interface SignedIn {
  readonly account: BoundAccount;
  readonly api: NotificationApi;
  /** Settings of the account: those of the view, or of its own if the view shows another account. */
  readonly model: () => NotificationsModel;
}

/** Accounts of commands. */
export interface SignedInAccounts {
  /**
   * Returns the account of a row, else the current one, with its API. Offers to sign in and returns undefined if there is none. Says why and
   * returns undefined if the account of the row cannot be used.
   */
  readonly signedIn: (row?: Pick<NotificationRow, 'id'>) => Promise<SignedIn | undefined>;
  /** Same for a command that changes settings. Says why and returns undefined if the account may only read. */
  readonly signedInToWrite: (row?: Pick<NotificationRow, 'id'>) => Promise<SignedIn | undefined>;
  /** Same for an account key. */
  readonly signedInAs: (account: string) => SignedIn | undefined;
}

export interface SignedInSettings {
  readonly connection: Connection;
  /** Settings that the view shows. */
  readonly model: NotificationsModel;
  readonly pins: NotificationPins;
}

export function createSignedIn({ connection, model, pins }: SignedInSettings): SignedInAccounts {
  function signedInAs(key: string): SignedIn | undefined {
    const account = connection.bound(key);
    const problem = account.problem();
    if (problem !== undefined) {
      void vscode.window.showErrorMessage(problem);
      return undefined;
    }
    const ownModel = once(() => {
      const own = createNotificationsModel();
      own.setSource(sourceOf(account, pins));
      return own;
    });
    return {
      account,
      api: createNotificationApi(account.client()),
      model: () => (model.sourceKey() === key ? model : ownModel()),
    };
  }

  async function signedIn(row?: Pick<NotificationRow, 'id'>): Promise<SignedIn | undefined> {
    const account = accountOf(row?.id) ?? connection.current()?.key;
    if (account !== undefined) return signedInAs(account);
    await vscode.commands.executeCommand(commands.signIn);
    return undefined;
  }

  return {
    signedInAs,
    signedIn,
    signedInToWrite: async (row) => {
      const found = await signedIn(row);
      return found !== undefined && mayWrite(found.account) ? found : undefined;
    },
  };
}

/** Returns the source of the settings of an account. */
export function sourceOf({ key, client }: BoundAccount, pins: NotificationPins): NotificationSource {
  return { key, api: () => createNotificationApi(client()), pins: () => pins.list(key) };
}
