import type { Entry } from './objects.ts';
import { pathProblem } from './names.ts';

/** A file change of a commit. */
export interface Action {
  readonly action: 'create' | 'update' | 'delete' | 'move' | 'chmod';
  readonly path: string;
  /** Old path of a moved file. */
  readonly previousPath?: string | undefined;
  /** New content; undefined keeps the content of the file. */
  readonly content?: Buffer | undefined;
  readonly executable?: boolean | undefined;
  /** Last commit of the file known to the author, for conflict detection. */
  readonly lastCommitId?: string | undefined;
}

/** Target state of a file: an existing blob or new content. */
export interface FileState {
  readonly mode: '100644' | '100755' | '120000';
  readonly content: { readonly id: string } | { readonly bytes: Buffer };
}

/** Changed files of a commit by path; undefined deletes a file. */
export type Changed = ReadonlyMap<string, FileState | undefined>;

/**
 * Returns the paths to look up in the tree before actions can be applied: files and their parent directories. Paths that are not
 * valid in a tree are left out.
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
 * Applies actions in order to a tree with the known `entries`. Returns the changed files, or the error message for the wire if an
 * action cannot be applied.
 */
export function applyActions(entries: ReadonlyMap<string, Entry>, actions: readonly Action[]): Changed | { refusal: string } {
  const changed = new Map<string, FileState | undefined>();
  /** Number of written files by directory. */
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
