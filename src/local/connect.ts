import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { commands, settings } from '../ids.ts';
import { checkInstanceUrl, type Instances, isSameInstance, readInstanceSettings } from '../instances/instances.ts';
import { checkAdminToken, type ConnectedServers, isLocalAddress } from './connectedServers.ts';

export interface ConnectSettings {
  readonly instances: Instances;
  readonly connected: ConnectedServers;
  readonly send: Send;
  /** Returns why a request has failed. Classes of errors differ between bundles. */
  readonly reasonOf: (error: unknown) => string;
}

interface AddressItem extends vscode.QuickPickItem {
  readonly address: string | undefined;
}

/**
 * Asks for the address and the admin token of a server that another program runs on this machine. Once the server has accepted the token,
 * the extension controls it like its own server.
 */
export async function connectToServer(how: ConnectSettings): Promise<void> {
  const { instances, connected } = how;
  const selected = await selectAddress(instances);
  if (selected === undefined) return;
  const address = instances.all().find(({ key }) => isSameInstance(key, selected))?.key ?? selected;
  const token = await askForToken(address, how);
  if (token === undefined) return;
  await addToSettings(address);
  instances.reread();
  await connected.connect(address, token);
  await instances.select(address);
  const signIn = l10n.t('Sign In as Demo User…');
  const text = l10n.t('Connected to {0}. Live updates, mailbox and OAuth flows now work with this server.', hostOf(address));
  if ((await vscode.window.showInformationMessage(text, signIn)) === signIn)
    await vscode.commands.executeCommand(commands.localUseAs);
}

/** Forgets the admin token of the current instance. Its accounts stay signed in. */
export async function disconnectFromServer({ instances, connected }: ConnectSettings): Promise<void> {
  const { key, label, isConnected } = instances.current();
  if (isConnected !== true) return;
  await connected.disconnect(key);
  void vscode.window.showInformationMessage(l10n.t('The admin token of {0} was deleted from the secret storage.', label));
}

async function selectAddress(instances: Instances): Promise<string | undefined> {
  const items = instances
    .all()
    .filter(({ kind, key }) => kind === 'remote' && isLocalAddress(key))
    .map(
      ({ key, label, isConnected }): AddressItem => ({
        label,
        description: isConnected === true ? l10n.t('connected') : '',
        iconPath: new vscode.ThemeIcon('vm'),
        address: key,
      }),
    );
  if (items.length === 0) return askForAddress();
  const other: AddressItem = { label: l10n.t('Other address…'), iconPath: new vscode.ThemeIcon('add'), address: undefined };
  const picked = await vscode.window.showQuickPick([...items, other], {
    title: l10n.t('Connect to Local Server'),
    placeHolder: l10n.t('Select a server that runs on this machine'),
  });
  return picked === undefined ? undefined : (picked.address ?? askForAddress());
}

async function askForAddress(): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title: l10n.t('Connect to Local Server'),
    prompt: l10n.t('Enter the address that the server printed when it started'),
    placeHolder: 'http://127.0.0.1:8080',
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? undefined : problemOf(text)),
  });
  const checked = checkInstanceUrl(entered ?? '');
  return checked.kind === 'accepted' && isLocalAddress(checked.url) ? checked.url : undefined;
}

function problemOf(text: string): string | undefined {
  const checked = checkInstanceUrl(text);
  if (checked.kind === 'refused') return checked.text;
  return isLocalAddress(checked.url)
    ? undefined
    : l10n.t('The server must run on this machine, for example at http://127.0.0.1:8080');
}

/** Asks for the token until the server accepts it. Returns undefined if the user cancels. */
async function askForToken(address: string, how: ConnectSettings): Promise<string | undefined> {
  let problem: string | undefined;
  for (;;) {
    const token = await vscode.window.showInputBox({
      title: l10n.t('Connect to {0}', hostOf(address)),
      prompt: problem ?? l10n.t('Enter the admin token of the server, for example the value of SIGNALBOX_ADMIN_TOKEN'),
      password: true,
      ignoreFocusOut: true,
    });
    if (token === undefined || token.trim() === '') return undefined;
    problem = await problemOfToken(address, token.trim(), how);
    if (problem === undefined) return token.trim();
  }
}

/** Returns why the server cannot be controlled with this token, or undefined if it can. */
async function problemOfToken(address: string, token: string, { send, reasonOf }: ConnectSettings): Promise<string | undefined> {
  // Another text could not be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token))
    return l10n.t('{0} rejects this token. Enter the admin token of the server.', hostOf(address));
  try {
    switch (await checkAdminToken(address, token, send)) {
      case 'accepted':
        return undefined;
      case 'rejected':
        return l10n.t('{0} rejects this token. Enter the admin token of the server.', hostOf(address));
      case 'notSignalbox':
        return l10n.t('No Signalbox server responds at {0}. Start it, then enter its admin token.', hostOf(address));
    }
  } catch (error) {
    return reasonOf(error);
  }
}

/** Adds the address to the configured instances unless it is one of them. */
async function addToSettings(address: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const before: unknown = configuration.get(settings.instances);
  const known = readInstanceSettings(before);
  if (known.some(({ url }) => url === address)) return;
  await configuration.update(settings.instances, [...known, { url: address }], vscode.ConfigurationTarget.Global);
}

function hostOf(address: string): string {
  return new URL(address).host;
}
