import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './signIn.ts';

interface SessionItem extends vscode.QuickPickItem {
  readonly session: Session;
}

export function authCommands(signIn: SignIn, sessions: Sessions, instances: Instances) {
  async function signOut(): Promise<void> {
    const session = sessions.current(instances.current().key) ?? (await pickSession());
    if (session !== undefined) await signIn.signOut(session);
  }

  /** Lets the user select a session of any instance, for when the current instance has none. */
  async function pickSession(): Promise<Session | undefined> {
    const items = instances.all().flatMap(({ key, label }): readonly SessionItem[] =>
      sessions
        .all()
        .filter(({ instance }) => instance === key)
        .map((session) => ({ label: `@${session.account.username}`, description: label, session })),
    );
    if (items.length === 0) {
      void vscode.window.showInformationMessage(l10n.t('You are not signed in.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder: l10n.t('Select the account to sign out') }))?.session;
  }

  return {
    [commands.signIn]: async () => {
      await signIn.signIn(instances.current());
    },
    [commands.signOut]: signOut,
  };
}
