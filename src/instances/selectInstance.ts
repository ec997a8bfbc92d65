import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { keyOf } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { commands } from '../ids.ts';
import type { SignIn } from '../auth/signIn.ts';
import type { Send } from '../api/transport.ts';
import { addInstance } from './addInstance.ts';
import { type Instance, type Instances, isLocalServer } from './instances.ts';

interface ChoiceItem extends vscode.QuickPickItem {
  readonly choose?: () => PromiseLike<unknown>;
}

export interface SelectInstanceSettings {
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly send: Send;
}

/** Lets the user select the current instance and account, or add one. */
export async function selectInstance({ instances, sessions, signIn, send }: SelectInstanceSettings): Promise<void> {
  const current = instances.current();
  const items = instances.all().flatMap((instance) => itemsOf(instance, instances, sessions));
  const account: ChoiceItem = {
    label: l10n.t('Add account on {0}…', current.label),
    iconPath: new vscode.ThemeIcon('person-add'),
    choose: () => vscode.commands.executeCommand(commands.signIn),
  };
  const instance: ChoiceItem = {
    label: l10n.t('Add instance…'),
    iconPath: new vscode.ThemeIcon('add'),
    choose: async () => {
      const added = await addInstance(send);
      if (added === undefined) return;
      await instances.select(added.key);
      if (added.isForTokens) await signIn.signIn(instances.current(), 'token');
    },
  };
  const server: ChoiceItem = {
    label: l10n.t('Connect to local server…'),
    iconPath: new vscode.ThemeIcon('plug'),
    choose: () => vscode.commands.executeCommand(commands.localConnect),
  };
  const separator: ChoiceItem = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const picked = await vscode.window.showQuickPick([...items, separator, account, instance, server], {
    title: l10n.t('Select Instance'),
    placeHolder: l10n.t('Select the instance and account to show'),
    matchOnDescription: true,
  });
  await picked?.choose?.();
}

/** Returns an item for the instance with its current account, followed by one for each other account. */
function itemsOf(instance: Instance, instances: Instances, sessions: Sessions): ChoiceItem[] {
  const session = sessions.current(instance.key);
  const isCurrent = instance.key === instances.current().key;
  const others = sessions.all().filter((other) => other.instance === instance.key && other !== session);
  return [
    {
      label: instance.label,
      description: session === undefined ? l10n.t('signed out') : `@${session.account.username}`,
      iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : isLocalServer(instance) ? 'vm' : 'cloud'),
      choose: () => instances.select(instance.key),
    },
    ...others.map((other) => ({
      label: `@${other.account.username}`,
      description: l10n.t('{0} @ {1}', other.account.name, instance.label),
      iconPath: new vscode.ThemeIcon('account'),
      choose: async () => {
        await sessions.use(keyOf(other));
        await instances.select(instance.key);
      },
    })),
  ];
}
