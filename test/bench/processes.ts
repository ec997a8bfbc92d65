import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { cpuOf, scheduled } from './harness.ts';

/** Length of one sample, in milliseconds. */
const WINDOW = 200;
/** Share of one processor up to which the processes count as quiet. */
const QUIET_SHARE = 0.15;
/** Number of quiet samples in a row before a measurement starts. */
const QUIET_WINDOWS = 3;
/** Number of samples after which a measurement starts even though the machine is not quiet. */
const MAX_WINDOWS = 40;

/** Returns the ids of all descendants of a process. Empty where the system does not report them. */
export function processesBelow(ancestor = process.pid): readonly number[] {
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  const waiting = [ancestor];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const below = children.get(pid) ?? [];
    found.push(...below);
    waiting.push(...below);
  }
  return found;
}

/**
 * Waits until the descendants of this process whose command line matches are nearly idle, so that their earlier work is not measured. A
 * browser that draws an animation never becomes idle.
 */
export async function untilQuiet(program: RegExp): Promise<void> {
  let quiet = 0;
  for (let windows = 0; windows < MAX_WINDOWS && quiet < QUIET_WINDOWS; windows += 1) {
    const before = usedBy(processesBelow().filter((pid) => program.test(commandLineOf(pid))));
    await setTimeout(WINDOW);
    const after = usedBy([...before.keys()]);
    const used = [...after].reduce((sum, [pid, time]) => sum + Math.max(0, time - (before.get(pid) ?? time)), 0);
    quiet = used / 1000 <= WINDOW * QUIET_SHARE ? quiet + 1 : 0;
  }
}

/** Processor shares of main threads, in milliseconds. */
export interface Shares {
  readonly ran: number;
  /** Time ready to run while other threads had the processors. */
  readonly waited: number;
}

/** Returns a function that returns what the main threads of matching descendants of this process have used since this call. */
export function sharesSinceNow(program: RegExp): () => Shares {
  const processes = processesBelow().filter((pid) => program.test(commandLineOf(pid)));
  const total = (): Shares => {
    const all = processes.map(mainThreadOf);
    return {
      ran: all.reduce((sum, { ran }) => sum + ran, 0),
      waited: all.reduce((sum, { waited }) => sum + waited, 0),
    };
  };
  const before = total();
  return () => {
    const { ran, waited } = total();
    return { ran: ran - before.ran, waited: waited - before.waited };
  };
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function mainThreadOf(pid: number): Shares {
  try {
    return scheduled(`/proc/${pid}`);
  } catch {
    return { ran: 0, waited: 0 };
  }
}

/** Returns the processor time of each process, in microseconds. */
function usedBy(processes: readonly number[]): ReadonlyMap<number, number> {
  return new Map(processes.map((pid) => [pid, cpuOf(pid) ?? 0]));
}

function pids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The program name is in parentheses and may contain any character (proc_pid_stat(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return Number(fields?.[1]);
  } catch {
    return undefined;
  }
}
