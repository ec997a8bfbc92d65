// Runs a program so that its whole process tree ends with it: on `stop()`, when this process ends, and when this process is killed and
// cannot clean up. For the last case there is a guard process: it leads its own process group, holds the read end of a pipe whose write end
// only its parent has, and ends its group when that pipe closes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const GRACE_MS = 2_000;

/** A running program. `stdout` and `stderr` are text streams without further buffering. */
export type Guarded = {
  /** Id of the guard process, which is also the id of its process group; undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** Resolves to the exit code (null after a signal) when the program has ended. */
  readonly exited: Promise<number | null>;
  /** Ends the whole process tree and resolves when its leader has exited. Can be called more than once. */
  stop(): Promise<void>;
};

/** Starts `command`. `env` is its complete environment. */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env: NodeJS.ProcessEnv },
): Guarded {
  const guard = spawn(process.execPath, [SELF, command, ...args], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  guard.stdin.on('error', () => {}); // The guard has already exited, which `exited` reports.
  guard.stdout.setEncoding('utf8');
  guard.stderr.setEncoding('utf8');
  const exited = new Promise<number | null>((resolve) => {
    guard.once('error', () => resolve(null));
    guard.once('exit', (code) => resolve(code));
  });
  return {
    pid: guard.pid,
    stdout: guard.stdout,
    stderr: guard.stderr,
    exited,
    async stop() {
      guard.stdin.end();
      await exited;
    },
  };
}

/**
 * Returns the first non-undefined result of `match` for a line of standard output. Rejects with `what` and the last output if the program
 * ends or the deadline passes first.
 */
export function firstMatch<T>(
  program: Guarded,
  match: (line: string) => T | undefined,
  what: string,
  deadlineMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let rest = '';
    let log = '';
    const timer = setTimeout(() => fail(`${what} did not happen within ${deadlineMs / 1000} s`), deadlineMs);
    program.stderr.on('data', (chunk: string) => {
      log = (log + chunk).slice(-4_000);
    });
    program.stdout.on('data', (chunk: string) => {
      log = (log + chunk).slice(-4_000);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const found = match(line);
        if (found !== undefined) {
          clearTimeout(timer);
          resolve(found);
        }
      }
    });
    void program.exited.then((code) => fail(`${what} did not happen: the program ended with ${code ?? 'a signal'}`));

    function fail(message: string): void {
      clearTimeout(timer);
      reject(new Error(log === '' ? message : `${message}. Its last output:\n${log}`));
    }
  });
}

/** The guard itself: `node guarded.ts <command> <argument>…`. */
async function guard(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    windowsHide: true,
  });
  let ending = false;
  const endTree = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await endChildTree(child);
  };
  process.stdin.on('end', () => void endTree());
  process.stdin.on('close', () => void endTree());
  process.stdin.resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void endTree());
  child.once('error', (error) => {
    process.stderr.write(`${command}: ${error.message}\n`);
    process.exit(127);
  });
  const [code] = await once(child, 'exit');
  // Processes that the program left in its group end with it. When the program was stopped by a signal, the guard ends by the same signal.
  if (process.platform !== 'win32') signalGroup(ending ? 'SIGKILL' : 'SIGTERM');
  process.exit(typeof code === 'number' ? code : 1);
}

async function endChildTree(child: ChildProcess): Promise<void> {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], {
      stdio: 'ignore',
    });
    return;
  }
  const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  signalGroup('SIGTERM'); // The guard itself handles the signal and stays alive.
  const timer = setTimeout(() => signalGroup('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}

function signalGroup(signal: NodeJS.Signals): void {
  try {
    process.kill(-process.pid, signal);
  } catch {
    // The group does not exist: all its processes have ended.
  }
}

if (process.argv[1] === SELF) {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) throw new Error('guarded.ts: no command given');
  await guard(command, args);
}
