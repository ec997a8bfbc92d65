// Helpers for the suites inside the extension host.
import type { AddressInfo, Server } from 'node:net';
import * as vscode from 'vscode';
import { commands, settings } from '../../../../src/ids.ts';

export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension('signalbox.signalbox');
  if (found === undefined) throw new Error('signalbox.signalbox is not installed');
  return found;
}

/** Listens on a free port of this machine and returns its address. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

/** Writes the user's list of instances and waits until the extension has been notified. */
export async function writeInstances(value: readonly { readonly url: string }[]): Promise<void> {
  await vscode.workspace.getConfiguration().update(settings.instances, value, vscode.ConfigurationTarget.Global);
}

/** Chooses the entry after the local server: the first configured instance. */
export async function selectFirstConfigured(): Promise<void> {
  await (await runAndAccept(commands.instanceSelect, 1)).done;
}

/** Starts signing in with a code, which is the first method. The result is not awaited. */
export async function startSignIn(): Promise<void> {
  const { done } = await runAndAccept(commands.signIn, 0);
  void done;
}

/**
 * Runs a command that shows a choice list, and accepts the entry `below` rows after the first by keyboard. VS Code does not report when a
 * choice list is shown, so an empty one is opened first: it is hidden when the command shows its own.
 */
async function runAndAccept(command: string, below: number): Promise<{ readonly done: Thenable<unknown> }> {
  const ours = vscode.window.createQuickPick();
  const replaced = new Promise<void>((resolve) => ours.onDidHide(resolve));
  ours.show();
  const done = vscode.commands.executeCommand(command);
  await replaced;
  ours.dispose();
  for (let step = 0; step < below; step += 1) await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
  await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  return { done };
}
