import { badRequest } from '../core/errors.ts';
import { readObject } from './catFile.ts';
import type { GitProgram } from './program.ts';

/** Maximum number of changed paths that a comparison, its statistics, a merge or the languages of a commit look at. */
export const MAX_CHANGED_PATHS = 100_000;
/** Maximum number of paths that a recursive listing, a search or an archive looks at. */
export const MAX_LISTED_PATHS = 1_000_000;

/** Maximum number of trees that are read to find the first changed files. */
const MAX_TREES = 10_000;
/** Maximum number of comparisons whose result is remembered. Trees never change. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, boolean>();

interface RepositoryDir {
  readonly git: GitProgram;
  readonly folder: string;
}

/** The change of a file, without its content. */
interface CollapsedChange {
  readonly oldPath: string;
  readonly newPath: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly kind: 'A' | 'D' | 'M';
  readonly patch: '';
  readonly isCollapsed: true;
}

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** Entries of a tree by name. Names are bytes, as Latin-1. */
type Tree = ReadonlyMap<string, TreeEntry>;
const EMPTY: Tree = new Map();

/**
 * Returns true if more than `limit` paths, including those of directories, differ between two commits or trees; `from` undefined is the empty
 * tree. Git itself has no such limit, and a tree of a kilobyte can have a billion paths. Each pair of trees is read once, so such a tree is
 * counted at once.
 */
export async function hasMoreChanges(
  repository: RepositoryDir,
  from: string | undefined,
  to: string,
  limit = MAX_CHANGED_PATHS,
): Promise<boolean> {
  const known = new Map<string, number>();
  const count = async (one: string | undefined, other: string | undefined): Promise<number> => {
    if (one === other) return 0;
    const key = `${one}:${other}`;
    const counted = known.get(key);
    if (counted !== undefined) return counted;
    // Trees without files are paths, too.
    if (known.size > limit) return limit + 1;
    known.set(key, 1);
    let total = 1;
    for (const [, before, after] of differences(await readTreeOf(repository, one), await readTreeOf(repository, other))) {
      if (isFile(before) || isFile(after)) total += 1;
      total += await count(treeId(before), treeId(after));
      if (total > limit) break;
    }
    known.set(key, total);
    return total;
  };
  const [before, after] = [await rootOf(repository, from), await rootOf(repository, to)];
  const key = `${before}:${after}:${limit}`;
  const result = remembered.get(key) ?? (await count(before, after)) > limit;
  remembered.delete(key);
  remembered.set(key, result);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return result;
}

/** Returns the first changed files between two commits, without their content. */
export async function firstChanges(
  repository: RepositoryDir,
  from: string | undefined,
  to: string,
  most: number,
): Promise<CollapsedChange[]> {
  const found: CollapsedChange[] = [];
  let trees = 0;
  const collect = async (one: string | undefined, other: string | undefined, folder: string): Promise<void> => {
    // Trees can have many paths and no file.
    if (one === other || trees > MAX_TREES) return;
    trees += 1;
    for (const [name, before, after] of differences(await readTreeOf(repository, one), await readTreeOf(repository, other))) {
      if (found.length >= most) return;
      const path = folder + Buffer.from(name, 'latin1').toString('utf8');
      if (isFile(before) || isFile(after))
        found.push(changeOf(path, isFile(before) ? before : undefined, isFile(after) ? after : undefined));
      await collect(treeId(before), treeId(after), `${path}/`);
    }
  };
  await collect(await rootOf(repository, from), await rootOf(repository, to), '');
  return found.slice(0, most);
}

/** @throws {Refused} if a commit or tree has more paths than a command may look at. */
export async function demandFewPaths(repository: RepositoryDir, tree: string): Promise<void> {
  if (!(await hasMoreChanges(repository, undefined, tree, MAX_LISTED_PATHS))) return;
  throw badRequest(`The directory has more than ${MAX_LISTED_PATHS} paths. Name one of its subdirectories.`);
}

function changeOf(path: string, before: TreeEntry | undefined, after: TreeEntry | undefined): CollapsedChange {
  const kind = before === undefined ? 'A' : after === undefined ? 'D' : 'M';
  return {
    oldPath: path,
    newPath: path,
    oldMode: before?.mode ?? '000000',
    newMode: after?.mode ?? '000000',
    kind,
    patch: '',
    isCollapsed: true,
  };
}

function isFile(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry !== undefined && entry.mode !== TREE;
}

function treeId(entry: TreeEntry | undefined): string | undefined {
  return entry?.mode === TREE ? entry.id : undefined;
}

const TREE = '040000';

function* differences(
  one: Tree,
  other: Tree,
): Generator<readonly [name: string, before: TreeEntry | undefined, after: TreeEntry | undefined]> {
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [before, after] = [one.get(name), other.get(name)];
    if (before?.id !== after?.id || before?.mode !== after?.mode) yield [name, before, after];
  }
}

async function rootOf({ git, folder }: RepositoryDir, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const object = await readObject(git, folder, `${commit}^{tree}`);
  if (object !== undefined) return object === 'missing' ? undefined : object.id;
  const { stdout } = await git.run(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`], {
    codes: [1, 128],
  });
  const id = stdout.toString('latin1').trim();
  return id === '' ? undefined : id;
}

async function readTreeOf({ git, folder }: RepositoryDir, id: string | undefined): Promise<Tree> {
  if (id === undefined) return EMPTY;
  const object = await readObject(git, folder, id);
  if (object === 'missing') return EMPTY;
  return parseTree(object?.content ?? (await git.run(folder, ['cat-file', 'tree', id], { codes: [128] })).stdout);
}

/** Parses the content of a tree object: `MODE NAME\0` and the 20 bytes of the ID, one after the other. */
function parseTree(bytes: Buffer): Tree {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const mode = bytes.toString('latin1', at, space).padStart(6, '0');
    entries.set(bytes.toString('latin1', space + 1, end), { mode, id: bytes.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}
