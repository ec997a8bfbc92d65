import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import {
  type HandshakeInput,
  type HandshakeLine,
  type ProgressLine,
  readHandshakeLine,
  readProgressLine,
} from '../contract/control.ts';
import type { Profile } from '../contract/emulation.ts';
import { parseJson } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';

/** Options for starting the server. */
export interface Launch {
  /** Node.js, or Electron, which ELECTRON_RUN_AS_NODE turns into Node.js. */
  readonly executable: string;
  readonly serverFile: string;
  readonly dataFolder: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly seed: 'demo' | 'none';
  /** Folders of further repository storages by name. Default: none. */
  readonly storages?: Readonly<Record<string, string>> | undefined;
  /** Platform to emulate. Undefined means the server's default. */
  readonly emulated: Profile | undefined;
  /** Change of the data before the server opens it: a reset, or a snapshot to restore. The old data is saved as a snapshot. */
  readonly dataChange: 'reset' | { readonly snapshot: string } | undefined;
  /** Environment of this process. The child gets only a few of the variables. */
  readonly environment: NodeJS.ProcessEnv;
  readonly adminToken: string;
  /** Longest silence of the child, in milliseconds, before its handshake line. Every log line restarts the timer. */
  readonly limit: number;
  readonly startTimer: StartTimer;
  readonly report: (line: string) => void;
  /** Called with the progress of the startup. `report` also gets these lines, as text. */
  readonly onProgress: (progress: ProgressLine) => void;
}

/** Calls `expire` after the milliseconds, counted from the start or the last `restart`. */
export type StartTimer = (milliseconds: number, expire: () => void) => { restart(): void; stop(): void };

export const startTimer: StartTimer = (milliseconds, expire) => {
  const timer = setTimeout(expire, milliseconds);
  return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Started child whose handshake line has been read. */
export interface ServerProcess {
  readonly line: HandshakeLine;
  /** Resolves when the child has exited and its output has been read. */
  readonly exited: Promise<Exit>;
  /** Returns the last lines of standard error, at most 50. */
  readonly lastLines: () => readonly string[];
  readonly endInput: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/**
 * Variables that the child inherits: only those that every program needs. This keeps out NODE_OPTIONS of a debugger, proxies and tokens.
 * The admin token is passed on standard input, because other processes of the user can read arguments and environment.
 */
const inheritedVariables: readonly string[] = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'SystemRoot',
  'windir',
];

const MAX_LINES = 50;

export function childEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const inherited = inheritedVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ELECTRON_RUN_AS_NODE: '1' };
}

/**
 * Starts the server and reads its handshake line. The child exits when its standard input ends, so it never outlives this process. If the
 * child does not start, or sends no valid line, it is killed and `line` is `fatal` with code `no_start`, `no_answer` or `bad_answer`.
 */
export function startServer(launch: Launch): Promise<ServerProcess> {
  const { executable, serverFile, dataFolder, port, seed, emulated, dataChange, environment, adminToken, report, onProgress } =
    launch;
  const storageOptions = Object.entries(launch.storages ?? {}).flatMap(([name, folder]) => ['--storage', `${name}=${folder}`]);
  const dataOptions = dataChange === undefined ? [] : dataChange === 'reset' ? ['--reset'] : ['--restore', dataChange.snapshot];
  const emulationOptions = emulated === undefined ? [] : optionsOf(emulated);
  const options = [
    '--port',
    `${port}`,
    '--data',
    dataFolder,
    '--seed',
    seed,
    ...storageOptions,
    ...emulationOptions,
    ...dataOptions,
  ];
  const child = spawn(executable, [serverFile, 'serve', ...options, '--stdin-handshake'], {
    cwd: path.dirname(serverFile),
    env: childEnvironment(environment),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const alive = createEmitter<void>();
  const lastLines = collectLines(child, onProgress, (line) => {
    alive.fire();
    report(line);
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const handshake = firstLine(child, exited, alive.event, launch);
  const input: HandshakeInput = { adminToken };
  // If the child has already exited, `exited` reports it.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(input)}\n`);
  return handshake.then((line) => ({
    line,
    exited,
    lastLines: () => lastLines,
    endInput: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
  }));
}

function optionsOf({ release, tier, offering, dialect }: Profile): readonly string[] {
  return ['--release', release, '--tier', tier, '--offering', offering, '--dialect', dialect];
}

function collectLines(
  child: ChildProcessWithoutNullStreams,
  onProgress: Launch['onProgress'],
  report: (line: string) => void,
): readonly string[] {
  const lines: string[] = [];
  eachLine(child.stderr, (text) => {
    const progress = readProgressLine(parseJson(text));
    if (progress !== undefined) onProgress(progress);
    const line = progress === undefined ? text : formatProgress(progress);
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    report(line);
  });
  return lines;
}

function formatProgress({ message, done, total }: ProgressLine): string {
  return done === undefined || total === undefined ? message : `${message} (${done} of ${total})`;
}

function firstLine(
  child: ChildProcessWithoutNullStreams,
  exited: Promise<Exit>,
  alive: Event<void>,
  { limit, startTimer: begin }: Pick<Launch, 'limit' | 'startTimer'>,
): Promise<HandshakeLine> {
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (line: HandshakeLine): void => {
      isSettled = true;
      timer.stop();
      resolve(line);
    };
    const failed = (code: string, message: string, hint: string): void => settle({ event: 'fatal', code, message, hint });
    const timer = begin(limit, () => {
      failed('no_answer', l10n.t('It produced no output for {0} s', limit / 1000), l10n.t('See its log for the reason.'));
      child.kill('SIGKILL');
    });
    alive(() => {
      if (!isSettled) timer.restart();
    });
    child.once('error', (error) => failed('no_start', error.message, l10n.t('The server process could not be started.')));
    eachLine(child.stdout, (text) => {
      if (isSettled) return;
      const line = readHandshakeLine(parseJson(text));
      if (line === undefined) {
        failed(
          'bad_answer',
          l10n.t('Its first line of output is not valid'),
          l10n.t('Another program may have been started in its place.'),
        );
        child.kill('SIGKILL');
      } else {
        settle(line);
      }
    });
    void exited.then(({ code, signal }) =>
      failed(
        'no_answer',
        l10n.t(
          'It exited immediately ({0})',
          signal === null ? l10n.t('exit code {0}', code ?? '') : l10n.t('signal {0}', signal),
        ),
        l10n.t('See its log for the reason.'),
      ),
    );
  });
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(line);
  });
  stream.on('end', () => {
    if (rest !== '') take(rest);
  });
}
