import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ApprovalPage } from '../auth/codeDialogs.ts';
import type { UserBasic } from '../contract/identity.ts';
import { isLocalServer } from '../instances/instances.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { LoadLocalControl, LocalControl } from './control.ts';

interface UserItem extends vscode.QuickPickItem {
  readonly username?: string;
}

/**
 * Returns a function that determines the URL of the approval page. Demo users of the local server have no known password, so there the URL
 * first signs in the user that is selected in a list.
 */
export function createApprovalPage(load: LoadLocalControl, log: Log): ApprovalPage {
  async function usersOf(control: LocalControl): Promise<readonly UserBasic[]> {
    try {
      return await control.users();
    } catch (error) {
      log.warn(`Could not list the users of the local server: ${messageOf(error)}`);
      return [];
    }
  }

  async function linkFor(control: LocalControl, username: string, plain: string): Promise<string> {
    try {
      const { pathname, search } = new URL(plain);
      return await control.signInLink(username, `${pathname}${search}`);
    } catch (error) {
      log.warn(`Could not create a sign-in link for @${username}: ${messageOf(error)}`);
      return plain;
    }
  }

  return async (instance, plain) => {
    const control = isLocalServer(instance) ? await load(instance.key) : undefined;
    if (control === undefined) return plain;
    const users = await usersOf(control);
    if (users.length === 0) return plain;
    const picked = await vscode.window.showQuickPick(itemsOf(users), {
      title: l10n.t('Sign In to Local Server'),
      placeHolder: l10n.t('Select the user who approves in the browser'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    return picked.username === undefined ? plain : linkFor(control, picked.username, plain);
  };
}

function itemsOf(users: readonly UserBasic[]): UserItem[] {
  const items = users.map(({ name, username }) => ({
    label: name,
    description: `@${username}`,
    iconPath: new vscode.ThemeIcon('account'),
    username,
  }));
  return [
    ...items,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: l10n.t('Another user (sign in with a password)'), iconPath: new vscode.ThemeIcon('globe') },
  ];
}
