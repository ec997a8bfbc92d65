import { readObject } from './catFile.ts';
import { demandFewPaths, firstChanges, hasMoreChanges, MAX_CHANGED_PATHS } from './changedPaths.ts';
import type { GitProgram } from './program.ts';
import { createFieldLimit, createMessageLimit, decoded, MAX_LISTED_MESSAGE_BYTES, NAME_BYTES, shortName } from './shortFields.ts';
import { badRequest } from '../core/errors.ts';

/** A repository on disk, and the git program to run in it. */
export interface RepositoryDir {
  readonly git: GitProgram;
  /** Path of the repository folder. */
  readonly folder: string;
}

/** The author or committer of a commit, with the local time: seconds since the epoch and a zone such as `+0200`. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly seconds: number;
  readonly zone: string;
}

export interface CommitObject {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** The beginning of a long message. */
  readonly message: string;
}

export type EntryType = 'tree' | 'blob' | 'commit';

export interface Entry {
  readonly mode: string;
  readonly type: EntryType;
  readonly id: string;
  readonly path: string;
}

const FIELDS = ['%H', '%T', '%P', '%an', '%ae', '%ad', '%cn', '%ce', '%cd', '%B'];
/** Maximum number of parents that are read of a commit. */
const MAX_PARENTS = 1000;
/** Maximum length of the headers of a commit that is parsed without git. */
const MAX_HEADERS_BYTES = 64 * 1024;
const ID_BYTES = 41;
const DATE_BYTES = 64;
const FORMAT = ['-z', '--date=raw', '--no-color', '--no-notes', '--encoding=UTF-8', `--format=tformat:${FIELDS.join('%x00')}`];

