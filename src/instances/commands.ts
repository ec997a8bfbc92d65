import * as vscode from 'vscode';
import type { Sessions } from '../auth/sessions.ts';
import { commands, settings } from '../ids.ts';
import { checkInstanceUrl, type Instance, type Instances, readInstanceSettings } from './instances.ts';

interface InstanceItem extends vscode.QuickPickItem {
  readonly instance?: Instance;
}

/** Choosing the instance to work with, and adding one. */
export function registerInstanceCommands(instances: Instances, sessions: Sessions): vscode.Disposable {
  async function select(): Promise<void> {
    const add: InstanceItem = { label: vscode.l10n.t('Add an instance…'), iconPath: new vscode.ThemeIcon('add') };
    const separator: InstanceItem = { label: '', kind: vscode.QuickPickItemKind.Separator };
    const picked = await vscode.window.showQuickPick([...instances.all().map(itemOf), separator, add], {
      title: vscode.l10n.t('Signalbox Instance'),
      placeHolder: vscode.l10n.t('Platform that the views show'),
    });
    if (picked === undefined) return;
    const key = picked.instance === undefined ? await addInstance() : picked.instance.key;
    if (key !== undefined) await instances.select(key);
  }

  function itemOf(instance: Instance): InstanceItem {
    const session = sessions.get(instance.key);
    const isCurrent = instance.key === instances.current().key;
    return {
      label: instance.label,
      description: session === undefined ? vscode.l10n.t('signed out') : `@${session.account.username}`,
      iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : instance.kind === 'local' ? 'vm' : 'cloud'),
      instance,
    };
  }

  return vscode.commands.registerCommand(commands.instanceSelect, select);
}

/** Asks for the address and writes it into the user's settings; the key of the new instance, or undefined when the person stepped back. */
async function addInstance(): Promise<string | undefined> {
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add an Instance (1 of 2)'),
    prompt: vscode.l10n.t('Address of the platform'),
    placeHolder: 'https://gitlab.example.com',
    ignoreFocusOut: true,
    validateInput: (text) => {
      const checked = checkInstanceUrl(text);
      if (checked.kind === 'refused') return text === '' ? undefined : checked.words;
      return checked.warning === undefined
        ? undefined
        : { message: checked.warning, severity: vscode.InputBoxValidationSeverity.Warning };
    },
  });
  const checked = checkInstanceUrl(address ?? '');
  if (checked.kind === 'refused') return undefined;
  const clientId = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add an Instance (2 of 2)'),
    prompt: vscode.l10n.t('Application ID of a public OAuth application there. Leave it empty for a Signalbox server.'),
    ignoreFocusOut: true,
  });
  if (clientId === undefined) return undefined;
  const configuration = vscode.workspace.getConfiguration();
  const others = readInstanceSettings(configuration.get(settings.instances)).filter(({ url }) => url !== checked.url);
  const added = { url: checked.url, ...(clientId.trim() === '' ? {} : { clientId: clientId.trim() }) };
  await configuration.update(settings.instances, [...others, added], vscode.ConfigurationTarget.Global);
  return checked.url;
}
