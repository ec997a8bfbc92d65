import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import { checkInstanceUrl, readInstanceSettings } from './instances.ts';

/** Asks for the address and adds it to the user settings. Returns the key of the new instance, or undefined if the user cancels. */
export async function addInstance(): Promise<string | undefined> {
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
