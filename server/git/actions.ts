import type { Entry } from './objects.ts';
import { pathProblem } from './names.ts';

/** One of the things a commit does. */
export interface Action {
  readonly action: 'create' | 'update' | 'delete' | 'move' | 'chmod';
  readonly path: string;
  /** Where a moved file lies before. */
  readonly previousPath?: string | undefined;
  /** Undefined: what the file has already. */
  readonly content?: Buffer | undefined;
  readonly executable?: boolean | undefined;
  /** The last commit of the file that its author knows of. */
  readonly lastCommitId?: string | undefined;
}

/** A file as it is to be: with the content of a blob or with its own. */
export interface FileState {
  readonly mode: '100644' | '100755' | '120000';
  readonly content: { readonly id: string } | { readonly bytes: Buffer };
}

/** What a commit changes: files by path, undefined for one that goes. */
export type Changed = ReadonlyMap<string, FileState | undefined>;

/**
 * Every path that must be looked at in the tree before actions can be applied: those of the files, and of the folders around them. Paths
 * that no file can have are left out.
 */
export function pathsOf(actions: readonly Action[]): string[] {
  const paths = actions.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [path, previousPath]));
  const possible = paths.filter((path) => pathProblem(path) === undefined);
  return [...new Set(possible.flatMap((path) => [path, ...foldersAround(path)]))];
}

function foldersAround(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

const MISSING = "A file with this name doesn't exist";
const TAKEN = 'A file with this name already exists';
const FOLDER = 'A directory with this name already exists';

/**
 * Applies actions one after the other to a tree of which `entries` are known. Returns what changes, or in the words of the wire why
 * none of it does.
 */
export function applyActions(entries: ReadonlyMap<string, Entry>, actions: readonly Action[]): Changed | { refusal: string } {
  const changed = new Map<string, FileState | undefined>();
  /** How many files that are written lie in a folder. */
  const filled = new Map<string, number>();
  const set = (path: string, state: FileState | undefined): void => {
    const step = (state === undefined ? 0 : 1) - (changed.get(path) === undefined ? 0 : 1);
    if (step !== 0) for (const folder of foldersAround(path)) filled.set(folder, (filled.get(folder) ?? 0) + step);
    changed.set(path, state);
  };
  const isFolder = (path: string): boolean => (filled.get(path) ?? 0) > 0 || entries.get(path)?.type === 'tree';
  const fileAt = (path: string): FileState | undefined => {
    if (changed.has(path)) return changed.get(path);
    const entry = entries.get(path);
    if (entry === undefined || entry.type !== 'blob') return undefined;
    const mode = entry.mode === '100755' || entry.mode === '120000' ? entry.mode : '100644';
    return { mode, content: { id: entry.id } };
  };
  const blocked = (path: string): string | undefined => {
    if (fileAt(path) !== undefined || foldersAround(path).some((folder) => fileAt(folder) !== undefined)) return TAKEN;
    return isFolder(path) || entries.get(path)?.type === 'commit' ? FOLDER : undefined;
  };

  for (const { action, path, previousPath, content, executable } of actions) {
    const problem = pathProblem(path) ?? (previousPath === undefined ? undefined : pathProblem(previousPath));
    if (problem !== undefined) return { refusal: problem };
    if (action === 'create') {
      const refusal = blocked(path);
      if (refusal !== undefined) return { refusal };
      const mode = executable === true ? '100755' : '100644';
      set(path, { mode, content: { bytes: content ?? Buffer.alloc(0) } });
      continue;
    }
    const source = action === 'move' ? (previousPath ?? '') : path;
    const file = fileAt(source);
    if (file === undefined) return { refusal: MISSING };
    const mode = executable === undefined ? file.mode : executable ? '100755' : '100644';
    const stored: FileState = { mode, content: content === undefined ? file.content : { bytes: content } };
    if (action === 'move') {
      set(source, undefined);
      const refusal = blocked(path);
      if (refusal !== undefined) return { refusal };
      set(path, stored);
    } else if (action === 'update') set(path, stored);
    else if (action === 'chmod') set(path, { ...file, mode });
    else set(path, undefined);
  }
  return changed;
}
