// The extension inside its host. VS Code activates this module in place of dist/extension.js, so that a suite can end the extension and
// start it again, like a window that is closed and opened, in a moment.
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { commands } from '../../../../src/ids.ts';
import { until } from '../../until.ts';
import { clearBorder, replaceWindow, seen } from './border.ts';
import { clearContext, manifest } from './contributions.ts';
import { abandonInput, cancelInput, openInput } from './inputs.ts';
import { abandonMessages, closeMessages, openDialogs } from './messages.ts';
import { closePanels } from './panels.ts';
import { badges, closeViews } from './trees.ts';

interface ExtensionModule {
  readonly activate: (context: vscode.ExtensionContext) => void;
  readonly deactivate: () => Promise<void>;
}

let own: vscode.ExtensionContext | undefined;
let running: { readonly module: ExtensionModule; readonly subscriptions: vscode.Disposable[] } | undefined;

/** Called by VS Code. */
export function activate(context: vscode.ExtensionContext): void {
  own = context;
}

/** Called by VS Code when the window closes. */
export async function deactivate(): Promise<void> {
  await stop();
}

function context(): vscode.ExtensionContext {
  if (own === undefined) throw new Error('VS Code has not activated the extension');
  return own;
}

/** Folder in which the extension stores files for all windows. */
export function globalStorageFolder(): string {
  return context().globalStorageUri.fsPath;
}

/** Returns the secrets whose keys begin with a text. */
export async function secretsOf(prefix: string): Promise<readonly string[]> {
  const { secrets } = context();
  const keys = (await secrets.keys()).filter((key) => key.startsWith(prefix));
  return (await Promise.all(keys.map((key) => secrets.get(key)))).filter((value) => value !== undefined);
}

/** Returns everything that the extension has stored besides secrets: state, files and logs. */
export function storedTexts(): readonly string[] {
  const { globalState, workspaceState, globalStorageUri, storageUri, logUri } = context();
  const states = [globalState, workspaceState].flatMap((state) => state.keys().map((key) => JSON.stringify(state.get(key))));
  const folders = [globalStorageUri, storageUri, logUri].flatMap((uri) => uri?.fsPath ?? []);
  const files = folders.flatMap((cwd) => globSync('**/*', { cwd, withFileTypes: true })).filter((entry) => entry.isFile());
  return [...states, ...files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))];
}

/** Folder of the installed extension. */
export function extensionFolder(): string {
  return context().extensionPath;
}

/** Returns the names of the bundles that the extension has loaded since its start, in alphabetical order. */
export function loadedBundles(): readonly string[] {
  const files = Object.keys(require.cache).filter((file) => path.dirname(file) === extensionFolder());
  return files.flatMap((file) => (file === __filename ? [] : [path.basename(file, '.js')])).toSorted();
}

export interface StartOptions {
  /** User settings that are set before the extension starts. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** True to leave the tree views to VS Code, which then paints them. */
  readonly hasRealViews?: boolean;
}

/** Starts the extension in a window whose user has no data, unless `stop` has left some. */
export async function start({ settings = {}, hasRealViews = false }: StartOptions = {}): Promise<void> {
  await until(
    () => own !== undefined,
    (isActive) => isActive,
    'activation by VS Code',
  );
  if (running !== undefined) throw new Error('the extension is already running');
  replaceWindow({ hasRealViews });
  for (const [key, value] of Object.entries(settings)) await setSetting(key, value);
  const folder = extensionFolder();
  for (const file of Object.keys(require.cache)) if (path.dirname(file) === folder) Reflect.deleteProperty(require.cache, file);
  const module = require(path.join(folder, 'extension.js')) as ExtensionModule;
  const subscriptions: vscode.Disposable[] = [];
  running = { module, subscriptions };
  const members = { subscriptions: { value: subscriptions }, ...(isRefusing ? { secrets: { value: REFUSING } } : {}) };
  module.activate(Object.create(context(), members) as vscode.ExtensionContext);
  // It creates its entry in the status bar when it knows whether it was used before.
  await until(seen.countStatuses, (count) => count > 0, 'the start of the extension');
}

/** Ends the extension as a closing window does. What it has stored remains. */
export async function stop(): Promise<void> {
  if (running === undefined) return;
  const { module, subscriptions } = running;
  running = undefined;
  await module.deactivate();
  for (const subscription of subscriptions.toReversed()) subscription.dispose();
  subscriptions.length = 0;
  // Registrations after this point, while it is loading, would prevent the next start.
  subscriptions.push = (...late) => {
    for (const subscription of late) subscription.dispose();
    return 0;
  };
  clearContext();
}

/** Ends the extension and starts it again, like a user who reloads the window. Views that are open stay open. */
export async function reload(): Promise<void> {
  await stop();
  abandonInput();
  abandonMessages();
  await start();
}

let isRefusing = false;

/** Lets the secret storage fail from the next start on, like a locked keyring, or work again. */
export function refuseSecrets(refuses: boolean): void {
  isRefusing = refuses;
}

