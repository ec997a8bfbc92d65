import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Persona } from '../auth/dialogs.ts';
import type { UserBasic } from '../contract/identity.ts';
import { PRODUCT } from '../contract/product.ts';
import type { Instance } from '../instances/instances.ts';
import type { LoadLocalControl } from './control.ts';

/** Lifetime of the tokens that are created here, in days. */
const LIFETIME = 30;

interface PersonaItem extends vscode.QuickPickItem {
  readonly choice: Persona | 'code';
}

/** Lets the user select a demo user of a local server. Returns `code` to sign in with a code instead. The server must be running. */
export function createPersonaPick(load: LoadLocalControl): (instance: Instance) => Promise<Persona | 'code' | undefined> {
  return async (instance) => {
    const control = await load(instance.key);
    if (control === undefined) return undefined;
    const items = control.users().then((users) => [
      ...users.map((user) => ({
        label: user.name,
        description: `@${user.username}`,
        detail: roleOf(user),
        iconPath: new vscode.ThemeIcon(isAdministrator(user) ? 'shield' : 'account'),
        choice: {
          id: user.id,
          token: async () =>
            (await control.personalToken(user.id, `${PRODUCT} for VS Code: signed in as @${user.username}`, LIFETIME)).token,
        },
      })),
      { label: '', kind: vscode.QuickPickItemKind.Separator, choice: 'code' as const },
      {
        label: l10n.t('Sign in with a code…'),
        detail: l10n.t('Approve a code in the browser, as for other applications'),
        iconPath: new vscode.ThemeIcon('globe'),
        choice: 'code' as const,
      },
    ]);
    const picked = await vscode.window.showQuickPick<PersonaItem>(items, {
      title: l10n.t('Sign In as Demo User'),
      placeHolder: l10n.t('Select the user to sign in as (no password)'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return picked?.choice;
  };
}

function roleOf(user: UserBasic): string {
  return isAdministrator(user) ? l10n.t('Administrator') : l10n.t('User');
}

function isAdministrator(user: UserBasic): boolean {
  return user['is_admin'] === true;
}
