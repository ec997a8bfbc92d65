import * as vscode from 'vscode';
import type { Dsn } from '../contract/dsn.ts';
import { findDsns, mayHoldDsn } from '../dsn/find.ts';
import { delayed } from '../ui/delayed.ts';
import { IGNORED } from './ignoredFolders.ts';

/** DSNs in the files of the open folders. */
export interface DsnFiles extends vscode.Disposable {
  /** Searches the open folders on the first call. Returns false until that is done; `onDidChange` fires then. */
  readonly search: () => boolean;
  /** Returns the files with DSNs, those nearest to an open folder first. */
  readonly all: () => readonly FileWithDsns[];
  readonly onDidChange: vscode.Event<void>;
}

export interface FileWithDsns {
  readonly file: vscode.Uri;
  readonly dsns: readonly Dsn[];
}

/** Types of the files in which programs are configured or initialize an SDK. */
const TYPES = [
  ...[
    'env',
    'json',
    'jsonc',
    'yaml',
    'yml',
    'toml',
    'ini',
    'cfg',
    'conf',
    'config',
    'properties',
    'xml',
    'plist',
    'gradle',
    'html',
  ],
  ...['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte', 'py', 'rb', 'php', 'go', 'rs', 'java', 'kt', 'kts'],
  ...['scala', 'groovy', 'cs', 'fs', 'vb', 'swift', 'm', 'dart', 'ex', 'exs', 'cpp', 'sh'],
];
const PATTERN = `**/{${['.env.*', 'Dockerfile', ...TYPES.map((type) => `*.${type}`)].join(',')}}`;
const EXCLUDED = `**/{${[...IGNORED].join(',')}}/**`;
/** Maximum number of names of files per open folder. */
const MAX_NAMES = 5_000;
/** Maximum number of files per open folder that are read, those nearest to the folder first. */
const MAX_FILES = 1_000;
const MAX_BYTES = 256 * 1024;
/** Number of files that are read at a time. */
const AT_A_TIME = 20;
/** Time after a change of a file in which further changes are waited for, in milliseconds. */
const PAUSE = 200;

export function createDsnFiles(): DsnFiles {
  const changes = new vscode.EventEmitter<void>();
  const found = new Map<string, FileWithDsns>();
  const changed = new Map<string, vscode.Uri>();
  let watcher: vscode.Disposable | undefined;
  let round = 0;
  let searched = -1;

  async function read(file: vscode.Uri): Promise<void> {
    const dsns = await dsnsIn(file);
    if (dsns.length === 0) found.delete(file.toString());
    else found.set(file.toString(), { file, dsns });
  }

  async function searchAll(): Promise<void> {
    const mine = round;
    const files = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => filesToRead(uri)));
    if (mine !== round) return;
    found.clear();
    const all = files.flat();
    for (let at = 0; at < all.length; at += AT_A_TIME) await Promise.all(all.slice(at, at + AT_A_TIME).map(read));
    if (mine !== round) return;
    searched = mine;
    changes.fire();
  }

  const readChanged = delayed(() => {
    const files = [...changed.values()];
    changed.clear();
    void Promise.all(files.map(read)).then(() => changes.fire());
  }, PAUSE);

  function onFile(file: vscode.Uri): void {
    if (file.path.split('/').some((part) => IGNORED.has(part))) return;
    changed.set(file.toString(), file);
    readChanged();
  }

  function watch(): vscode.Disposable {
    const files = vscode.workspace.createFileSystemWatcher(PATTERN);
    return vscode.Disposable.from(files, files.onDidChange(onFile), files.onDidCreate(onFile), files.onDidDelete(onFile));
  }

  const following = vscode.workspace.onDidChangeWorkspaceFolders(() => {
    round += 1;
    if (watcher !== undefined) void searchAll();
  });
  return {
    search: () => {
      if (watcher === undefined) {
        watcher = watch();
        void searchAll();
      }
      return searched === round;
    },
    all: () => [...found.values()].toSorted((one, other) => depthOf(one.file) - depthOf(other.file)),
    onDidChange: changes.event,
    dispose: () => {
      round += 1;
      readChanged.dispose();
      for (const disposable of [following, watcher, changes]) disposable?.dispose();
    },
  };
}

async function filesToRead(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  try {
    const names = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, PATTERN), EXCLUDED, MAX_NAMES);
    return names.toSorted((one, other) => depthOf(one) - depthOf(other)).slice(0, MAX_FILES);
  } catch {
    // Not every file system supports a search.
    return [];
  }
}

async function dsnsIn(file: vscode.Uri): Promise<readonly Dsn[]> {
  try {
    if ((await vscode.workspace.fs.stat(file)).size > MAX_BYTES) return [];
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    return mayHoldDsn(text) ? findDsns(text).map(({ dsn }) => dsn) : [];
  } catch {
    // Deleted meanwhile.
    return [];
  }
}

function depthOf({ path }: vscode.Uri): number {
  return path.split('/').length;
}
