import os from 'node:os';
import * as vscode from 'vscode';
import { type ConfigurationEntry, readConfiguration } from './gitConfiguration.ts';

/** Repository of an open folder, read without git. */
export interface Repository {
  /** Configuration of the repository and of its user, as far as files say it. */
  readonly entries: readonly ConfigurationEntry[];
  /** Files with the configuration, which may be outside of the open folder. Some may not exist. */
  readonly files: readonly vscode.Uri[];
}

/** Maximum number of parent folders to search: the open folder may be below the root of a repository. */
const MAX_PARENTS = 20;
/** Maximum size of a configuration file, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Maximum depth of files that include others, as in git. */
const MAX_DEPTH = 10;

/** Reads the configuration of the repository that a folder is in. Works without git and in workspaces that are not trusted. */
export async function repositoryOf(folder: vscode.Uri): Promise<Repository | undefined> {
  let at = folder;
  for (let parents = 0; parents < MAX_PARENTS; parents += 1) {
    const configuration = await configurationAt(vscode.Uri.joinPath(at, '.git'));
    if (configuration !== undefined) return repositoryWith(configuration);
    const parent = vscode.Uri.joinPath(at, '..');
    if (parent.path === at.path) break;
    at = parent;
  }
  return undefined;
}

/** Finds the configuration of `.git`: a folder, or in work trees and submodules a file with its path (gitrepository-layout(5)). */
async function configurationAt(git: vscode.Uri): Promise<vscode.Uri | undefined> {
  const direct = vscode.Uri.joinPath(git, 'config');
  if ((await read(direct)) !== undefined) return direct;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec((await read(git)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const folder = resolved(vscode.Uri.joinPath(git, '..'), named);
  if (folder === undefined) return undefined;
  const common = (await read(vscode.Uri.joinPath(folder, 'commondir')))?.trim();
  const shared = common === undefined ? folder : resolved(folder, common);
  const configuration = shared === undefined ? undefined : vscode.Uri.joinPath(shared, 'config');
  return configuration !== undefined && (await read(configuration)) !== undefined ? configuration : undefined;
}

async function repositoryWith(configuration: vscode.Uri): Promise<Repository> {
  const files: vscode.Uri[] = [];
  const entries: ConfigurationEntry[] = [];

  async function add(file: vscode.Uri, depth: number): Promise<void> {
    files.push(file);
    for (const entry of readConfiguration((await read(file)) ?? '')) {
      entries.push(entry);
      // Conditions (`includeIf`) are left to git.
      const included = entry.key === 'include.path' ? resolved(vscode.Uri.joinPath(file, '..'), entry.value) : undefined;
      if (included !== undefined && depth < MAX_DEPTH) await add(included, depth + 1);
    }
  }

  // Files of the user have nothing to say about repositories on other machines.
  for (const file of configuration.scheme === 'file' ? userFiles() : []) await add(file, 0);
  await add(configuration, 0);
  return { entries, files };
}

/** Returns the files with the configuration of the system and the user (git-config(1), "FILES"). */
function userFiles(): readonly vscode.Uri[] {
  const { GIT_CONFIG_GLOBAL: global, GIT_CONFIG_NOSYSTEM: noSystem, XDG_CONFIG_HOME: configuration } = process.env;
  const home = vscode.Uri.file(os.homedir());
  const folder = configuration ? vscode.Uri.file(configuration) : vscode.Uri.joinPath(home, '.config');
  const own = [vscode.Uri.joinPath(folder, 'git', 'config'), vscode.Uri.joinPath(home, '.gitconfig')];
  const system = noSystem === undefined && process.platform !== 'win32' ? [vscode.Uri.file('/etc/gitconfig')] : [];
  return [...system, ...(global === undefined ? own : [vscode.Uri.file(global)])];
}

/** Resolves a path. Returns undefined for network paths: Windows would authenticate to a host named by an untrusted folder. */
function resolved(base: vscode.Uri, path: string): vscode.Uri | undefined {
  if (/^[\\/]{2}/.test(path)) return undefined;
  if (path.startsWith('~/')) return vscode.Uri.joinPath(vscode.Uri.file(os.homedir()), path.slice(2));
  return /^(\/|[A-Za-z]:[\\/])/.test(path) ? base.with({ path: path.replaceAll('\\', '/') }) : vscode.Uri.joinPath(base, path);
}

async function read(file: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(file);
    if ((type & vscode.FileType.File) === 0 || size > MAX_BYTES) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    // Missing.
    return undefined;
  }
}