/** Resolves a full or abbreviated object id to a commit, following tags. Returns undefined if there is none. */
export async function commitOf({ git, folder }: RepositoryDir, id: string): Promise<string | undefined> {
  const object = isFullId(id) ? await readObject(git, folder, `${id}^{commit}`) : undefined;
  if (object !== undefined) return object === 'missing' ? undefined : object.id;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${id}^{commit}`];
  const { code, stdout } = await git.run(folder, args, { codes: [1, 128] });
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

/** Resolves many object ids to commits. Ids that do not resolve are left out. */
export async function commitsOf({ git, folder }: RepositoryDir, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { stdout } = await git.run(folder, ['cat-file', '--batch-check=%(objectname)'], {
    input: lines(ids.map((id) => `${id}^{commit}`)),
  });
  const responses = stdout.toString('latin1').split('\n');
  return new Map(
    ids.flatMap((id, index) => {
      const commit = responses[index] ?? '';
      return /^[0-9a-f]{40}$/.test(commit) ? [[id, commit] as const] : [];
    }),
  );
}

/** Returns commits by full id, in the requested order, with at most `most` bytes of each message. */
export async function readCommits(
  repository: RepositoryDir,
  ids: readonly string[],
  most = MAX_LISTED_MESSAGE_BYTES,
): Promise<CommitObject[]> {
  if (ids.length === 0) return [];
  const unique = [...new Set(ids)];
  const [only] = unique;
  const read = unique.length === 1 && only !== undefined ? await readCommit(repository, only, most) : undefined;
  if (read !== undefined) return ids.map(() => read);
  const { stdout } = await repository.git.run(repository.folder, ['log', '--no-walk=unsorted', '--stdin', ...FORMAT], {
    input: lines(unique),
    filter: commitFilter(most),
  });
  const known = new Map(parseCommits(stdout, most).map((commit) => [commit.id, commit]));
  return ids.map((id) => {
    const commit = known.get(id);
    if (commit === undefined) throw new Error(`commit ${id} does not exist`);
    return commit;
  });
}

/** Reads a commit by full id without starting a process. Returns undefined if only git can parse it. */
async function readCommit({ git, folder }: RepositoryDir, id: string, most: number): Promise<CommitObject | undefined> {
  const object = isFullId(id) ? await readObject(git, folder, id) : undefined;
  if (object === undefined || object === 'missing' || object.type !== 'commit' || object.content === undefined) return undefined;
  return parseCommitObject(id, object.content, most);
}

/**
 * Parses the content of a commit object. Returns undefined for one that git would not show as it is: in another encoding, or with an
 * unusual author or long headers.
 */
export function parseCommitObject(id: string, content: Buffer, most = MAX_LISTED_MESSAGE_BYTES): CommitObject | undefined {
  const end = content.indexOf('\n\n');
  if (end < 0 || end > MAX_HEADERS_BYTES || content.includes(0)) return undefined;
  const headers = new Map<string, string[]>();
  for (const line of content.toString('utf8', 0, end).split('\n')) {
    // Lines that begin with a space continue a signature.
    if (line.startsWith(' ')) continue;
    const space = line.indexOf(' ');
    const name = line.slice(0, space);
    headers.set(name, [...(headers.get(name) ?? []), line.slice(space + 1)]);
  }
  const [tree] = headers.get('tree') ?? [];
  const author = parseSignature(headers.get('author'));
  const committer = parseSignature(headers.get('committer'));
  if (tree === undefined || author === undefined || committer === undefined || headers.has('encoding')) return undefined;
  const parents = (headers.get('parent') ?? []).slice(0, MAX_PARENTS);
  return { id, tree, parents, author, committer, message: decoded(content, most, end + 2) };
}

function parseSignature(lines: readonly string[] | undefined): Signature | undefined {
  const [, name, email, seconds, zone] = /^([^<>]*) <([^<>\s]*)> (\d{1,11}) ([+-]\d{4})$/.exec(lines?.[0] ?? '') ?? [];
  if (lines?.length !== 1 || name === undefined || email === undefined || zone === undefined || name !== name.trim())
    return undefined;
  return { name: shortName(name), email: shortName(email), seconds: Number(seconds), zone };
}

function isFullId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** A range of commits. */
export interface History {
  /** Full ids of the commits whose ancestors are included. */
  readonly from: readonly string[];
  /** Full ids of the commits whose ancestors are excluded. */
  readonly without?: readonly string[];
  readonly path?: string | undefined;
  /** Seconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Part of the author's name or email address. */
  readonly author?: string | undefined;
  /** Part of the message. Such a history is read for ten seconds at most. */
  readonly message?: string | undefined;
  readonly firstParent?: boolean | undefined;
  readonly topological?: boolean | undefined;
}

function historyArguments(history: History): string[] {
  return [
    ...(history.since === undefined ? [] : [`--since=@${history.since}`]),
    ...(history.until === undefined ? [] : [`--until=@${history.until}`]),
    ...(history.author === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case', `--author=${history.author}`]),
    ...(history.message === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case', `--grep=${history.message}`]),
    ...(history.firstParent === true ? ['--first-parent'] : []),
    ...(history.topological === true ? ['--topo-order'] : []),
    '--stdin',
    '--',
    ...(history.path === undefined ? [] : [history.path]),
  ];
}

/**
 * Returns the start and end points of a history as standard input, because they can exceed the limit of command-line arguments.
 */
function historyInput(history: History): { readonly input: string; readonly timeLimit?: number } {
  const input = lines([...history.from, ...(history.without ?? []).map((id) => `^${id}`)]);
  return history.message === undefined ? { input } : { input, timeLimit: SEARCH_TIME };
}

const MAX_NUMBER = 2 ** 31 - 1;
/** Maximum run time of a search in a repository, in milliseconds. */
export const SEARCH_TIME = 10_000;

/** Returns a page of a history, newest first. */
export async function listCommits(
  repository: RepositoryDir,
  history: History,
  limit: number,
  offset: number,
): Promise<CommitObject[]> {
  if (history.from.length === 0) return [];
  const page = [`--skip=${Math.min(offset, MAX_NUMBER)}`, `--max-count=${limit}`];
  const { stdout } = await repository.git.run(repository.folder, ['log', ...FORMAT, ...page, ...historyArguments(history)], {
    ...historyInput(history),
    filter: commitFilter(MAX_LISTED_MESSAGE_BYTES),
  });
  return parseCommits(stdout, MAX_LISTED_MESSAGE_BYTES);
}

/** Returns the number of commits of a history, up to `cap`. */
export async function countCommits(repository: RepositoryDir, history: History, cap: number): Promise<number> {
  if (history.from.length === 0) return 0;
  const args = ['rev-list', '--count', `--max-count=${cap}`, ...historyArguments(history)];
  const { stdout } = await repository.git.run(repository.folder, args, historyInput(history));
  return Number(stdout.toString('latin1').trim());
}

/** Returns the ids of the commits of a history, newest first. */
export async function commitIds(repository: RepositoryDir, history: History, limit: number): Promise<string[]> {
  if (history.from.length === 0) return [];
  const args = ['rev-list', `--max-count=${limit}`, ...historyArguments(history)];
  const { stdout } = await repository.git.run(repository.folder, args, historyInput(history));
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

/** Returns a commit and those of its descendants from which some of the commits in `heads` can be reached. Unknown heads are ignored. */
export async function descendantsOf(
  { git, folder }: RepositoryDir,
  commit: CommitObject,
  heads: readonly string[],
  limit: number,
): Promise<ReadonlySet<string>> {
  const args = ['rev-list', '--topo-order', '--reverse', '--parents', '--ignore-missing', `--max-count=${limit}`, '--stdin'];
  const { stdout } = await git.run(folder, args, {
    input: lines([...heads, commit.id, ...commit.parents.map((id) => `^${id}`)]),
  });
  const found = new Set([commit.id]);
  for (const line of stdout.toString('latin1').split('\n')) {
    const [id = '', ...parents] = line.split(' ');
    if (parents.some((parent) => found.has(parent))) found.add(id);
  }
  return found;
}

/** Returns a filter for the output of `FORMAT` that keeps somewhat more of each field than `parseCommits` does. */
function commitFilter(most: number): (chunk: Buffer) => Buffer {
  const person = [NAME_BYTES, NAME_BYTES, DATE_BYTES];
  return createFieldLimit([ID_BYTES, ID_BYTES, MAX_PARENTS * ID_BYTES, ...person, ...person, most + 4]);
}

function parseCommits(output: Buffer, most: number): CommitObject[] {
  const limitMessage = createMessageLimit(most);
  const fields = output.toString('utf8').split('\0');
  const commits: CommitObject[] = [];
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    const [id = '', tree = '', parents = '', author = '', address = '', authored = '', committer = '', email = '', date = ''] =
      fields.slice(at, at + FIELDS.length);
    commits.push({
      id,
      tree,
      parents: parents === '' ? [] : parents.split(' ').slice(0, MAX_PARENTS),
      author: signature(author, address, authored),
      committer: signature(committer, email, date),
      message: limitMessage(fields[at + FIELDS.length - 1] ?? ''),
    });
  }
  return commits;
}

function signature(name: string, email: string, raw: string): Signature {
  const [seconds = '0', zone = '+0000'] = raw.split(' ');
  return { name: shortName(name), email: shortName(email), seconds: Number(seconds), zone };
}

/** Returns the commits that change at most `MAX_CHANGED_PATHS` paths, compared with their first parent. */
async function withFewChanges(repository: RepositoryDir, ids: readonly string[]): Promise<string[]> {
  const few: string[] = [];
  for (const { id, parents } of await readCommits(repository, [...new Set(ids)])) {
    if (!(await hasMoreChanges(repository, parents[0], id))) few.push(id);
  }
  return few;
}

/**
 * Returns the numbers of added and deleted lines of some commits. Merges are compared with their first parent. Commits with too many changed
 * paths are left out.
 */
export async function readStats(
  repository: RepositoryDir,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly additions: number; readonly deletions: number }>> {
  const stats = new Map<string, { additions: number; deletions: number }>();
  const few = await withFewChanges(repository, ids);
  if (few.length === 0) return stats;
  const args = ['log', '--no-walk=unsorted', '--stdin', '-m', '--first-parent', '--no-renames', '--shortstat'];
  const { stdout } = await repository.git.run(repository.folder, [...args, '--format=tformat:commit %H'], {
    input: lines(few),
  });
  for (const part of stdout.toString('latin1').split('commit ').slice(1)) {
    const additions = Number(/(\d+) insertion/.exec(part)?.[1] ?? 0);
    const deletions = Number(/(\d+) deletion/.exec(part)?.[1] ?? 0);
    stats.set(part.slice(0, 40), { additions, deletions });
  }
  return stats;
}

/** Paths that a commit adds, modifies and removes. */
export interface ChangedPaths {
  readonly added: string[];
  readonly modified: string[];
  readonly removed: string[];
}

/** Returns the changed paths of some commits. Merges are compared with their first parent. Commits with too many are left out. */
export async function readChangedPaths(
  repository: RepositoryDir,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChangedPaths>> {
  const changed = new Map<string, ChangedPaths>();
  const few = await withFewChanges(repository, ids);
  if (few.length === 0) return changed;
  const args = ['log', '--no-walk=unsorted', '--stdin', '-m', '--first-parent', '--no-renames', '--name-status', '-z'];
  const { stdout } = await repository.git.run(repository.folder, [...args, '--format=tformat:commit %H'], {
    input: lines(few),
  });
  const fields = stdout.toString('utf8').split('\0');
  let current: ChangedPaths | undefined;
  for (let at = 0; at < fields.length; at += 1) {
    const field = (fields[at] ?? '').replace(/^\n/, '');
    const [, id] = /^commit ([0-9a-f]{40})$/.exec(field) ?? [];
    if (id !== undefined) {
      current = { added: [], modified: [], removed: [] };
      changed.set(id, current);
    } else if (field !== '') {
      // A status and, in the next field, its path.
      const list = field === 'A' ? 'added' : field === 'D' ? 'removed' : 'modified';
      current?.[list].push(fields[(at += 1)] ?? '');
    }
  }
  return changed;
}

/** Returns the entries at some paths of a commit or tree. Paths without an entry are left out. */
export async function entriesAt(
  { git, folder }: RepositoryDir,
  tree: string,
  paths: readonly string[],
): Promise<Map<string, Entry>> {
  const [only = ''] = paths;
  const read = paths.length === 1 ? await readEntry(git, folder, tree, only) : undefined;
  if (read !== undefined) return new Map(read === 'missing' ? [] : [[only, read]]);
  const found = new Map<string, Entry>();
  const wanted = new Set(paths);
  const parts = inParts([...wanted]);
  // A single listing of everything is cheaper than many queries.
  const questions = parts.length > 4 ? [['-r']] : parts.map((some) => ['--', ...some]);
  for (const question of questions) {
    const args = question[0] === '--' ? [tree, ...question] : [...question, tree];
    const { stdout } = await git.run(folder, ['ls-tree', '-t', '-z', '--full-tree', ...args]);
    for (const record of stdout.toString('utf8').split('\0')) {
      const entry = parseEntry(record);
      if (entry !== undefined && wanted.has(entry.path)) found.set(entry.path, entry);
    }
  }
  return found;
}

/** Finds the entry at a path without starting a process. Returns undefined if only a command can find it. */
async function readEntry(git: GitProgram, folder: string, commit: string, path: string): Promise<Entry | 'missing' | undefined> {
  const slash = path.lastIndexOf('/');
  const parent = path.slice(0, Math.max(slash, 0));
  // Git reads `./` and `../` at the beginning of a path as relative.
  if (!isFullId(commit) || path.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const object = await readObject(git, folder, parent === '' ? `${commit}^{tree}` : `${commit}:${parent}`);
  if (object === undefined || object === 'missing') return object;
  if (object.type !== 'tree') return 'missing';
  return object.content === undefined
    ? undefined
    : (entryNamed(object.content, path, Buffer.from(path.slice(slash + 1))) ?? 'missing');
}

/** Finds an entry in the content of a tree object: `MODE NAME\0` and the 20 bytes of the id, one after the other. */
function entryNamed(tree: Buffer, path: string, name: Buffer): Entry | undefined {
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(32, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) return undefined;
    if (end - space - 1 === name.length && tree.compare(name, 0, name.length, space + 1, end) === 0) {
      const mode = tree.toString('latin1', at, space).padStart(6, '0');
      const type = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
      return { mode, type, id: tree.toString('hex', end + 1, end + 21), path };
    }
    at = end + 21;
  }
  return undefined;
}

/** Splits paths into chunks that fit into the command line of any system. */
function inParts(paths: readonly string[]): string[][] {
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const path of paths) {
    const length = Buffer.byteLength(path) + 3;
    if (size + length > 16_000) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(path);
    size += length;
  }
  return parts;
}

/** Parses `100644 blob <id>\t<path>`. */
function parseEntry(record: string): Entry | undefined {
  const tab = record.indexOf('\t');
  if (tab < 0) return undefined;
  const [mode = '', type = '', id = ''] = record.slice(0, tab).split(' ');
  return type === 'tree' || type === 'blob' || type === 'commit' ? { mode, type, id, path: record.slice(tab + 1) } : undefined;
}

/** Returns the names of the files in the root of a commit. */
export async function rootFiles({ git, folder }: RepositoryDir, commit: string): Promise<string[]> {
  const { stdout } = await git.run(folder, ['ls-tree', '-z', '--full-tree', commit]);
  return stdout
    .toString('utf8')
    .split('\0')
    .map(parseEntry)
    .filter((entry) => entry?.type === 'blob')
    .map((entry) => entry?.path ?? '');
}

/**
 * Returns the entries of a tree as printed by git; `recursive` includes all levels.
 *
 * @throws {Refused} if there are too many paths.
 */
export async function readTree(repository: RepositoryDir, tree: string, recursive: boolean): Promise<Buffer> {
  const { git, folder } = repository;
  if (recursive) await demandFewPaths(repository, tree);
  const { stdout } = await git.run(folder, ['ls-tree', ...(recursive ? ['-r', '-t'] : []), '-z', '--full-tree', tree]);
  return stdout;
}

/** Returns the content of a blob by full id; undefined if it does not exist. */
export async function readBlob({ git, folder }: RepositoryDir, id: string): Promise<Buffer | undefined> {
  const object = isFullId(id) ? await readObject(git, folder, id) : undefined;
  if (object === 'missing') return undefined;
  if (object?.content !== undefined) return object.type === 'blob' ? object.content : undefined;
  const { code, stdout } = await git.run(folder, ['cat-file', 'blob', id], { codes: [128] });
  return code === 0 ? stdout : undefined;
}

/** Returns the best common ancestor of some commits; undefined if there is none. */
export async function mergeBase({ git, folder }: RepositoryDir, ids: readonly string[]): Promise<string | undefined> {
  const { code, stdout } = await git.run(folder, ['merge-base', '--octopus', ...ids], { codes: [1] });
  return code === 0 ? stdout.toString('latin1').split('\n', 1)[0] : undefined;
}

/** The change of one file between two trees or commits. */
export interface FileChange {
  readonly oldPath: string;
  readonly newPath: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** `A`, `D`, `M`, `R` or `T`. */
  readonly kind: string;
  /** Starts at the first `---` or `@@`; empty for binary files. */
  readonly patch: string;
  /** True if the content was not read, because there are too many changes. */
  readonly isCollapsed?: boolean;
}

/** Id of the empty tree, which exists in every repository. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Number of changes that are returned without their content if there are too many. */
export const COLLAPSED_CHANGES = 1000;

/**
 * Returns the changes between two commits; `from` undefined compares with the empty tree. `paths` limits the changes to some
 * files. Of too many changes, only the first are returned, without their content.
 */
export async function readChanges(
  repository: RepositoryDir,
  from: string | undefined,
  to: string,
  paths?: readonly string[],
): Promise<FileChange[]> {
  const { git, folder } = repository;
  if (paths === undefined && (await hasMoreChanges(repository, from, to)))
    return firstChanges(repository, from, to, COLLAPSED_CHANGES);
  const moves = paths === undefined ? '-M' : '--no-renames';
  const args = ['diff-tree', '-r', moves, '--no-ext-diff', '--no-textconv', '--no-color', '--full-index'];
  const range = [from ?? EMPTY_TREE, to, ...(paths === undefined ? [] : ['--', ...paths])];
  const [raw, patches] = await Promise.all([
    git.run(folder, [...args, '--raw', '-z', ...range]),
    git.run(folder, [...args, '--patch', ...range]),
  ]);
  // Every line of a patch starts with a sign, so this can only be a header.
  const parts = patches.stdout
    .toString('utf8')
    .split(/^diff --git /m)
    .slice(1);
  const fields = raw.stdout.toString('utf8').split('\0');
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [oldMode = '', newMode = '', , , status = ''] = (fields[at] ?? '').slice(1).split(' ');
    const kind = status.slice(0, 1);
    const oldPath = fields[at + 1] ?? '';
    const isMoved = kind === 'R' || kind === 'C';
    const newPath = isMoved ? (fields[at + 2] ?? '') : oldPath;
    at += isMoved ? 3 : 2;
    const part = parts[changes.length] ?? '';
    const begin = /^@@ /m.exec(part)?.index;
    changes.push({ oldPath, newPath, oldMode, newMode, kind, patch: begin === undefined ? '' : part.slice(begin) });
  }
  return changes;
}

/**
 * Returns the first changes between two commits and their number, for display. If there are many, only the first patches are
 * read, and renames appear as a deletion and an addition. The number is undefined if there are too many to count.
 */
export async function readFirstChanges(
  repository: RepositoryDir,
  from: string | undefined,
  to: string,
  most: number,
): Promise<{ readonly changes: readonly FileChange[]; readonly count: number | undefined }> {
  const { git, folder } = repository;
  if (await hasMoreChanges(repository, from, to))
    return { changes: await firstChanges(repository, from, to, most), count: undefined };
  const { stdout } = await git.run(folder, ['diff-tree', '-r', '--name-only', '--no-renames', '-z', from ?? EMPTY_TREE, to]);
  const paths = stdout.toString('utf8').split('\0').slice(0, -1);
  if (paths.length <= most) {
    const changes = await readChanges(repository, from, to);
    return { changes, count: changes.length };
  }
  const [first = []] = inParts(paths.slice(0, most));
  return { changes: await readChanges(repository, from, to, first), count: paths.length };
}

/**
 * Returns the changes between two commits as one patch.
 *
 * @throws {Refused} if there are too many.
 */
export async function readPatch(repository: RepositoryDir, from: string, to: string): Promise<Buffer> {
  const { git, folder } = repository;
  if (await hasMoreChanges(repository, from, to)) throw badRequest(`More than ${MAX_CHANGED_PATHS} paths differ`);
  const args = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '--binary', '--patch'];
  return (await git.run(folder, [...args, from, to])).stdout;
}

/** Returns the branches of the folder that are fully contained in a commit. */
export async function branchesWithin(repository: RepositoryDir, commit: string): Promise<ReadonlySet<string>> {
  const names = await refNames(repository, `--merged=${commit}`, 'refs/heads/');
  return new Set(names.map((name) => name.slice('refs/heads/'.length)));
}

/** Returns the branches and tags of the folder that contain a commit. */
export async function refsAround(
  repository: RepositoryDir,
  commit: string,
): Promise<{ readonly branches: string[]; readonly tags: string[] }> {
  const [branches, tags] = await Promise.all(
    ['refs/heads/', 'refs/tags/'].map(async (prefix) =>
      (await refNames(repository, `--contains=${commit}`, prefix)).map((name) => name.slice(prefix.length)),
    ),
  );
  return { branches: branches ?? [], tags: tags ?? [] };
}

async function refNames({ git, folder }: RepositoryDir, condition: string, prefix: string): Promise<string[]> {
  const { stdout } = await git.run(folder, ['for-each-ref', condition, '--format=%(refname)', prefix]);
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
