// What the suites inside the extension host share.
import type { AddressInfo, Server } from 'node:net';
import * as vscode from 'vscode';
import { commands, settings } from '../../../../src/ids.ts';

export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension('signalbox.signalbox');
  if (found === undefined) throw new Error('signalbox.signalbox is not installed');
  return found;
}

/** Listens on a free port of this machine and answers its address. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

/** Writes the user's list of instances and waits until the extension has been told. */
export async function writeInstances(value: readonly { readonly url: string }[]): Promise<void> {
  await vscode.workspace.getConfiguration().update(settings.instances, value, vscode.ConfigurationTarget.Global);
}

/** Chooses the entry below the local server: the first instance of the setting. */
export async function selectFirstConfigured(): Promise<void> {
  await (await runAndAccept(commands.instanceSelect, 1)).done;
}

/** Begins to sign in with a code, which is the first of the ways to. What comes of it is not waited for. */
export async function beginSignIn(): Promise<void> {
  const { done } = await runAndAccept(commands.signIn, 0);
  void done;
}

/**
 * Runs a command that shows a choice list, and takes the entry so many below the first, as the keyboard would. VS Code does not say when
 * a choice list is on the screen; but one of ours goes when it comes.
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
