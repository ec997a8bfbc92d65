import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import { isLocalKey } from '../instances/accountKey.ts';
import type { Instances } from '../instances/instances.ts';
import { keyOf, type Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './signIn.ts';

export interface SignOutSettings {
  readonly signIn: Pick<SignIn, 'signOut'>;
  readonly sessions: Sessions;
  readonly instances: Instances;
}

/** Signs out the current account, or if there is none, one that the user selects. */
export async function signOutCurrent(settings: SignOutSettings): Promise<void> {
  const { sessions, instances } = settings;
  const session = sessions.current(instances.current().key) ?? (await pickSession(settings));
  if (session !== undefined) await signOut(settings, session);
}

/**
 * Signs an account out and says so. No other account takes its place on the instance: until the user selects who goes on, it is nobody, so
 * that nothing is written as somebody else by surprise.
 */
export async function signOut({ signIn, sessions, instances }: SignOutSettings, session: Session): Promise<void> {
  const { instance: key, account } = session;
  const isInUse = sessions.current(key)?.id === session.id;
  await signIn.signOut(session);
  const label = instances.all().find((one) => one.key === key || (one.kind === 'local' && isLocalKey(key)))?.label ?? key;
  const others = sessions.all().filter(({ instance }) => instance === key);
  if (isInUse && others.length > 0) void askWhoGoesOn({ sessions, others, signedOut: account.username, label });
  else vscode.window.setStatusBarMessage(l10n.t('@{0} was signed out of {1}', account.username, label), 5_000);
}

interface Question {
  readonly sessions: Sessions;
  readonly others: readonly Session[];
  readonly signedOut: string;
  readonly label: string;
}

async function askWhoGoesOn({ sessions, others, signedOut, label }: Question): Promise<void> {
  const [first, second] = others;
  if (first === undefined) return;
  const go = second === undefined ? l10n.t('Continue as @{0}', first.account.username) : l10n.t('Select Account…');
  const text = l10n.t('@{0} was signed out of {1}. Nobody is signed in there now.', signedOut, label);
  if ((await vscode.window.showInformationMessage(text, go)) !== go) return;
  if (second !== undefined) await vscode.commands.executeCommand(commands.instanceSelect);
  // Meanwhile, the account may have been signed out or another one selected.
  else if (sessions.get(keyOf(first)) !== undefined && sessions.current(first.instance) === undefined)
    await sessions.use(keyOf(first));
}

interface SessionItem extends vscode.QuickPickItem {
  readonly session: Session;
}

/** Lets the user select a session of any instance. */
async function pickSession({ sessions, instances }: SignOutSettings): Promise<Session | undefined> {
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
