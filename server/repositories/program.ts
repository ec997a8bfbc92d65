import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { currentActor } from '../core/actor.ts';
import { unavailable } from '../core/errors.ts';
import { createChildGroups } from './childGroup.ts';
import { createSlots } from './slots.ts';
import { createStallChecks } from './stalledTransfers.ts';

/** Options of a git command. Data from requests is passed only as arguments after `--` or as standard input. */
export interface GitRun {
  readonly input?: string | Buffer;
  /** Exit codes that are valid results, in addition to 0. */
  readonly codes?: readonly number[];
  /** Additional environment variables, such as GIT_OBJECT_DIRECTORY. */
  readonly env?: Readonly<Record<string, string>>;
  /** Additional settings, such as `packingSettings`. */
  readonly settings?: readonly string[];
  /** Maximum run time, in milliseconds; 20 s by default, `WRITE_TIME` for commands that write. */
  readonly timeLimit?: number;
  /** Number of bytes after which the command is ended and its output is complete. By default, a long output is an error. */
  readonly enough?: number;
  /** Takes the output piece by piece, and returns what is kept of it. */
  readonly filter?: (chunk: Buffer) => Buffer;
}

export interface GitOutput {
  readonly code: number;
  readonly stdout: Buffer;
}

/** A running git command whose input and output are streamed. */
export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Fulfilled with the exit code and the error output (at most 2,000 characters) when the command ends. Never rejected. */
  readonly ended: Promise<{ readonly code: number; readonly problem: string }>;
  /** Ends the command with everything that it has started, and its output. */
  kill(): void;
}

export interface GitStart {
  readonly signal: AbortSignal;
  /** Additional environment variables, such as GIT_PROTOCOL. */
  readonly env?: Readonly<Record<string, string>>;
  /** Additional settings, such as `uploadpack.allowFilter=true`. */
  readonly settings?: readonly string[];
  /** True for a process that may take much memory. Few of them run at a time. */
  readonly isLarge?: boolean;
  /** True for a process of the server itself, which does not count as a transfer. */
  readonly isReader?: boolean;
}

export interface GitProgram {
  /**
   * Runs git in a bare repository, or outside of a repository if undefined. Throws 503 if git is missing, and an Error if git
   * fails.
   */
  run(repository: string | undefined, args: readonly string[], options?: GitRun): Promise<GitOutput>;
  /**
   * Starts git in a bare repository to transfer data to a client. Waits while too many transfers run; a transfer does not count as one of the
   * commands of `run`, because a slow client can hold it for long. It is ended if the client receives too little while others wait. Throws 503
   * if git is missing or the signal is aborted first.
   */
  start(repository: string, args: readonly string[], options: GitStart): Promise<GitProcess>;
  /**
   * Returns a promise of the end of the commands that run in a repository now, or undefined if there are none. Commands with an object
   * folder of their own, such as those of a push, do not count.
   */
  busy(repository: string): Promise<unknown> | undefined;
  /** Throws 503 if git is missing. */
  demand(): Promise<void>;
  /** Kills all running commands. */
  stop(): void;
}

