import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { cpuOf, scheduled } from './harness.ts';

/** Milliseconds that are looked at as one. */
const WINDOW = 200;
/** Of a processor, up to which the processes count as quiet. */
const QUIET_SHARE = 0.15;
/** Quiet windows in a row. */
const QUIET_WINDOWS = 3;
/** On a machine that never comes to rest the measurement goes on after so many. */
const MAX_WINDOWS = 40;

/** Ids of the processes that this one has started, and of those that they have started. Empty where the system does not tell. */
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
 * Waits until those processes below this one whose command line matches do next to nothing, so that what they did before is not measured. A
 * browser that draws an animation never comes to rest.
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

/** What main threads have had of the processors, in milliseconds. */
export interface Shares {
  readonly ran: number;
  /** Ready to run, while other threads had the processors. */
  readonly waited: number;
}

/** Shares of the main threads of those processes below this one whose command line matches. */
export function sharesOf(program: RegExp): () => Shares {
  const processes = processesBelow().filter((pid) => program.test(commandLineOf(pid)));
  return () => {
    const all = processes.map(mainThreadOf);
    return {
      ran: all.reduce((sum, { ran }) => sum + ran, 0),
      waited: all.reduce((sum, { waited }) => sum + waited, 0),
    };
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

/** Microseconds of processor time by process. */
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
    // The name of the program stands in brackets and may hold anything (proc_pid_stat(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return Number(fields?.[1]);
  } catch {
    return undefined;
  }
}
