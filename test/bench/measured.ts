import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { testEnvironment } from '../support/environment.ts';
import { TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import type { Subject } from './harness.ts';

const delayModule = path.join(import.meta.dirname, 'loopDelay.mjs');
const turnModule = path.join(import.meta.dirname, 'longestTurn.mjs');

/** Event loop delay and processor time of a process, in milliseconds. */
export interface Measured {
  /** 99.9th percentile of the event loop delay. */
  readonly late: number;
  readonly longest: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

export interface Measuring {
  /** Returns what was measured since the last call. */
  measured(): Promise<Measured>;
}

/** Starts a server whose event loop delay is measured. */
export function startMeasured(args: readonly string[]): Promise<Subject & Measuring> {
  return start([`--import=${delayModule}`, ...args]);
}

/** Measurements of `longestTurn.mjs`, in milliseconds. */
export interface MeasuredTurns {
  /** The longest turn of the event loop, without the time in which other processes had the processor. */
  readonly longestTurn: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

/** Starts a server whose event loop turns are measured. */
export async function startMeasuredTurns(args: readonly string[]): Promise<Subject & { measured(): Promise<MeasuredTurns> }> {
  return start<MeasuredTurns>([`--import=${turnModule}`, ...args]);
}

/** Starts an idle process whose event loop turns are measured, as a control. */
export function startIdleTurns(): Promise<Subject & { measured(): Promise<MeasuredTurns> }> {
  return start<MeasuredTurns>([turnModule, 'idle']);
}

/** Starts an idle process whose event loop delay is measured, as a control. */
export function startIdle(): Promise<Subject & Measuring> {
  return start([delayModule, 'idle']);
}

async function start<T = Measured>(args: readonly string[]): Promise<Subject & { measured(): Promise<T> }> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: testEnvironment(['git'], { SIGNALBOX_ADMIN_TOKEN: token }),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('the process has no standard output');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { origin } = JSON.parse(line) as { origin?: string };
  if (origin === undefined) throw new Error(`${args.join(' ')} did not print an origin: ${line}`);
  return {
    child,
    origin,
    measured: async () => {
      const response = once(child, 'message');
      child.send({});
      const [measured] = (await response) as [T];
      return measured;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** Returns the anonymous resident memory of a process: memory that no file backs. */
export function anonymousMegabytes({ child }: Subject): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
