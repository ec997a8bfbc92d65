import path from 'node:path';
import * as vscode from 'vscode';
import { createGit, type RepositoryFile, type RunGit } from './runGit.ts';

/** The members of the API of VS Code's Git extension (version 1) that are used here. */
interface GitApi {
  /** The program that the setting `git.path` names, or the one that the extension has found. */
  readonly git: { readonly path: string };
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly onDidChange: vscode.Event<void> };
}

interface GitExports {
  /** False if the setting `git.enabled` is off or no git was found. */
  readonly enabled: boolean;
  readonly onDidChangeEnablement: vscode.Event<boolean>;
  /** Throws while `enabled` is false. */
  getAPI(version: 1): GitApi;
}

/** Repositories that the Git extension of VS Code has opened. It opens none in a workspace that is not trusted. */
export interface GitRepositories extends vscode.Disposable {
  /** Runs the git program of the Git extension. Rejects without one. */
  readonly git: RunGit;
  /** Returns the file in the innermost repository; undefined if it is in none. Activates the Git extension. */
  readonly fileIn: (file: vscode.Uri) => Promise<RepositoryFile | undefined>;
  /** Fires when a repository was opened, or when its commits, tags or changes may have changed. */
  readonly onDidChange: vscode.Event<void>;
}

/** Returns the API of the Git extension; undefined if it is off, and in workspaces that are not trusted. Activates the extension. */
async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<GitExports>('vscode.git');
  if (extension === undefined || !vscode.workspace.isTrusted) return undefined;
  const exports = extension.isActive ? extension.exports : await extension.activate();
  return exports.enabled ? exports.getAPI(1) : undefined;
}

/** Runs the git program of the Git extension. Rejects without one. */
export const runExtensionGit: RunGit = async (folder, args, options) => {
  const api = await gitApi();
  if (api === undefined) throw new Error('no git program');
  return createGit(api.git.path)(folder, args, options);
};

export function createGitRepositories(): GitRepositories {
  const changes = new vscode.EventEmitter<void>();
  const followed = new Map<GitRepository | GitApi, vscode.Disposable>();

  function follow(api: GitApi): void {
    if (!followed.has(api))
      followed.set(
        api,
        api.onDidOpenRepository(() => {
          follow(api);
          changes.fire();
        }),
      );
    for (const repository of api.repositories)
      if (!followed.has(repository))
        followed.set(
          repository,
          repository.state.onDidChange(() => changes.fire()),
        );
  }

  async function activate(): Promise<GitApi | undefined> {
    const api = await gitApi();
    if (api !== undefined) follow(api);
    return api;
  }

  return {
    git: runExtensionGit,
    fileIn: async (file) => {
      if (file.scheme !== 'file') return undefined;
      const root = (await activate())?.getRepository(file)?.rootUri.fsPath;
      if (root === undefined) return undefined;
      const relative = path.relative(root, file.fsPath).split(path.sep).join('/');
      return relative === '' || relative.startsWith('../') ? undefined : { root, path: relative };
    },
    onDidChange: changes.event,
    dispose: () => {
      changes.dispose();
      for (const following of followed.values()) following.dispose();
    },
  };
}
