import * as vscode from 'vscode';
import type { WorkspaceRemotes } from '../workspace/gitRemotes.ts';
import { innerRepositories } from './innerRepositories.ts';

/** Folders that can have projects: the open ones, and repositories inside of them. */
export interface ProjectFolders extends vscode.Disposable {
  /** Returns the URIs, those of the open folders first. */
  readonly all: () => readonly string[];
  /** Returns false while the repositories are searched; `onDidChange` fires then. */
  readonly areSearched: () => boolean;
  readonly onDidChange: vscode.Event<void>;
}

export function createProjectFolders(remotes: WorkspaceRemotes): ProjectFolders {
  const changes = new vscode.EventEmitter<void>();
  let inner: readonly vscode.Uri[] = [];
  let isSearched = false;
  let round = 0;
  const open = (): readonly vscode.Uri[] => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);

  async function search(): Promise<void> {
    round += 1;
    const mine = round;
    const found = await Promise.all(open().map(innerRepositories));
    if (mine !== round) return;
    const opened = new Set(open().map(String));
    inner = found.flat().filter((folder) => !opened.has(folder.toString()));
    await remotes.include(inner);
    if (mine !== round) return;
    isSearched = true;
    changes.fire();
  }

  // When a folder is deleted, VS Code may name only the folder.
  const repositories = vscode.workspace.createFileSystemWatcher('**/{.git,.git/config}', false, true, false);
  const subscriptions = [
    changes,
    repositories,
    repositories.onDidCreate(search),
    repositories.onDidDelete(search),
    vscode.workspace.onDidChangeWorkspaceFolders(search),
  ];
  void search();
  return {
    all: () => [...open(), ...inner].map(String),
    areSearched: () => isSearched,
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
