import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import autocannon from 'autocannon';
import { testEnvironment } from '../support/environment.ts';

/**
 * Result of paired measurements: both sides run in the same session, in the order A B B A …, and only their ratio is judged, because
 * absolute times on a shared machine say little. Some benchmarks also measure an idle process as a control of how quiet the machine was.
 */
export interface Ratio {
  readonly name: string;
  /** Description of the ratio, for example "server / bare". */
  readonly of: string;
  readonly rounds: readonly number[];
  readonly median: number;
  readonly limit: Limit;
  readonly holds: boolean;
  /** Probability that rounds spread evenly around the limit would be at least this one-sided. A small value means a reliable verdict. */
  readonly chance: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Limit = { readonly atLeast: number } | { readonly atMost: number };

export function ratio(
  name: string,
  of: string,
  rounds: readonly number[],
  limit: Limit,
  details: Readonly<Record<string, unknown>>,
): Ratio {
  const middle = median(rounds);
  const chance = rounded(chanceOf(rounds, limit));
  return {
    name,
    of,
    rounds: rounds.map(rounded),
    median: rounded(middle),
    limit,
    holds: isWithin(middle, limit),
    chance,
    details,
  };
}

/** A verdict is sure when the probability of the sign test is below this value. */
const SURE = 0.01;
const MIN_ROUNDS = 9;

/**
 * Measures pairs until it is sure on which side of the limit the median of their ratios lies, or until `most` rounds are over. Other work
 * on the machine can make single rounds wrong by half; it changes how many rounds are needed, but not the verdict.
 *
 * `round` receives its index, so that the sides can take turns going first, and resolves to the ratio.
 */
export async function roundsUntilSure(limit: Limit, most: number, round: (index: number) => Promise<number>): Promise<number[]> {
  const rounds: number[] = [];
  while (rounds.length < most && (rounds.length < MIN_ROUNDS || chanceOf(rounds, limit) >= SURE)) {
    rounds.push(await round(rounds.length));
  }
  return rounds;
}

function isWithin(value: number, limit: Limit): boolean {
  return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
}

/** Two-sided sign test: returns the probability that fair coin flips are at least as one-sided as the rounds are relative to the limit. */
function chanceOf(rounds: readonly number[], limit: Limit): number {
  const within = rounds.filter((value) => isWithin(value, limit)).length;
  const fewer = Math.min(within, rounds.length - within);
  let sum = 0;
  let combinations = 1;
  for (let k = 0; k <= fewer; k += 1) {
    sum += combinations;
    combinations = (combinations * (rounds.length - k)) / (k + 1);
  }
  return Math.min(1, (2 * sum) / 2 ** rounds.length);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/**
 * Throws unless both sides of a pair did the same work.
 *
 * @param what what is compared, such as the bytes or rows of both sides
 */
export function checkSameWork(what: string, one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other))
    throw new Error(`the sides did not do the same work: ${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
}

/** A child process that prints one line of JSON with its origin when it listens. */
export interface Subject {
  readonly child: ChildProcess;
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startSubject(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Subject> {
  const child = spawn(process.execPath, [...args], {
    env: testEnvironment(['git'], env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${args[0]} exited with ${code}`)));
  });
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || !('origin' in parsed)) {
    child.kill('SIGKILL');
    throw new Error(`${args[0]} did not print an origin: ${line}`);
  }
  const origin = String(parsed.origin);
  return {
    child,
    origin,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit').once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/**
 * Returns the processor time used by the threads of a process, in microseconds, or undefined where the system does not report it (other
 * than Linux). Threads that have ended are not included.
 */
export function cpuOf(pid: number | undefined): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + scheduled(`/proc/${pid}/task/${thread}`).ran, 0) * 1000;
  } catch {
    return undefined;
  }
}

/**
 * Returns the milliseconds in which the main thread of a process was ready to run while other processes had the processors: what a busy
 * machine adds to every measured time. Returns 0 where the system does not report it.
 */
