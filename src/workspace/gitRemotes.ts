import * as vscode from 'vscode';
import { readRemotes } from './remotes.ts';

/** URLs of the git remotes of the open folders, in the order of the folders. */
export interface WorkspaceRemotes extends vscode.Disposable {
  readonly urls: () => readonly string[];
  readonly onDidChange: vscode.Event<void>;
}

/** Maximum number of parent folders to search: the open folder may be below the root of a repository. */
const MAX_PARENTS = 20;

/** Creates the remotes. Reads the git configuration directly, so that it works without git and in all workspaces. */
export function createWorkspaceRemotes(): WorkspaceRemotes {
  const changes = new vscode.EventEmitter<void>();
  let urls: readonly string[] = [];
  const watchers = new Map<string, vscode.Disposable>();
  let round = 0;

  async function reread(): Promise<void> {
    round += 1;
    const mine = round;
    const folders = vscode.workspace.workspaceFolders ?? [];
    const found = await Promise.all(folders.map(({ uri }) => repositoryOf(uri)));
    if (mine !== round) return;
    // Also watched in folders without a repository, which may get one.
    const here = folders.map(({ uri }) => vscode.Uri.joinPath(uri, '.git', 'config'));
    watch([...here, ...found.flatMap((repository) => repository?.configuration ?? [])]);
    const next = found.flatMap((repository) => repository?.remotes ?? []);
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

  const folders = vscode.workspace.onDidChangeWorkspaceFolders(reread);
  void reread();
  return {
    urls: () => urls,
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      for (const disposable of [folders, changes, ...watchers.values()]) disposable.dispose();
    },
  };
}

interface Repository {
  /** Configuration file, which may be outside of the open folder. */
  readonly configuration: vscode.Uri;
  /** URLs of the remotes. */
  readonly remotes: readonly string[];
}

async function repositoryOf(folder: vscode.Uri): Promise<Repository | undefined> {
  let at = folder;
  for (let parents = 0; parents < MAX_PARENTS; parents += 1) {
    const repository = await repositoryAt(vscode.Uri.joinPath(at, '.git'));
    if (repository !== undefined) return repository;
    const parent = vscode.Uri.joinPath(at, '..');
    if (parent.path === at.path) break;
    at = parent;
  }
  return undefined;
}

/** Reads a repository from `.git`: a folder, or in work trees and submodules a file with its path (gitrepository-layout(5)). */
async function repositoryAt(git: vscode.Uri): Promise<Repository | undefined> {
  const direct = await repositoryWith(vscode.Uri.joinPath(git, 'config'));
  if (direct !== undefined) return direct;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec((await read(git)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const folder = resolved(vscode.Uri.joinPath(git, '..'), named);
  if (folder === undefined) return undefined;
  const common = (await read(vscode.Uri.joinPath(folder, 'commondir')))?.trim();
  const shared = common === undefined ? folder : resolved(folder, common);
  return shared === undefined ? undefined : repositoryWith(vscode.Uri.joinPath(shared, 'config'));
}

async function repositoryWith(configuration: vscode.Uri): Promise<Repository | undefined> {
  const text = await read(configuration);
  return text === undefined ? undefined : { configuration, remotes: readRemotes(text).map(({ url }) => url) };
}

/** Resolves a path. Returns undefined for network paths: Windows would authenticate to a host named by an untrusted folder. */
function resolved(base: vscode.Uri, path: string): vscode.Uri | undefined {
  if (/^[\\/]{2}/.test(path)) return undefined;
  return /^(\/|[A-Za-z]:[\\/])/.test(path) ? base.with({ path: path.replaceAll('\\', '/') }) : vscode.Uri.joinPath(base, path);
}

async function read(file: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    // Missing, or not a file.
    return undefined;
  }
}
