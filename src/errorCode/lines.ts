import type { RepositoryFile, RunGit } from '../workspace/runGit.ts';
import { type Hunk, lineInNewer, lineInOlder, readHunks } from './diffHunks.ts';
import { commitOfRelease, type CommitOfRelease, type EventRelease, type ReleaseCommitSettings } from './releaseCommits.ts';

/** Reason why it is not known where a line of a release is now. */
export type LineProblem =
  /** The event names no release. */
  | 'noRelease'
  /** VS Code has opened no repository with the file, or has no git. */
  | 'noRepository'
  | 'unknownRelease'
  | 'missingCommit'
  /** The commit of the release does not have the file, under another name either. */
  | 'missingFile'
  /** Git or a request failed. */
  | 'failed';

/** Reason why a line may be another one than that of an event. */
export type LineDoubt =
  | LineProblem
  /** The line was changed or removed after the release. */
  | 'changed'
  /** The release does not have the code that the event reports. */
  | 'otherCode'
  /** The source map of the frame may be of another release or build. */
  | 'doubtfulMap';

/** Where a line of a release is in a file of the workspace now. Lines are 1-based. */
export type LineNow =
  | { readonly kind: 'same'; readonly line: number }
  /** The line was changed or removed since. */
  | { readonly kind: 'changed'; readonly line: number }
  | { readonly kind: 'unknown'; readonly line: number; readonly why: LineProblem };

/** Where a line of a release is now, with what git says of the other lines of its file. */
export interface TracedLine {
  readonly now: LineNow;
  /** Returns true if a line (1-based) was added or changed since the release. Undefined if that is unknown. */
  readonly isNew?: ((line: number) => boolean) | undefined;
}

/** Difference of a file from its version in the commit of a release. */
export type FileChange = { readonly hunks: readonly Hunk[]; readonly commit: string; readonly oldPath: string };

/** State of a file on the disk, such as its size and the time of its last change. */
export type FileState = string;

export interface CommitLinesSettings extends ReleaseCommitSettings {
  readonly warn: (failure: unknown) => void;
}

/** Finds lines of releases with git, which runs once for each file, commit and state of the file. */
export interface CommitLines {
  /** Returns how a file was changed since a release. Rejects only when it is canceled. */
  readonly changeSince: (
    file: RepositoryFile | undefined,
    release: EventRelease | undefined,
    state: FileState,
  ) => Promise<FileChange | LineProblem>;
  /** Returns the commit of a release, as `changeSince` does. */
  readonly commitOf: (root: string, release: EventRelease) => Promise<CommitOfRelease | 'failed'>;
  /** Aborted by `clear`. */
  readonly signal: () => AbortSignal;
  /** Forgets what could not be found, because it may have been fetched since. */
  readonly forgetProblems: () => void;
  /** Cancels what runs and forgets everything. */
  readonly clear: () => void;
}

