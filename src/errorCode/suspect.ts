import type { RunGit } from '../workspace/runGit.ts';
import { hasFile } from './lines.ts';
import { matcherOf } from './place.ts';
import type { SuspectCommit } from './suspectCommit.ts';

/** Reason why there is no suspect commit. */
type NoSuspect =
  /** The stack has no line of a file in the repository. */
  | 'noLines'
  /** No commit between the releases has changed a file of the stack. */
  | 'unchanged';

interface SuspectLine {
  readonly path: string;
  readonly line: number;
  /** Code that the event reports. A line with other code is not that of the event. */
  readonly code: string | undefined;
}

interface SuspectQuery {
  /** Folder of the repository. */
  readonly root: string;
  /** Commits of the last release without the error, of the first release with it, and of the release of the event. */
  readonly good: string;
  readonly bad: string;
  readonly event: string;
  /** Lines of the stack, with paths in the repository; the innermost frame first. */
  readonly lines: readonly SuspectLine[];
}

/** Maximum number of lines that are blamed; each starts git once. */
const MAX_LINES = 10;
const FORMAT = '%H%x00%an%x00%ct%x00%s';

/**
 * Returns the newest commit between two releases that has written a line of the stack, otherwise the newest one that has changed a file of
 * it. Rejects if git fails.
 */
export async function findSuspect(git: RunGit, query: SuspectQuery, signal: AbortSignal): Promise<SuspectCommit | NoSuspect> {
  const { root, good, bad, event } = query;
  const lines = query.lines.slice(0, MAX_LINES);
  const known: SuspectLine[] = [];
  for (const one of lines) if (await hasFile(git, root, event, one.path, signal)) known.push(one);
  if (known.length === 0) return 'noLines';
  const range = new Set((await git(root, ['rev-list', bad, `^${good}`, '--'], { signal })).split('\n').filter(Boolean));
  const found: SuspectCommit[] = [];
  for (const { path, line, code } of known) {
    const hash = await blame(git, query, { path, line, code }, signal);
    if (hash === undefined || !range.has(hash)) continue;
    const [commit] = await commits(git, root, ['--max-count=1', hash, '--'], signal);
    if (commit !== undefined) found.push({ ...commit, by: 'line', path, line });
  }
  const [newest] = found.toSorted((one, other) => other.at - one.at);
  if (newest !== undefined) return newest;
  for (const path of new Set(known.map((one) => one.path))) {
    const [commit] = await commits(git, root, ['--max-count=1', bad, `^${good}`, '--', path], signal);
    if (commit !== undefined) found.push({ ...commit, by: 'file', path, line: null });
  }
  return found.toSorted((one, other) => other.at - one.at)[0] ?? 'unchanged';
}

/** Returns the hash of the commit that has written a line; undefined if the file has no such line, or other code there. */
async function blame(
  git: RunGit,
  { root, event }: SuspectQuery,
  { path, line, code }: SuspectLine,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const output = await git(root, ['blame', '--porcelain', '--no-textconv', '-w', '-L', `${line},${line}`, event, '--', path], {
      signal,
    });
    const text = /^\t(.*)$/m.exec(output)?.[1] ?? '';
    return code === undefined || matcherOf(code)(text) ? /^([0-9a-f]{40,64}) /.exec(output)?.[1] : undefined;
  } catch (failure) {
    if (signal.aborted) throw failure;
    // The release has a shorter file than the program that reported the error.
    return undefined;
  }
}

async function commits(git: RunGit, root: string, args: readonly string[], signal: AbortSignal) {
  const output = await git(root, ['log', `--format=${FORMAT}`, '--no-show-signature', ...args], { signal });
  return output
    .split('\n')
    .filter(Boolean)
    .map((row) => {
      const [hash = '', author = '', seconds = '', title = ''] = row.split('\0');
      return { hash, author, title, at: Number(seconds) * 1000 };
    });
}

/** Returns the tag of the newest release before a commit; undefined if there is none. */
export async function tagBefore(git: RunGit, root: string, commit: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await git(root, ['describe', '--tags', '--abbrev=0', `${commit}^`, '--'], { signal })).trim();
  } catch (failure) {
    if (signal.aborted) throw failure;
    // No tag is reachable, or the commit is the first one.
    return undefined;
  }
}
