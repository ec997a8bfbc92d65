import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { testEnvironment } from '../support/environment.ts';
import { waitedForProcessor } from './harness.ts';

export const ADMIN_TOKEN = 'bench-token-0123456789abcdef';

interface TimedStart {
  /** Milliseconds, without the time in which the process was ready to run and other programs had the processors. */
  readonly milliseconds: number;
  readonly body: unknown;
}

interface StartOptions {
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which stays open. */
  readonly input?: string;
  /** Path of the first request. */
  readonly target: string;
  /** SIGTERM lets the server cache its compiled code. */
  readonly signal?: 'SIGKILL' | 'SIGTERM';
}

/**
 * Starts a server, measures the time from spawning it to the end of its first response, and stops it.
 *
 * @throws Error unless the response has status 200.
 */
export async function timedStart({ args, env = {}, input, target, signal = 'SIGKILL' }: StartOptions): Promise<TimedStart> {
  const started = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: testEnvironment(['git'], env),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (input !== undefined) child.stdin.write(input);
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const { origin } = JSON.parse(line) as { origin: string };
  const response = await fetch(`${origin}${target}`, { headers: { 'PRIVATE-TOKEN': ADMIN_TOKEN } });
  const body: unknown = await response.json();
  const milliseconds = performance.now() - started - waitedForProcessor(child.pid);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
  if (response.status !== 200) throw new Error(`${target} returned ${response.status}`);
  return { milliseconds, body };
}
