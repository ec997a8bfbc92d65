import type { Entry } from './objects.ts';

// The files of a commit under construction. Directories are immutable, so commits share their common subtrees.

export interface FileNode {
  readonly kind: 'file';
  readonly mode: '100644' | '100755' | '120000';
  /** Object id of the content. */
  readonly id: string;
}

export interface FolderNode {
  readonly kind: 'folder';
  readonly entries: ReadonlyMap<string, TreeNode>;
}

type TreeNode = FileNode | FolderNode;

export const EMPTY_FOLDER: FolderNode = { kind: 'folder', entries: new Map() };

/** Returns the node at a path. */
function nodeAt(root: FolderNode, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const part of path.split('/')) node = node?.kind === 'folder' ? node.entries.get(part) : undefined;
  return node;
}

/** Returns the entries at some paths, as git would list them. */
export function entriesOfTree(root: FolderNode, paths: readonly string[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const path of paths) {
    const node = nodeAt(root, path);
    if (node === undefined) continue;
    entries.set(
      path,
      node.kind === 'file'
        ? { mode: node.mode, type: 'blob', id: node.id, path }
        : { mode: '040000', type: 'tree', id: '', path },
    );
  }
  return entries;
}

/**
 * Returns the directory with the file at a path replaced or, if undefined, removed. Directories that become empty are removed.
 */
export function withFile(folder: FolderNode, path: readonly string[], file: FileNode | undefined): FolderNode {
  const [name = '', ...rest] = path;
  const entries = new Map(folder.entries);
  const inner = entries.get(name);
  const node = rest.length === 0 ? file : withFile(inner?.kind === 'folder' ? inner : EMPTY_FOLDER, rest, file);
  if (node === undefined || (node.kind === 'folder' && node.entries.size === 0)) entries.delete(name);
  else entries.set(name, node);
  return { kind: 'folder', entries };
}

function isSame(one: TreeNode | undefined, other: TreeNode | undefined): boolean {
  if (one === other) return true;
  if (one?.kind === 'file' && other?.kind === 'file') return one.id === other.id && one.mode === other.mode;
  if (one?.kind !== 'folder' || other?.kind !== 'folder' || one.entries.size !== other.entries.size) return false;
  return [...one.entries].every(([name, node]) => isSame(node, other.entries.get(name)));
}

/** Returns the merged tree of both sides, or the path of a file that both sides changed. */
export function mergeTrees(base: FolderNode, ours: FolderNode, theirs: FolderNode): FolderNode | { readonly conflict: string } {
  const entries = new Map<string, TreeNode>();
  for (const name of new Set([...ours.entries.keys(), ...theirs.entries.keys()])) {
    const [before, one, other] = [base.entries.get(name), ours.entries.get(name), theirs.entries.get(name)];
    let node: TreeNode | undefined;
    if (isSame(one, other) || isSame(before, other)) node = one;
    else if (isSame(before, one)) node = other;
    else if (one?.kind === 'folder' && other?.kind === 'folder') {
      const inner = mergeTrees(before?.kind === 'folder' ? before : EMPTY_FOLDER, one, other);
      if ('conflict' in inner) return { conflict: `${name}/${inner.conflict}` };
      node = inner;
    } else return { conflict: name };
    if (node !== undefined && (node.kind === 'file' || node.entries.size > 0)) entries.set(name, node);
  }
  return { kind: 'folder', entries };
}
