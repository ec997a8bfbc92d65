import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Largest anonymous memory of a process and of its descendants together, in bytes. */
export interface PeakMemory {
  readonly own: number;
  readonly descendants: number;
}

/** True if the memory of processes can be read (proc(5)). */
export const canReadMemory = existsSync('/proc/self/status');

const INTERVAL = 50;

/** Measures the anonymous memory of a process and of its descendants until the returned function is called, which returns the peaks. */
export function measureMemory(pid: number): () => PeakMemory {
  let peak: PeakMemory = { own: 0, descendants: 0 };
  const measure = (): void => {
    const now = memoryOf(pid);
    peak = { own: Math.max(peak.own, now.own), descendants: Math.max(peak.descendants, now.descendants) };
  };
  measure();
  const timer = setInterval(measure, INTERVAL);
  return () => {
    clearInterval(timer);
    measure();
    return peak;
  };
}

function memoryOf(pid: number): PeakMemory {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The name of the program, in parentheses, can contain anything.
    const parent = /^\d+ \(.*\) \S (\d+) /s.exec(read(`/proc/${name}/stat`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isDescendant = (process: number): boolean => {
    for (let parent = parents.get(process); parent !== undefined; parent = parents.get(parent)) if (parent === pid) return true;
    return false;
  };
  // Until it starts its program, a new process shares the memory of its parent.
  const hasStarted = (process: number): boolean => commandLine(process) !== commandLine(parents.get(process) ?? 0);
  const descendants = [...parents.keys()]
    .filter((process) => isDescendant(process) && hasStarted(process))
    .reduce((sum, process) => sum + anonymous(process), 0);
  return { own: anonymous(pid), descendants };
}

function anonymous(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function commandLine(pid: number): string {
  return read(`/proc/${pid}/cmdline`);
}

/** Returns the text of a file; empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
