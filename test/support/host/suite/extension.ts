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

/**
 * Runs the command that chooses an instance and takes the entry below the local server, as the keyboard would: the first one of the
 * setting. VS Code does not say when a choice list is on the screen; but one of ours goes when it comes.
 */
export async function selectFirstConfigured(): Promise<void> {
  const ours = vscode.window.createQuickPick();
  const replaced = new Promise<void>((resolve) => ours.onDidHide(resolve));
  ours.show();
  const chosen = vscode.commands.executeCommand(commands.instanceSelect);
  await replaced;
  ours.dispose();
  await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
  await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  await chosen;
}
