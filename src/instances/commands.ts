import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { keyOf } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { commands, settings } from '../ids.ts';
import { checkInstanceUrl, type Instance, type Instances, readInstanceSettings } from './instances.ts';

interface ChoiceItem extends vscode.QuickPickItem {
  readonly choose?: () => PromiseLike<unknown>;
}

/** Command that selects the current instance and account, or adds one. */
export function instanceCommands(instances: Instances, sessions: Sessions) {
  async function select(): Promise<void> {
    const current = instances.current();
    const account: ChoiceItem = {
      label: l10n.t('Add account on {0}…', current.label),
      iconPath: new vscode.ThemeIcon('person-add'),
      choose: () => vscode.commands.executeCommand(commands.signIn),
    };
    const instance: ChoiceItem = {
      label: l10n.t('Add instance…'),
      iconPath: new vscode.ThemeIcon('add'),
      choose: async () => {
        const key = await addInstance();
        if (key !== undefined) await instances.select(key);
      },
    };
    const separator: ChoiceItem = { label: '', kind: vscode.QuickPickItemKind.Separator };
    const picked = await vscode.window.showQuickPick([...instances.all().flatMap(itemsOf), separator, account, instance], {
      title: l10n.t('Select Instance'),
      placeHolder: l10n.t('Select the instance and account to show'),
      matchOnDescription: true,
    });
    await picked?.choose?.();
  }

  /** Returns an item for the instance with its current account, followed by one for each other account. */
  function itemsOf(instance: Instance): ChoiceItem[] {
    const session = sessions.current(instance.key);
    const isCurrent = instance.key === instances.current().key;
    const others = sessions.all().filter((other) => other.instance === instance.key && other !== session);
    return [
      {
        label: instance.label,
        description: session === undefined ? l10n.t('signed out') : `@${session.account.username}`,
        iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : instance.kind === 'local' ? 'vm' : 'cloud'),
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

  return { [commands.instanceSelect]: select };
}

/** Asks for the address and adds it to the user settings. Returns the key of the new instance, or undefined if the user cancels. */
async function addInstance(): Promise<string | undefined> {
  const address = await vscode.window.showInputBox({
    title: l10n.t('Add Instance (1 of 2)'),
    prompt: l10n.t('Enter the URL of the instance'),
    placeHolder: 'https://gitlab.example.com',
    ignoreFocusOut: true,
    validateInput: (text) => {
      const checked = checkInstanceUrl(text);
      if (checked.kind === 'refused') return text === '' ? undefined : checked.text;
      return checked.warning === undefined
        ? undefined
        : { message: checked.warning, severity: vscode.InputBoxValidationSeverity.Warning };
    },
  });
  const checked = checkInstanceUrl(address ?? '');
  if (checked.kind === 'refused') return undefined;
  const clientId = await vscode.window.showInputBox({
    title: l10n.t('Add Instance (2 of 2)'),
    prompt: l10n.t(
      'Enter the application ID of a public OAuth application on this instance. Leave it empty for a Signalbox server.',
    ),
    ignoreFocusOut: true,
  });
  if (clientId === undefined) return undefined;
  const configuration = vscode.workspace.getConfiguration();
  const others = readInstanceSettings(configuration.get(settings.instances)).filter(({ url }) => url !== checked.url);
  const added = { url: checked.url, ...(clientId.trim() === '' ? {} : { clientId: clientId.trim() }) };
  await configuration.update(settings.instances, [...others, added], vscode.ConfigurationTarget.Global);
  return checked.url;
}
