import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import { settingOf } from '../support/settings.ts';
import { repositoryOf, type Repository } from './configurationFiles.ts';
import { projectOfRemote, readGitHosts, remotesOf } from './remotes.ts';
import type { ResolvedRemotes } from './resolvedRemotes.ts';

/** Git remotes of the open folders. */
export interface WorkspaceRemotes extends vscode.Disposable {
  /** Returns the path of the project at an instance that the open folders are clones of, in the order of the folders. */
  readonly projectOn: (instance: string) => string | undefined;
  readonly onDidChange: vscode.Event<void>;
}

/**
 * Creates the remotes. In trusted workspaces, git and ssh say where they lead. Otherwise, and until git has answered, and without git, the
 * files with the configuration say it. `resolve` asks git and ssh about a folder, and rejects if they cannot say.
 */
export function createWorkspaceRemotes(resolve: (folder: string) => Promise<ResolvedRemotes>): WorkspaceRemotes {
  const changes = new vscode.EventEmitter<void>();
  const watchers = new Map<string, vscode.Disposable>();
  let urls: readonly string[] = [];
  let gitHosts = readGitHosts(settingOf(settings.gitHosts));
  let isKnown = false;
  let round = 0;

  async function reread(): Promise<void> {
    round += 1;
    const mine = round;
    const folders = vscode.workspace.workspaceFolders ?? [];
    const read = await Promise.all(folders.map(({ uri }) => repositoryOf(uri)));
    if (mine !== round) return;
    // The files alone may lead to another project, so the last result of git is used until there is a new one.
    if (!isKnown) follow(read.flatMap(urlsOf));
    const asked = await Promise.all(folders.map(async ({ uri }, index) => read[index] && ask(uri)));
    if (mine !== round) return;
    isKnown = true;
    watch([
      // Also watched in folders without a repository, which may get one.
      ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, '.git', 'config')),
      ...read.flatMap((repository) => repository?.files ?? []),
      ...asked.flatMap((response) => response?.files.map((file) => vscode.Uri.file(file)) ?? []),
      ...(asked.some((response) => response !== undefined) ? [vscode.Uri.file(path.join(os.homedir(), '.ssh', 'config'))] : []),
    ]);
    // Git reads nothing of a repository that another user owns.
    follow(folders.flatMap((_, index) => (asked[index]?.urls.length ? asked[index].urls : urlsOf(read[index]))));
  }

  async function ask(folder: vscode.Uri): Promise<ResolvedRemotes | undefined> {
    if (folder.scheme !== 'file' || !vscode.workspace.isTrusted) return undefined;
    try {
      return await resolve(folder.fsPath);
    } catch {
      // Without git, and if nothing is configured.
      return undefined;
    }
  }

  function follow(next: readonly string[]): void {
    if (next.join('\n') === urls.join('\n')) return;
    urls = next;
    changes.fire();
  }

  function watch(files: readonly vscode.Uri[]): void {
    const wanted = new Map(files.map((file) => [file.toString(), file]));
    for (const [key, watcher] of watchers) {
      if (wanted.has(key)) continue;
      watcher.dispose();
      watchers.delete(key);
    }
    for (const [key, file] of wanted) {
      if (watchers.has(key)) continue;
      const folder = vscode.Uri.joinPath(file, '..');
      const name = file.path.slice(folder.path.length).replace(/^\/+/, '');
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
      watcher.onDidChange(reread);
      watcher.onDidCreate(reread);
      watcher.onDidDelete(reread);
      watchers.set(key, watcher);
    }
  }

  const subscriptions = [
    vscode.workspace.onDidChangeWorkspaceFolders(reread),
    vscode.workspace.onDidGrantWorkspaceTrust(reread),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration(settings.gitHosts)) return;
      gitHosts = readGitHosts(settingOf(settings.gitHosts));
      changes.fire();
    }),
  ];
  void reread();
  return {
    projectOn: (instance) => urls.map((url) => projectOfRemote(url, instance, gitHosts)).find((project) => project !== undefined),
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      for (const disposable of [...subscriptions, changes, ...watchers.values()]) disposable.dispose();
    },
  };
}

function urlsOf(repository: Repository | undefined): readonly string[] {
  return remotesOf(repository?.entries ?? []).map(({ url }) => url);
}