export function createCommitLines({ git, commitOfTag, warn }: CommitLinesSettings): CommitLines {
  const commits = new Map<string, Promise<CommitOfRelease | 'failed'>>();
  const changes = new Map<string, { readonly state: FileState; readonly change: Promise<FileChange | LineProblem> }>();
  let abort = new AbortController();

  /** Turns failures into a result, because they must not be requested again for every line. */
  async function orFailed<Value>(work: Promise<Value>, { signal }: AbortController): Promise<Value | 'failed'> {
    try {
      return await work;
    } catch (failure) {
      if (!signal.aborted) warn(failure);
      return 'failed';
    }
  }

  function commitOf(root: string, release: EventRelease): Promise<CommitOfRelease | 'failed'> {
    const key = JSON.stringify([root, release.version, release.commit]);
    const found = commits.get(key) ?? orFailed(commitOfRelease({ git, commitOfTag }, root, release, abort.signal), abort);
    commits.set(key, found);
    return found;
  }

  return {
    commitOf,
    signal: () => abort.signal,
    changeSince: async (file, release, state) => {
      if (file === undefined) return 'noRepository';
      if (release === undefined) return 'noRelease';
      const found = await commitOf(file.root, release);
      if (found === 'failed') return 'failed';
      if (found.kind !== 'found') return found.kind;
      const key = JSON.stringify([file.root, found.commit, file.path]);
      const known = changes.get(key);
      if (known?.state === state) return known.change;
      const change = orFailed(fileChange(git, file, found.commit, abort.signal), abort);
      changes.set(key, { state, change });
      return change;
    },
    forgetProblems: () => {
      for (const [key, found] of commits)
        void found.then((result) => {
          if ((result === 'failed' || result.kind !== 'found') && commits.get(key) === found) commits.delete(key);
        });
      for (const [key, { change }] of changes)
        void change.then((result) => {
          if (typeof result === 'string' && changes.get(key)?.change === change) changes.delete(key);
        });
    },
    clear: () => {
      abort.abort();
      abort = new AbortController();
      commits.clear();
      changes.clear();
    },
  };
}

async function fileChange(
  git: RunGit,
  { root, path }: RepositoryFile,
  commit: string,
  signal: AbortSignal,
): Promise<FileChange | LineProblem> {
  const oldPath = (await hasFile(git, root, commit, path, signal)) ? path : await nameIn(git, root, commit, path, signal);
  if (oldPath === undefined) return 'missingFile';
  const paths = oldPath === path ? [path] : [oldPath, path];
  const diff = await git(root, [...DIFF, '--unified=0', '--find-renames', commit, '--', ...paths], { signal });
  // A file that git no longer tracks looks deleted.
  if (/^\+\+\+ \/dev\/null$/m.test(diff)) return 'missingFile';
  return { hunks: readHunks(diff), commit, oldPath };
}

/** Compares texts as they are, without programs that the configuration of the repository names. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all'];

/** Returns true if a commit has the file. */
export async function hasFile(git: RunGit, root: string, commit: string, path: string, signal: AbortSignal): Promise<boolean> {
  if (path.includes('\n')) return false;
  const input = `${commit}:${path}\n`;
  return /^blob\n$/.test(await git(root, ['cat-file', '--batch-check=%(objecttype)'], { input, signal }));
}

/** Returns the path that a renamed file had in a commit; undefined if it is new. */
async function nameIn(git: RunGit, root: string, commit: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const output = await git(root, [...DIFF, '--find-renames', '--diff-filter=R', '--name-status', '-z', commit, '--'], { signal });
  const fields = output.split('\0');
  // Each rename has three fields: its similarity, the former path and the path.
  for (let at = 0; at + 2 < fields.length; at += 3) if (fields[at + 2] === path) return fields[at + 1];
  return undefined;
}

/**
 * Returns where a line of a release is in the text that an editor shows. `unsaved` are the hunks that lead from the file on the disk, which
 * git compared, to that text.
 */
export function lineNow(change: FileChange | LineProblem, line: number, unsaved: readonly Hunk[] = []): LineNow {
  const saved = typeof change === 'string' ? { line, isChanged: false } : lineInNewer(change.hunks, line);
  const shown = lineInNewer(unsaved, saved.line);
  if (typeof change === 'string') return { kind: 'unknown', line: shown.line, why: change };
  return { kind: saved.isChanged || shown.isChanged ? 'changed' : 'same', line: shown.line };
}

/** Returns `lineNow` with what the same changes say of the other lines. */
export function traceLine(change: FileChange | LineProblem, line: number, unsaved: readonly Hunk[] = []): TracedLine {
  const now = lineNow(change, line, unsaved);
  if (typeof change === 'string') return { now };
  return {
    now,
    isNew: (shown) => {
      const saved = lineInOlder(unsaved, shown);
      return saved === undefined || lineInOlder(change.hunks, saved) === undefined;
    },
  };
}
