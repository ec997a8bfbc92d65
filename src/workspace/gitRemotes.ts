import * as vscode from 'vscode';
import { readRemotes } from './remotes.ts';

/** Addresses of the git remotes of the open folders, in the order of the folders. */
export interface WorkspaceRemotes extends vscode.Disposable {
  readonly urls: () => readonly string[];
  readonly onDidChange: vscode.Event<void>;
}

/** Folders above an open one that are looked at: a part of a repository may be open. */
const MOST_PARENTS = 20;

/** Reads the configuration of git itself, so that it works without git and in every kind of workspace. */
export function createWorkspaceRemotes(): WorkspaceRemotes {
  const changes = new vscode.EventEmitter<void>();
  let urls: readonly string[] = [];
  let watchers: readonly vscode.Disposable[] = [];
  let round = 0;

  async function reread(): Promise<void> {
    round += 1;
    const mine = round;
    const folders = vscode.workspace.workspaceFolders ?? [];
    const found = (await Promise.all(folders.map(({ uri }) => remotesOf(uri)))).flat();
    if (mine !== round || found.join('\n') === urls.join('\n')) return;
    urls = found;
    changes.fire();
  }

  function watch(): void {
    for (const watcher of watchers) watcher.dispose();
    watchers = (vscode.workspace.workspaceFolders ?? []).map((folder) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '.git/config'));
      watcher.onDidChange(reread);
      watcher.onDidCreate(reread);
      watcher.onDidDelete(reread);
      return watcher;
    });
  }

  const folders = vscode.workspace.onDidChangeWorkspaceFolders(() => {
    watch();
    void reread();
  });
  watch();
  void reread();
  return {
    urls: () => urls,
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      for (const disposable of [folders, changes, ...watchers]) disposable.dispose();
    },
  };
}

async function remotesOf(folder: vscode.Uri): Promise<readonly string[]> {
  let at = folder;
  for (let parents = 0; parents < MOST_PARENTS; parents += 1) {
    const configuration = await configurationOf(vscode.Uri.joinPath(at, '.git'));
    if (configuration !== undefined) return readRemotes(configuration).map(({ url }) => url);
    const parent = vscode.Uri.joinPath(at, '..');
    if (parent.path === at.path) break;
    at = parent;
  }
  return [];
}

/** `.git` is a folder, or a file that names one: of a work tree or a submodule (gitrepository-layout(5)). */
async function configurationOf(git: vscode.Uri): Promise<string | undefined> {
  const direct = await read(vscode.Uri.joinPath(git, 'config'));
  if (direct !== undefined) return direct;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec((await read(git)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const folder = resolved(vscode.Uri.joinPath(git, '..'), named);
  if (folder === undefined) return undefined;
  const common = (await read(vscode.Uri.joinPath(folder, 'commondir')))?.trim();
  const shared = common === undefined ? folder : resolved(folder, common);
  return shared === undefined ? undefined : read(vscode.Uri.joinPath(shared, 'config'));
}

/** Undefined for a path on another machine: a folder that nobody trusts must not make this one sign in there (Windows does). */
function resolved(base: vscode.Uri, path: string): vscode.Uri | undefined {
  if (/^[\\/]{2}/.test(path)) return undefined;
  return /^(\/|[A-Za-z]:[\\/])/.test(path) ? base.with({ path: path.replaceAll('\\', '/') }) : vscode.Uri.joinPath(base, path);
}

async function read(file: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    // Not there, or not a file: there is nothing to tell anybody.
    return undefined;
  }
}
