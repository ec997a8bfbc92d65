import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Session } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Instance, Instances } from './instances.ts';
import { ownInstances, saveInstances } from './ownInstances.ts';

export interface RemoveInstanceSettings {
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly signOut: (session: Session) => Promise<void>;
  /** Deletes what is stored about an instance. */
  readonly forget: (instance: string) => void;
}

interface InstanceItem extends vscode.QuickPickItem {
  readonly instance: Instance;
}

/** Lets the user select an instance of the user settings, and removes it with its sign-ins and everything that is stored about it. */
export async function removeInstance(settings: RemoveInstanceSettings): Promise<void> {
  const { instances, sessions, signOut, forget } = settings;
  const instance = await pickInstance(instances, sessions);
  if (instance === undefined) return;
  const { key, label } = instance;
  const signedIn = sessionsOf(sessions, key);
  const remove = l10n.t('Remove');
  const accounts = signedIn.map(({ account }) => `@${account.username}`).join(', ');
  const detail =
    signedIn.length === 0
      ? l10n.t(
          'This deletes the entry in your settings and everything that is stored here about your accounts on the instance. Data on the instance stays.',
        )
      : l10n.t(
          'This signs out {0}, and deletes the entry in your settings and everything that is stored here about your accounts on the instance. Data on the instance stays.',
          accounts,
        );
  const question = l10n.t('Remove {0}?', label);
  const next = instances.current().key === key ? sessions.current(instances.local().key) : undefined;
  const details =
    next === undefined ? detail : `${detail} ${l10n.t('You continue on the local server as @{0}.', next.account.username)}`;
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail: details }, remove)) !== remove) return;
  for (const session of sessionsOf(sessions, key)) await signOut(session);
  if (instances.current().key === key) await instances.select(instances.local().key);
  await saveInstances(ownInstances().filter(({ url }) => url !== key));
  forget(key);
}

async function pickInstance(instances: Instances, sessions: Sessions): Promise<Instance | undefined> {
  const own = new Set(ownInstances().map(({ url }) => url));
  const items: readonly InstanceItem[] = instances
    .all()
    .filter(({ kind, key }) => kind === 'remote' && own.has(key))
    .map((instance) => ({
      label: instance.label,
      description: sessionsOf(sessions, instance.key)
        .map(({ account }) => `@${account.username}`)
        .join(', '),
      iconPath: new vscode.ThemeIcon('cloud'),
      instance,
    }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(l10n.t('There is no instance to remove. The local server always stays.'));
    return undefined;
  }
  const title = l10n.t('Remove Instance');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select the instance to remove') }))?.instance;
}

function sessionsOf(sessions: Sessions, key: string): readonly Session[] {
  return sessions.all().filter(({ instance }) => instance === key);
}
