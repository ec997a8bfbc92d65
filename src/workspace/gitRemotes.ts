import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import { settingOf } from '../support/settings.ts';
import { repositoryOf, type Repository } from './configurationFiles.ts';
import { projectOfRemote, readGitHosts, remotesOf } from './remotes.ts';
import type { ResolvedRemotes } from './resolvedRemotes.ts';

/** Folder in a repository, and the path of a project that it is a clone of. */
export interface ClonedFolder {
  readonly folder: vscode.Uri;
  readonly path: string;
}

/** Git remotes of the open folders. */
export interface WorkspaceRemotes extends vscode.Disposable {
  /** Returns the projects at an instance that the folders are clones of: those of the first folder first, and there that of `origin`. */
  readonly projectsOn: (instance: string) => readonly ClonedFolder[];
  /** Returns true when the remotes of the open folders were read. */
  readonly areKnown: () => boolean;
  /** Sets the repositories inside of the open folders, which are read after these. */
  readonly include: (folders: readonly vscode.Uri[]) => Promise<void>;
  readonly onDidChange: vscode.Event<void>;
}

interface FolderRemotes {
  readonly folder: vscode.Uri;
  readonly urls: readonly string[];
}

/**
 * Creates the remotes. In trusted workspaces, git and ssh say where they lead. Otherwise, and until git has answered, and without git, the
 * files with the configuration say it. `resolve` asks git and ssh about a folder, and rejects if they cannot say.
 */
export function createWorkspaceRemotes(resolve: (folder: string) => Promise<ResolvedRemotes>): WorkspaceRemotes {
  const changes = new vscode.EventEmitter<void>();
  const watchers = new Map<string, vscode.Disposable>();
  let found: readonly FolderRemotes[] = [];
  let inner: readonly vscode.Uri[] = [];
  let gitHosts = readGitHosts(settingOf(settings.gitHosts));
  let isKnown = false;
  let round = 0;

  async function reread(): Promise<void> {
    round += 1;
    const mine = round;
    const folders = [...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri), ...inner];
    const read = await Promise.all(folders.map(repositoryOf));
    if (mine !== round) return;
    // The files alone may lead to another project, so the last result of git is used until there is a new one.
    if (!isKnown) follow(folders.map((folder, index) => ({ folder, urls: urlsOf(read[index]) })));
    const asked = await Promise.all(folders.map(async (folder, index) => read[index] && ask(folder)));
    if (mine !== round) return;
    const isFirst = !isKnown;
    isKnown = true;
    watch([
      // Also watched in folders without a repository, which may get one.
      ...folders.map((folder) => vscode.Uri.joinPath(folder, '.git', 'config')),
      ...read.flatMap((repository) => repository?.files ?? []),
      ...asked.flatMap((response) => response?.files.map((file) => vscode.Uri.file(file)) ?? []),
      ...(asked.some((response) => response !== undefined) ? [vscode.Uri.file(path.join(os.homedir(), '.ssh', 'config'))] : []),
    ]);
    // Git reads nothing of a repository that another user owns.
    follow(
      folders.map((folder, index) => ({ folder, urls: asked[index]?.urls.length ? asked[index].urls : urlsOf(read[index]) })),
      isFirst,
    );
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

  function follow(next: readonly FolderRemotes[], isFirst = false): void {
    if (!isFirst && textOf(next) === textOf(found)) return;
    found = next;
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
    projectsOn: (instance) =>
      found.flatMap(({ folder, urls }) =>
        urls.flatMap((url) => {
          const path = projectOfRemote(url, instance, gitHosts);
          return path === undefined ? [] : [{ folder, path }];
        }),
      ),
    areKnown: () => isKnown,
    include: (folders) => {
      inner = folders;
      return reread();
    },
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      for (const disposable of [...subscriptions, changes, ...watchers.values()]) disposable.dispose();
    },
  };
}

/** Returns a text that is the same for the same remotes of the same folders. */
function textOf(remotes: readonly FolderRemotes[]): string {
  return remotes.map(({ folder, urls }) => `${folder.toString()} ${urls.join(' ')}`).join('\n');
}

function urlsOf(repository: Repository | undefined): readonly string[] {
  return remotesOf(repository?.entries ?? []).map(({ url }) => url);
}
