import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import type { Subject } from './harness.ts';

const delayModule = path.join(import.meta.dirname, 'loopDelay.mjs');
const turnModule = path.join(import.meta.dirname, 'longestTurn.mjs');

/** How late an event loop came round and what its process used, in milliseconds. */
export interface Measured {
  /** 99.9th percentile. */
  readonly late: number;
  readonly longest: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

export interface Measuring {
  /** What was measured since the last time. */
  measured(): Promise<Measured>;
}

/** A server whose event loop is measured. */
export function startMeasured(args: readonly string[]): Promise<Subject & Measuring> {
  return start([`--import=${delayModule}`, ...args]);
}

/** What `longestTurn.mjs` measures, in milliseconds. */
export interface MeasuredTurns {
  /** The longest time in which the event loop did not come round, without the time in which other processes had the processor. */
  readonly longestTurn: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

/** A server the turns of whose event loop are measured. */
export async function startMeasuredTurns(args: readonly string[]): Promise<Subject & { measured(): Promise<MeasuredTurns> }> {
  return start<MeasuredTurns>([`--import=${turnModule}`, ...args]);
}

/** A process that does nothing and whose turns are measured, as a control. */
export function startIdleTurns(): Promise<Subject & { measured(): Promise<MeasuredTurns> }> {
  return start<MeasuredTurns>([turnModule, 'idle']);
}

/** A process that does nothing, as a control. */
export function startIdle(): Promise<Subject & Measuring> {
  return start([delayModule, 'idle']);
}

async function start<T = Measured>(args: readonly string[]): Promise<Subject & { measured(): Promise<T> }> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', SIGNALBOX_ADMIN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('there is no output');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { origin } = JSON.parse(line) as { origin?: string };
  if (origin === undefined) throw new Error(`${args.join(' ')} does not serve: ${line}`);
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

/** Memory of a process that no file is behind. */
export function anonymousMegabytes({ child }: Subject): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