export function waitedForProcessor(pid: number | undefined): number {
  try {
    return scheduled(`/proc/${pid}`).waited;
  } catch {
    return 0;
  }
}

/** Returns the milliseconds that one thread ran and waited for a processor (Linux: Documentation/scheduler/sched-stats). */
export function scheduled(folder: string): { readonly ran: number; readonly waited: number } {
  const [ran = Number.NaN, waited = Number.NaN] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number);
  return { ran: ran / 1e6, waited: waited / 1e6 };
}

export interface Load {
  /** Processor time of the server per request, in microseconds; wall time where the system does not report processor time. */
  readonly perRequest: number;
  readonly requestsPerSecond: number;
  readonly p99: number;
}

/** Loads one address for some seconds after a warm-up and measures the server, not the load generator. */
export async function load(
  subject: Subject,
  target: string,
  headers: Readonly<Record<string, string>>,
  seconds = 4,
  connections = 16,
): Promise<Load> {
  const url = `${subject.origin}${target}`;
  const check = await fetch(url, { headers });
  if (check.status !== 200) throw new Error(`${target} returned ${check.status}: ${await check.text()}`);
  await check.arrayBuffer();
  await autocannon({ url, headers: { ...headers }, connections, duration: Math.min(1, seconds / 4) });
  const before = cpuOf(subject.child.pid);
  const started = performance.now();
  const result = await autocannon({ url, headers: { ...headers }, connections, duration: seconds });
  const after = cpuOf(subject.child.pid);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} of the requests to ${target} failed`);
  const used = before === undefined || after === undefined ? (performance.now() - started) * 1000 : after - before;
  return { perRequest: used / result.requests.total, requestsPerSecond: result.requests.average, p99: result.latency.p99 };
}

/**
 * Calls `sendOne` on several connections at once, on each again after the last call has ended, for some seconds after a warm-up, and
 * measures the server.
 */
export async function loadBy(
  subject: Subject,
  sendOne: (connection: number) => Promise<void>,
  seconds = 4,
  connections = 16,
  warmUp = 1,
): Promise<{ readonly perRequest: number; readonly requests: number }> {
  const run = async (duration: number): Promise<number> => {
    const end = performance.now() + duration * 1000;
    let requests = 0;
    const one = async (connection: number): Promise<void> => {
      while (performance.now() < end) {
        await sendOne(connection);
        requests += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
    return requests;
  };
  if (warmUp > 0) await run(warmUp);
  const before = cpuOf(subject.child.pid);
  const started = performance.now();
  const requests = await run(seconds);
  const after = cpuOf(subject.child.pid);
  const used = before === undefined || after === undefined ? (performance.now() - started) * 1000 : after - before;
  return { perRequest: used / requests, requests };
}

/**
 * Posts a form on a kept-alive connection.
 *
 * @throws Error if the response has another status.
 */
export async function postForm(
  agent: Agent,
  address: string,
  form: Readonly<Record<string, string>>,
  status = 200,
): Promise<Readonly<Record<string, unknown>>> {
  const body = String(new URLSearchParams(form));
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(address, { agent, method: 'POST', headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === status) resolve(received);
        else reject(new Error(`${address} returned ${response.statusCode}: ${received}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Returns the median time to flush 4 KiB to disk, of 200 flushes, in milliseconds. */
export function flushTime(): number {
  const file = path.join(tmpdir(), `signalbox-flush-${process.pid}`);
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4096);
  const times: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const started = performance.now();
    writeSync(handle, block, 0, block.length, 0);
    fsyncSync(handle);
    times.push(performance.now() - started);
  }
  closeSync(handle);
  rmSync(file);
  return rounded(median(times));
}

export function machine(): Readonly<Record<string, unknown>> {
  return { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length, flushMilliseconds: flushTime() };
}

/** Measures both sides of a pair; the order changes from pair to pair, because the second side may profit from the first. */
export async function pairAt(
  index: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<readonly [one: number, other: number]> {
  if (index % 2 === 0) return [await one(), await other()];
  const second = await other();
  return [await one(), second];
}
