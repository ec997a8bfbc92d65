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
import { parseJson } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';

/** How to start the server. */
export interface Launch {
  /** A Node, or an Electron that ELECTRON_RUN_AS_NODE turns into one. */
  readonly executable: string;
  readonly serverFile: string;
  readonly dataFolder: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly seed: 'demo' | 'none';
  /** What is done to the data before the server opens it: begun anew, or taken from a snapshot. What was there becomes a snapshot. */
  readonly input: 'reset' | { readonly snapshot: string } | undefined;
  /** The environment of this process, of which the child gets little. */
  readonly environment: NodeJS.ProcessEnv;
  readonly adminToken: string;
  /** Milliseconds without a sign of life after which the child is given up: before its line, every line of its log is one. */
  readonly limit: number;
  readonly startTimer: StartTimer;
  readonly report: (line: string) => void;
  /** Told how far the server is with preparing itself. Such lines are reported, too, in words. */
  readonly onProgress: (progress: ProgressLine) => void;
}

/** Calls `expire` after so many milliseconds, counted from the start or from the last `restart`. */
export type StartTimer = (milliseconds: number, expire: () => void) => { restart(): void; stop(): void };

export const startTimer: StartTimer = (milliseconds, expire) => {
  const timer = setTimeout(expire, milliseconds);
  return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started child, whose line has been read. */
export interface ServerProcess {
  readonly line: HandshakeLine;
  /** Resolves when the child is gone and its output has been read. */
  readonly gone: Promise<Exit>;
  /** Its last lines on standard error, at most 50. */
  readonly lastLines: () => readonly string[];
  readonly endInput: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/**
 * The child gets what a program needs to run at all. So a debugger's NODE_OPTIONS, proxies and every token stay out of it; its own
 * secret comes on standard input, because other programs of the same person can read arguments and environment.
 */
const passedOn: readonly string[] = [
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
  const cached = passedOn.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(cached), ELECTRON_RUN_AS_NODE: '1' };
}

/**
 * Starts the server and reads its one line. The child ends when its standard input ends, so it never outlives this process. A child
 * that does not answer, or not with its line, is killed and becomes a `fatal` line of ours: `no_response`, `no_start` or `bad_response`.
 */
export function startServer(launch: Launch): Promise<ServerProcess> {
  const { executable, serverFile, dataFolder, port, seed, input: values, environment, adminToken, report, onProgress } = launch;
  const onData = values === undefined ? [] : values === 'reset' ? ['--reset'] : ['--restore', values.snapshot];
  const child = spawn(
    executable,
    [serverFile, 'serve', '--port', `${port}`, '--data', dataFolder, '--seed', seed, ...onData, '--stdin-handshake'],
    {
      cwd: path.dirname(serverFile),
      env: childEnvironment(environment),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    },
  );
  const alive = createEmitter<void>();
  const lastLines = collectLines(child, onProgress, (line) => {
    alive.fire();
    report(line);
  });
  const gone = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const handshake = firstLine(child, gone, alive.event, launch);
  const input: HandshakeInput = { adminToken };
  // A child that is already gone shows itself by `gone`; writing to it is no news.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(input)}\n`);
  return handshake.then((line) => ({
    line,
    gone,
    lastLines: () => lastLines,
    endInput: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
  }));
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
  gone: Promise<Exit>,
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
    void gone.then(({ code, signal }) =>
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
