import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { keyOf, type Sessions } from '../auth/sessions.ts';
import { commands, settings } from '../ids.ts';
import { checkInstanceUrl, type Instance, type Instances, readInstanceSettings } from './instances.ts';

interface ChoiceItem extends vscode.QuickPickItem {
  readonly choose?: () => PromiseLike<unknown>;
}

/** Choosing the instance and the account to work with, and adding one. */
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

  /** The instance as it is in use, then the other accounts there. */
  function itemsOf(instance: Instance): ChoiceItem[] {
    const used = sessions.current(instance.key);
    const isCurrent = instance.key === instances.current().key;
    const others = sessions.all().filter((session) => session.instance === instance.key && session !== used);
    return [
      {
        label: instance.label,
        description: used === undefined ? l10n.t('signed out') : `@${used.account.username}`,
        iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : instance.kind === 'local' ? 'vm' : 'cloud'),
        choose: () => instances.select(instance.key),
      },
      ...others.map((session) => ({
        label: `@${session.account.username}`,
        description: l10n.t('{0} @ {1}', session.account.name, instance.label),
        iconPath: new vscode.ThemeIcon('account'),
        choose: async () => {
          await sessions.use(keyOf(session));
          await instances.select(instance.key);
        },
      })),
    ];
  }

  return { [commands.instanceSelect]: select };
}

/** Asks for the address and writes it into the user's settings; the key of the new instance, or undefined when the person stepped back. */
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
