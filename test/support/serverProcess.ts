import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { testEnvironment } from './environment.ts';
import { contentsOf, createSecrets, collectFetchedSecrets } from './secrets.ts';

export const DIST = path.join(import.meta.dirname, '../../dist');

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** First line written to standard input; the input stays open. */
  readonly handshake?: string;
  /** True to use the null device as standard input, as in CI. */
  readonly noInput?: boolean;
  /** Path of the server program; the built server.js by default. */
  readonly program?: string;
  /** Path of the Node program; this one by default. */
  readonly node?: string;
  /** Module that is loaded before the server. */
  readonly preload?: string;
  /** Further arguments of Node. */
  readonly nodeArguments?: readonly string[];
  /** True to open file descriptor 3 for the preloaded module; `child.stdio[3]` is the other end. */
  readonly control?: boolean;
  /** File mode mask of the process; that of this process by default. */
  readonly umask?: number;
  /** User id of the process; only root can set it. */
  readonly uid?: number;
  readonly gid?: number;
}

/** A server in its own process, as scripts and the extension run it. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** First line of standard output, parsed. */
  readonly line: Readonly<Record<string, unknown>>;
  readonly origin: string;
  /** Returns all standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves once standard error matches; rejects if the server exits first. */
  logged(pattern: RegExp): Promise<void>;
  /** Resolves with the exit code or signal when the server has exited. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Stops the server, and searches its data folder and log for the secrets that this process has received from it. */
  stop(): Promise<void>;
}

/** Starts dist/server.js and waits for its first line. The environment is that of a test with git and the given variables. */
export async function spawnServer(args: readonly string[], options: SpawnOptions = {}): Promise<ServerProcess> {
  const preload = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  const program = options.program ?? path.join(DIST, 'server.js');
  const umask = options.umask === undefined ? undefined : process.umask(options.umask);
  const child = spawn(options.node ?? process.execPath, [...preload, ...(options.nodeArguments ?? []), program, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: testEnvironment(['git'], options.env),
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
  secrets.addResponse(options.handshake ?? '');
  const reading = collectFetchedSecrets(origin, secrets);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
    reading.stop();
    secrets.assertAbsentFrom('the log', stderr);
    const folder = args[args.indexOf('--data') + 1] ?? '';
    if (args.includes('--data') && existsSync(folder)) secrets.assertAbsentFrom('the data folder', contentsOf(folder));
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

/** Sends one request with a token and a JSON body, which must succeed. Returns the JSON of the response; undefined if it has no body. */
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

/** Creates an empty temporary folder, removed with its contents on disposal. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
