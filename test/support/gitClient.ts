import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { testEnvironment } from './environment.ts';

export interface GitClientOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitClientOptions {
  /** Text for the standard input of git. */
  readonly input?: string | Buffer;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Aborting it kills git. */
  readonly signal?: AbortSignal;
}

/** The git program of this machine, as a user runs it. */
export interface GitClient {
  /** Runs git in the folder of the client, without the configuration of the user. A failing command is a result, not an error. */
  run(...args: readonly string[]): Promise<GitClientOutput>;
  /** Runs git like `run`, with options. */
  runWith(options: GitClientOptions, ...args: readonly string[]): Promise<GitClientOutput>;
  /**
   * Runs git like `run` and returns its output.
   *
   * @throws Error with the error output of git if the command fails.
   */
  succeed(...args: readonly string[]): Promise<string>;
}

/** Returns a git client that runs in a folder. Its home is `.home` in that folder. */
export function gitClient(folder: string): GitClient {
  const home = path.join(folder, '.home');
  mkdirSync(home, { recursive: true });
  const runWith: GitClient['runWith'] = ({ input, env = {}, signal }, ...args) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', args, {
        cwd: folder,
        env: { ...environment(home), ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      });
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
      // The program may exit before it has read all input.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input ?? '');
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({ code: code ?? -1, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
      });
      const kill = (): void => void child.kill('SIGKILL');
      if (signal?.aborted === true) kill();
      signal?.addEventListener('abort', kill, { once: true });
    });
  return {
    runWith,
    run: (...args) => runWith({}, ...args),
    succeed: async (...args) => {
      const { code, stdout, stderr } = await runWith({}, ...args);
      if (code !== 0) throw new Error(`git ${args.join(' ')} exited with code ${code}: ${stderr}`);
      return stdout;
    },
  };
}

/** Returns the environment of git with a home folder and an author. */
export function environment(home: string): Record<string, string> {
  return testEnvironment(['git'], {
    HOME: home,
    LC_ALL: 'C',
    GIT_AUTHOR_NAME: 'Ada Example',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada Example',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  });
}

/**
 * Returns the HTTP address of a repository.
 *
 * @param path The path without `.git`, such as `ada/lamps`.
 * @param token The password in the address; no credentials if omitted.
 */
export function addressOf({ origin }: { readonly origin: string }, path: string, token?: string, username = 'oauth2'): string {
  const credentials = token === undefined ? '' : `${encodeURIComponent(username)}:${encodeURIComponent(token)}@`;
  return `${origin.replace('//', `//${credentials}`)}/${path}.git`;
}
