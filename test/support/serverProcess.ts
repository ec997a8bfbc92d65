import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { contentsOf, createSecrets, readAlongFetch } from './secrets.ts';

export const DIST = path.join(import.meta.dirname, '../../dist');

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to standard input as the first line; the input stays open. */
  readonly handshake?: string;
  /** Standard input is the null device, as in CI. */
  readonly noInput?: boolean;
  /** Another server.js than the built one. */
  readonly program?: string;
  /** Another Node than this one. */
  readonly node?: string;
  /** A module that is loaded before the server. */
  readonly preload?: string;
  /** Gives the server file descriptor 3, for what is loaded before it; `child.stdio[3]` is the other end. */
  readonly control?: boolean;
  /** Of the process that starts it; that of this one when left out. */
  readonly umask?: number;
  /** Whose process it is; only root can give it to others. */
  readonly uid?: number;
  readonly gid?: number;
}

/** A server running as its own process, as scripts and the extension run it. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The first line of standard output, parsed. */
  readonly line: Readonly<Record<string, unknown>>;
  readonly origin: string;
  /** Everything it wrote so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves once standard error has this; rejects when the server ends without. */
  logged(pattern: RegExp): Promise<void>;
  /** Resolves with the exit code (or signal) when it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it, and looks in its data folder and log for the secrets that this process has fetched from it. */
  stop(): Promise<void>;
}

/** Starts dist/server.js and waits for its line. The environment holds PATH and what is given, nothing else. */
export async function spawnServer(args: readonly string[], options: SpawnOptions = {}): Promise<ServerProcess> {
  const preload = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  const program = options.program ?? path.join(DIST, 'server.js');
  const umask = options.umask === undefined ? undefined : process.umask(options.umask);
  const child = spawn(options.node ?? process.execPath, [...preload, program, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), ...options.env },
    stdio: [
      options.noInput === true ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      ...(options.control === true ? (['pipe'] as const) : []),
    ],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }),
  });
  if (umask !== undefined) process.umask(umask);
  const { stdin, stdout: output, stderr: errors } = child;
  stdin?.on('error', () => undefined);
  if (options.handshake === undefined) stdin?.end();
  else stdin?.write(`${options.handshake}\n`);
  let stdout = '';
  let stderr = '';
  output?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  errors?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? -1));
  });
  const first = await new Promise<string>((resolve) => {
    createInterface({ input: output ?? Readable.from([]) })
      .once('line', resolve)
      .once('close', () => resolve(''));
  });
  let line: Readonly<Record<string, unknown>> = {};
  try {
    line = JSON.parse(first);
  } catch {
    line = { event: 'none', text: first };
  }
  const origin = typeof line['origin'] === 'string' ? line['origin'] : '';
  const logged = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(stderr)) {
      const hasEnded = await Promise.race([ended.then(() => true), once(errors ?? child, 'data').then(() => false)]);
      assert.ok(!hasEnded || pattern.test(stderr), `the server ended without logging ${pattern}:\n${stderr}`);
    }
  };
  const secrets = createSecrets();
  secrets.add('admin token', options.env?.['SIGNALBOX_ADMIN_TOKEN'] ?? '');
  secrets.answered(options.handshake ?? '');
  const reading = readAlongFetch(origin, secrets);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
    reading.stop();
    secrets.refuseIn('the log', stderr);
    const folder = args[args.indexOf('--data') + 1] ?? '';
    if (args.includes('--data') && existsSync(folder)) secrets.refuseIn('the data folder', contentsOf(folder));
  };
  return {
    child,
    line,
    origin,
    stdout: () => stdout,
    stderr: () => stderr,
    logged,
    ended,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** One request with a token and a JSON body, which must succeed; the answer's JSON, undefined without a body. */
export async function requestOf(
  { origin }: ServerProcess,
  token: string,
  method: string,
  target: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${origin}${target}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${target}: ${response.status} ${text}`);
  const value: unknown = text === '' ? undefined : JSON.parse(text);
  return value;
}

/** A new empty folder under the machine's temporary one, removed with everything in it. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
