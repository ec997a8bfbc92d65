import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './signIn.ts';

export function authCommands(signIn: SignIn, sessions: Sessions, instances: Instances) {
  return {
    [commands.signIn]: async () => {
      await signIn.signIn(instances.current());
    },
    /** Without arguments, signs the current account in again. */
    [commands.signInAgain]: async (key?: string, scope?: string) => {
      const session = key === undefined ? sessions.current(instances.current().key) : sessions.get(key);
      if (session === undefined) await vscode.commands.executeCommand(commands.signIn);
      else await signInAgain(signIn, instances, session, scope);
    },
    [commands.signOut]: async () => {
      const { instanceActions } = await import('../instances/instanceActions.ts');
      await instanceActions().signOutCurrent({ signIn, sessions, instances });
    },
  };
}

/** Signs the account of a session in again, with a scope that the session lacks, and says so. */
async function signInAgain(
  signIn: SignIn,
  instances: Instances,
  { instance: key, account: { id, username } }: Session,
  scope = EXTENSION_SCOPE,
): Promise<void> {
  const instance = instances.all().find((one) => one.key === key);
  if (instance === undefined || (await signIn.signInAgain(instance, { id, username, scope })) === undefined) return;
  void vscode.window.showInformationMessage(
    l10n.t('@{0} is signed in with the scope {1} now. You can try again.', username, scope),
  );
}
