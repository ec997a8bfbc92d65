import { execFile } from 'node:child_process';

/** Runs the git program in a folder. Rejects with a `GitFailure` if it fails, and when it is canceled. */
export type RunGit = (folder: string, args: readonly string[], options?: GitOptions) => Promise<string>;

export interface GitOptions {
  /** Text for its standard input. */
  readonly input?: string;
  /** Aborting it ends git. */
  readonly signal?: AbortSignal | undefined;
}

/** File in a repository. */
export interface RepositoryFile {
  /** Folder of the repository. */
  readonly root: string;
  /** Relative to the root, with `/` as separator. */
  readonly path: string;
}

class GitFailure extends Error {
  override readonly name = 'GitFailure';
}

/** Time after which git is ended, in milliseconds. */
const TIMEOUT = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Settings for every run. Reading changes neither the index nor the repository, asks nothing, fetches nothing, and starts no programs that
 * the configuration of the repository names, apart from filters of content.
 */
const OPTIONS = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotePath=false',
];
const ENVIRONMENT = { GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' };

/** Returns a function that runs this git program, without a shell. Paths have to follow `--`. */
export function createGit(program: string): RunGit {
  return (folder, args, { input = '', signal } = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        program,
        [...OPTIONS, ...args],
        {
          ...{ cwd: folder, env: { ...process.env, ...ENVIRONMENT }, windowsHide: true, encoding: 'utf8' },
          ...{ timeout: TIMEOUT, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' },
          ...(signal === undefined ? {} : { signal }),
        },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new GitFailure(stderr.trim() === '' ? error.message : stderr.trim(), { cause: error }));
        },
      );
      // Git may end before it has read all input.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
}