export interface GitMetadata {
  /** Name or path of the git executable. */
  readonly program: string;
  /** Environment of the server process; only the variables that git needs to start are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Concurrent commands; more would only compete for the CPU. */
const COMMANDS = { total: 4, perCaller: 3, perRepository: 2 };
/** Concurrent transfers. */
const TRANSFERS = { total: 16, perCaller: 8, perRepository: 6 };
/** Concurrent transfers that may take much memory. */
const LARGE_TRANSFERS = { total: 2, perCaller: 1, perRepository: 1 };
/** Maximum run time of a command, in milliseconds. */
const TIME_LIMIT = 20_000;
/** Maximum run time of a command that writes, in milliseconds. */
export const WRITE_TIME = 60_000;
/** Settings that limit the memory of a process that writes packs. */
export const packingSettings = [
  'pack.threads=1',
  'pack.windowMemory=32m',
  'pack.deltaCacheSize=16m',
  'pack.packSizeLimit=0',
  'core.bigFileThreshold=8m',
  'core.deltaBaseCacheLimit=32m',
];
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;

const MISSING =
  '503 Service Unavailable - Git is not installed where this server runs. Install Git so that the program git is found on PATH, and ask again; everything but repositories works without it.';

/** Disables hooks, filters, garbage collection and network access, and makes git sync its writes to disk. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsync=committed,loose-object,reference',
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'core.attributesFile=/dev/null',
  'fastimport.unpackLimit=100',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
];

/** Returns the arguments that set settings. */
function settingArguments(more: readonly string[] = []): string[] {
  return [...settings, ...more].flatMap((setting) => ['-c', setting]);
}

/** Returns the environment of git: the paths of programs and temporary files, without the user's git configuration. */
function environment(env: GitMetadata['env']): Record<string, string> {
  const stored = ['PATH', 'Path', 'SYSTEMROOT', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(stored),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** Returns the user of a slot: the sender of the current request. */
function slotUser(repository: string | undefined) {
  const actor = currentActor();
  return { caller: actor?.userId === undefined ? actor?.address : `user ${actor.userId}`, repository };
}

export function createGitProgram({ program, env }: GitMetadata): GitProgram {
  const groups = createChildGroups();
  /** Ends of running commands by the path of their repository. */
  const ends = new Map<string, Set<Promise<unknown>>>();
  const slots = createSlots(COMMANDS);
  const transferSlots = createSlots(TRANSFERS);
  const largeSlots = createSlots(LARGE_TRANSFERS);
  const stallChecks = createStallChecks(() => transferSlots.hasWaiting());
  let isKnown = false;
  let isStopped = false;

  const watch = (child: ChildProcess, repository: string | undefined, env: GitRun['env'] = {}): void => {
    if (repository === undefined || 'GIT_OBJECT_DIRECTORY' in env) return;
    const inside = ends.get(repository) ?? new Set();
    ends.set(repository, inside);
    const end = new Promise<void>((resolve) => {
      const finish = (): void => {
        inside.delete(end);
        if (inside.size === 0) ends.delete(repository);
        resolve();
      };
      child.once('close', finish);
      child.once('error', finish);
    });
    inside.add(end);
  };

  const once = (repository: string | undefined, args: readonly string[], options: GitRun): Promise<GitOutput> =>
    new Promise((resolve, reject) => {
      const [verb = ''] = args.filter((argument) => !argument.startsWith('-'));
      const where = repository === undefined ? [] : [`--git-dir=${repository}`];
      const group = groups.start(program, [...settingArguments(options.settings), '--literal-pathspecs', ...where, ...args], {
        env: { ...environment(env), ...options.env },
        cwd: repository,
      });
      const { child } = group;
      let isFinished = false;
      watch(child, repository, options.env);
      const chunks: Buffer[] = [];
      let size = 0;
      let problem = '';
      let refusal: Error | undefined;
      const cutOff = (reason: string): void => {
        refusal ??= unavailable(`503 Service Unavailable - git ${verb} ${reason}`, reason);
        group.end();
      };
      const { timeLimit = TIME_LIMIT, enough = Number.POSITIVE_INFINITY } = options;
      const timer = setTimeout(() => cutOff(`took longer than ${timeLimit / 1000} s`), timeLimit);
      child.stdout.on('data', (output: Buffer) => {
        const chunk = options.filter?.(output) ?? output;
        size += chunk.length;
        if (size >= enough) {
          chunks.push(chunk);
          group.end();
        } else if (size > MAX_OUTPUT_BYTES) cutOff(`answered more than ${MAX_OUTPUT_BYTES} bytes`);
        else chunks.push(chunk);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (problem.length < 2000) problem += text;
      });
      // The program may exit before it has read all input; the exit code explains why.
      child.stdin.on('error', () => undefined);
      child.stdin.end(options.input ?? '');
      child.once('error', (error: NodeJS.ErrnoException) => {
        // A missing working directory raises the same error as a missing program.
        const isMissing = error.code === 'ENOENT' || error.code === 'EACCES' || error.code === 'ENOTDIR';
        refusal ??= isMissing ? unavailable(MISSING, 'git was not found on PATH') : error;
        if (child.pid === undefined) finish(-1);
      });
      child.once('close', (code) => finish(code ?? -1));
      const finish = (code: number): void => {
        if (isFinished) return;
        isFinished = true;
        clearTimeout(timer);
        if (refusal !== undefined) reject(refusal);
        else if (size >= enough) resolve({ code: 0, stdout: Buffer.concat(chunks).subarray(0, enough) });
        else if (code === 0 || options.codes?.includes(code) === true) resolve({ code, stdout: Buffer.concat(chunks) });
        else reject(new Error(`git ${verb} exited with code ${code}: ${problem.trim()}`));
      };
    });

  const run: GitProgram['run'] = async (repository, args, options = {}) => {
    const releaseSlot = await slots.take(slotUser(repository));
    try {
      if (isStopped) throw unavailable('503 Service Unavailable - the server is stopping', 'the server is stopping');
      return await once(repository, args, options);
    } finally {
      releaseSlot();
    }
  };

  /** Waits until a transfer may start. A large one that waits for others of its kind does not count as a transfer meanwhile. */
  const takeSlots = async (repository: string, { signal, isLarge, isReader }: GitStart): Promise<() => void> => {
    if (isReader === true) return () => undefined;
    const user = slotUser(repository);
    const releaseLarge = isLarge === true ? await largeSlots.take(user, signal) : () => undefined;
    try {
      const releaseTransfer = await transferSlots.take(user, signal);
      return () => {
        releaseTransfer();
        releaseLarge();
      };
    } catch (error) {
      releaseLarge();
      throw error;
    }
  };

  const start: GitProgram['start'] = async (repository, args, options) => {
    const { signal, env: more = {}, settings: special, isReader } = options;
    const aborted = () => unavailable('503 Service Unavailable - the server is stopping', 'the transfer was aborted');
    const releaseSlot = await takeSlots(repository, options).catch(() => {
      throw aborted();
    });
    try {
      if (isStopped || signal.aborted) throw aborted();
      const before = [...settingArguments(special), '--literal-pathspecs', `--git-dir=${repository}`];
      const group = groups.start(program, [...before, ...args], {
        env: { ...environment(env), ...more },
        cwd: repository,
      });
      const { child } = group;
      watch(child, repository, more);
      const kill = (): void => {
        group.end();
        // Output that nobody reads would keep the process open.
        child.stdout.destroy();
      };
      signal.addEventListener('abort', kill, { once: true });
      const leaveChecks = isReader === true ? () => undefined : stallChecks.enter(child.stdout, kill);
      let problem = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (problem.length < 2000) problem += text;
      });
      // The program may exit before it has read all input; the exit code explains why.
      child.stdin.on('error', () => undefined);
      const ended = new Promise<{ readonly code: number; readonly problem: string }>((resolve) => {
        child.once('close', (code) => {
          signal.removeEventListener('abort', kill);
          leaveChecks();
          releaseSlot();
          resolve({ code: code ?? -1, problem: problem.trim() });
        });
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', () => reject(unavailable(MISSING, 'git was not found on PATH')));
      });
      return { stdin: child.stdin, stdout: child.stdout, ended, kill };
    } catch (error) {
      releaseSlot();
      throw error;
    }
  };

  return {
    run,
    start,
    busy: (repository) => {
      const inside = ends.get(repository);
      return inside === undefined ? undefined : Promise.all(inside);
    },
    demand: async () => {
      if (isKnown) return;
      await run(undefined, ['--version']);
      isKnown = true;
    },
    stop: () => {
      isStopped = true;
      groups.stop();
    },
  };
}
