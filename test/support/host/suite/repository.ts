// The git repository of the open folder, as VS Code's Git extension knows it.
import { rmSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { until } from '../../until.ts';
import { workspaceFolder } from './extension.ts';

interface GitExports {
  getAPI(version: 1): {
    openRepository(root: vscode.Uri): Promise<unknown>;
    /** `status` notices that the repository has been removed. */
    getRepository(uri: vscode.Uri): { status(): Promise<void> } | null;
  };
}

/** Lets the Git extension open the repository in the open folder, which git has just created. */
export async function openRepository(): Promise<void> {
  await (await gitApi()).openRepository(folder());
  await untilOpen(true);
}

/** Removes the repository from the open folder, and waits until the Git extension has closed it. */
export async function removeRepository(): Promise<void> {
  rmSync(path.join(workspaceFolder(), '.git'), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  await (await gitApi())
    .getRepository(folder())
    ?.status()
    .catch(() => {});
  await untilOpen(false);
}

function folder(): vscode.Uri {
  return vscode.Uri.file(workspaceFolder());
}

async function gitApi(): Promise<ReturnType<GitExports['getAPI']>> {
  const extension = vscode.extensions.getExtension<GitExports>('vscode.git');
  if (extension === undefined) throw new Error('VS Code has no Git extension');
  return (await extension.activate()).getAPI(1);
}

async function untilOpen(isOpen: boolean): Promise<void> {
  const git = await gitApi();
  await until(
    () => git.getRepository(folder()) !== null,
    (is) => is === isOpen,
    isOpen ? 'the repository of the folder' : 'no repository in the folder',
  );
}