const refuse = (): Promise<never> => Promise.reject(new Error('the secret storage is locked'));
const REFUSING: vscode.SecretStorage = {
  get: refuse,
  keys: refuse,
  store: refuse,
  delete: refuse,
  onDidChange: () => new vscode.Disposable(() => {}),
};

const changedSettings = new Set<string>();

/** Sets a user setting, or removes it. It is removed at the end of the suite. */
export async function setSetting(key: string, value: unknown): Promise<void> {
  changedSettings.add(key);
  // VS Code never responds if nothing changes.
  if (isDeepStrictEqual(vscode.workspace.getConfiguration().inspect(key)?.globalValue, value)) return;
  await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
}

/** Folder that is open; the end of a suite empties it. */
export function workspaceFolder(): string {
  const [folder, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined || others.length > 0) throw new Error('one folder must be open');
  return folder.uri.fsPath;
}

/**
 * Ends the extension and removes everything that a suite may have left: state, secrets, settings, files, editors, terminals and debug
 * sessions.
 *
 * @throws Error if the suite has left something open that a user would have had to answer, or if something could not be removed.
 */
export async function reset(): Promise<void> {
  const left: string[] = [];
  const input = openInput();
  if (input !== undefined) left.push(input);
  left.push(...openDialogs());
  while (cancelInput()) await Promise.resolve();
  closeMessages();
  closePanels();
  for (const { label, isDirty } of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs))
    if (isDirty) left.push(`unsaved document ${label}`);
  if (vscode.debug.activeDebugSession !== undefined) left.push(`debug session ${vscode.debug.activeDebugSession.name}`);
  await vscode.debug.stopDebugging();
  // The command exists once the extension has been used.
  if ((await vscode.commands.getCommands(true)).includes(commands.localStop))
    await vscode.commands.executeCommand(commands.localStop);
  // Views load again when a setting or filter changes. What does not end is named below.
  await until(seen.progress, (titles) => titles.length === 0, 'the end of what is in progress', 10_000).catch(() => {});
  left.push(...clearBorder(), ...closeViews());
  await stop();
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  for (const terminal of vscode.window.terminals) terminal.dispose();
  await vscode.commands.executeCommand('workbench.action.closePanel');
  isRefusing = false;
  await forget(left);
  await untilEmpty();
  if (left.length > 0) throw new Error(`the suite has left: ${left.join('; ')}`);
}

/** Removes what the extension has stored, the changed settings and the files of the folder. Adds what it cannot remove to `left`. */
async function forget(left: string[]): Promise<void> {
  const { globalStorageUri, storageUri } = context();
  await forgetState();
  for (const uri of [globalStorageUri, storageUri])
    if (uri !== undefined) rmSync(uri.fsPath, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const configuration = vscode.workspace.getConfiguration();
  for (const key of new Set([...changedSettings, ...contributedSettings()])) {
    if (configuration.inspect(key)?.globalValue !== undefined)
      await configuration.update(key, undefined, vscode.ConfigurationTarget.Global);
  }
  changedSettings.clear();
  const folder = workspaceFolder();
  for (const name of readdirSync(folder))
    rmSync(path.join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  // The extension may still have been storing what its last command had changed.
  const isForgotten = (keys: readonly string[]): boolean => keys.length === 0;
  await until(forgetState, isForgotten, 'nothing stored', 10_000).catch((error: unknown) => void left.push(String(error)));
  const after = vscode.workspace.getConfiguration();
  for (const key of contributedSettings()) {
    const { globalValue, workspaceValue } = after.inspect(key) ?? {};
    if (globalValue !== undefined || workspaceValue !== undefined) left.push(`setting ${key}`);
  }
  if (existsSync(globalStorageUri.fsPath)) left.push(`files in ${globalStorageUri.fsPath}`);
  if (badges() !== '') left.push(`badge ${badges()}`);
}

/** Removes state and secrets. Returns the keys of those that there were. */
async function forgetState(): Promise<readonly string[]> {
  const { globalState, workspaceState, secrets } = context();
  const found: string[] = [];
  for (const memento of [globalState, workspaceState]) {
    for (const key of memento.keys()) {
      found.push(key);
      await memento.update(key, undefined);
    }
  }
  for (const key of await secrets.keys()) {
    found.push(key);
    await secrets.delete(key);
  }
  return found;
}

function contributedSettings(): readonly string[] {
  const { configuration } = manifest();
  return 'properties' in configuration ? Object.keys(configuration.properties) : [];
}

/** Waits until VS Code shows nothing of the suite any more. */
async function untilEmpty(): Promise<void> {
  await until(
    () => [
      ...vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => `editor ${label}`)),
      ...vscode.window.terminals.map(({ name }) => `terminal ${name}`),
      ...vscode.window.visibleTextEditors.map(({ document }) => `panel ${document.fileName}`),
      ...(vscode.debug.activeDebugSession === undefined ? [] : ['a debug session']),
    ],
    (all) => all.length === 0,
    'nothing open',
    20_000,
  );
}
