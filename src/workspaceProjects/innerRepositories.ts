import * as vscode from 'vscode';
import { IGNORED } from './ignoredFolders.ts';

/** Depth at which repositories are searched below an open folder. */
const MAX_DEPTH = 2;
/** Maximum number of folders below an open folder that are looked at. */
const MAX_FOLDERS = 300;

/** Returns the repositories inside of an open folder. Submodules belong to the repository around them. */
export async function innerRepositories(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  let left = MAX_FOLDERS;
  async function search(at: vscode.Uri, depth: number): Promise<readonly vscode.Uri[]> {
    const entries = await entriesOf(at);
    const own = depth > 0 && (await isRepository(at, entries)) ? [at] : [];
    if (depth === MAX_DEPTH) return own;
    const below = entries.filter(
      ([name, type]) => type === vscode.FileType.Directory && !IGNORED.has(name) && !name.startsWith('.'),
    );
    const searched = below.slice(0, left);
    left -= searched.length;
    const found = await Promise.all(searched.map(([name]) => search(vscode.Uri.joinPath(at, name), depth + 1)));
    return [...own, ...found.flat()];
  }
  return search(folder, 0);
}

async function isRepository(folder: vscode.Uri, entries: readonly [string, vscode.FileType][]): Promise<boolean> {
  const git = entries.find(([name]) => name === '.git');
  if (git === undefined) return false;
  if (git[1] === vscode.FileType.Directory) return true;
  try {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, '.git')));
    return /^gitdir:.*[\\/]worktrees[\\/][^\\/]+\s*$/.test(text);
  } catch {
    // Deleted meanwhile.
    return false;
  }
}

async function entriesOf(folder: vscode.Uri): Promise<readonly [string, vscode.FileType][]> {
  try {
    return await vscode.workspace.fs.readDirectory(folder);
  } catch {
    // Not readable, or deleted meanwhile.
    return [];
  }
}
