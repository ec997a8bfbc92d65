import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { askInInputBox, type Verdict } from '../ui/inputBox.ts';
import { checkInstanceUrl, type InstanceSetting, isSameInstance } from './instances.ts';
import { ownInstances, saveInstances } from './ownInstances.ts';
import { type Probe, probeInstance } from './probe.ts';

/** An instance that was added. `isForTokens`: the user wants to sign in with an access token. */
export interface AddedInstance {
  readonly key: string;
  readonly isForTokens: boolean;
}

/** Asks for the address, and for an application ID if signing in needs one, and adds the instance to the user settings. */
export async function addInstance(send: Send): Promise<AddedInstance | undefined> {
  const found = await askForAddress(send);
  if (found === undefined) return undefined;
  const application = found.isSignalbox ? ({ kind: 'builtIn' } as const) : await askForApplication(found.url);
  if (application === undefined) return undefined;
  const key = await add({ url: found.url, ...(application.kind === 'own' ? { clientId: application.clientId } : {}) });
  return { key, isForTokens: application.kind === 'none' };
}

/** Asks for an address at which an instance answers, or which the user confirms although none does. */
async function askForAddress(send: Send): Promise<{ readonly url: string; readonly isSignalbox: boolean } | undefined> {
  /** Address that the user saw the doubts about. */
  let doubted: string | undefined;
  let found: { readonly url: string; readonly isSignalbox: boolean } | undefined;

  async function check(text: string): Promise<Verdict> {
    const checked = checkInstanceUrl(text);
    if (checked.kind === 'refused') return checked;
    const { url } = checked;
    const probe: Probe = doubted === url ? { kind: 'platform', isSignalbox: false } : await probeInstance(url, send);
    if (probe.kind === 'platform') {
      found = { url, isSignalbox: probe.isSignalbox };
      return { kind: 'accepted' };
    }
    if (probe.kind === 'moved') {
      const { host } = new URL(url);
      return {
        kind: 'refused',
        text: l10n.t('{0} leads to this address. Press Enter to use it', host),
        replacement: probe.url,
      };
    }
    doubted = url;
    return { kind: 'refused', text: l10n.t('{0}. Press Enter again to add the instance anyway', probe.text) };
  }

  await askInInputBox({
    title: l10n.t('Add Instance'),
    prompt: l10n.t('Enter the URL of the instance'),
    placeholder: 'https://gitlab.example.com',
    hint: (text) => {
      const checked = checkInstanceUrl(text);
      if (checked.kind === 'accepted' && checked.warning !== undefined)
        return { message: checked.warning, severity: vscode.InputBoxValidationSeverity.Warning };
      return text === '' || checked.kind === 'accepted'
        ? undefined
        : { message: checked.text, severity: vscode.InputBoxValidationSeverity.Error };
    },
    check,
  });
  return found;
}

/** `none`: the instance is used with access tokens. */
type Application = { readonly kind: 'none' } | { readonly kind: 'own'; readonly clientId: string };

interface ApplicationItem extends vscode.QuickPickItem {
  readonly choose: () => Promise<Application | undefined>;
}

/** Asks how the user will sign in, because only a sign-in in the browser needs an application. */
async function askForApplication(url: string): Promise<Application | undefined> {
  const items: readonly ApplicationItem[] = [
    {
      label: l10n.t('With an access token'),
      detail: l10n.t('Nothing has to be registered on the instance'),
      iconPath: new vscode.ThemeIcon('key'),
      choose: async () => ({ kind: 'none' }),
    },
    {
      label: l10n.t('In the browser'),
      detail: l10n.t('Needs the application ID of an OAuth application on this instance'),
      iconPath: new vscode.ThemeIcon('globe'),
      choose: async () => {
        const clientId = await askForApplicationId(url);
        return clientId === undefined ? undefined : { kind: 'own', clientId };
      },
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Add Instance'),
    placeHolder: l10n.t('Select how you want to sign in to {0}', new URL(url).host),
    ignoreFocusOut: true,
  });
  return picked?.choose();
}

async function askForApplicationId(url: string): Promise<string | undefined> {
  const clientId = await askInInputBox({
    title: l10n.t('Application ID'),
    prompt: l10n.t(
      'Enter the application ID of an OAuth application that is not confidential and has the scope api, or [register one]({0})',
      `${url}/-/user_settings/applications`,
    ),
    check: async (text) =>
      text.trim() === '' ? { kind: 'refused', text: l10n.t('Enter the application ID') } : { kind: 'accepted' },
  });
  return clientId?.trim();
}

/** Adds an instance to the user settings, or changes the application of the same one. Returns its key. */
async function add(added: InstanceSetting): Promise<string> {
  const before = ownInstances();
  const { url: key = added.url, ca } = before.find(({ url }) => isSameInstance(url, added.url)) ?? {};
  const others = before.filter(({ url }) => url !== key);
  await saveInstances([...others, { ...added, url: key, ...(ca === undefined ? {} : { ca }) }]);
  return key;
}

/** Asks for the application ID of an instance that was added without one, and stores it. Returns false when the user cancelled. */
export async function addApplicationId(url: string): Promise<boolean> {
  const clientId = await askForApplicationId(url);
  if (clientId === undefined) return false;
  await add({ url, clientId });
  return true;
}
