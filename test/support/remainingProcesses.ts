import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

interface Known {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isDead: boolean;
}

/**
 * Returns the command lines of processes in this process group that are not ancestors of this process: processes that tests started and did
 * not end, even if their parent has exited. Returns an empty list where the system does not report processes. Use only in a run with its
 * own process group.
 */
export function remainingProcesses(): readonly string[] {
  const all = readAll();
  const self = all.get(process.pid);
  if (self === undefined) return [];
  const above = new Set<number>();
  for (let one: Known | undefined = self; one !== undefined; one = all.get(one.parent)) above.add(one.pid);
  return [...all.values()]
    .filter(({ pid, group, isDead }) => group === self.group && !isDead && !above.has(pid))
    .map(({ pid }) => `${pid} ${commandLine(pid)}`);
}

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Command line. */
  readonly command: string;
}

/** Returns the processes that descend from this one or are in its process group. Empty where the system does not report processes. */
export function processesBelow(pid: number): readonly RunningProcess[] {
  const all = readAll();
  const descends = ({ parent, group }: Known): boolean => {
    if (group === pid || parent === pid) return true;
    const above = all.get(parent);
    return above !== undefined && descends(above);
  };
  return [...all.values()]
    .filter((one) => one.pid !== pid && !one.isDead && descends(one))
    .map((one) => ({ pid: one.pid, parent: one.parent, command: commandLine(one.pid) }));
}

/** Returns the command lines of processes whose working folder is in a folder. Empty where the system does not report processes. */
export function processesIn(folder: string): readonly string[] {
  return [...readAll().values()]
    .filter(({ pid, isDead }) => !isDead && isIn(folder, pid))
    .map(({ pid }) => `${pid} ${commandLine(pid)}`);
}

function isIn(folder: string, pid: number): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}${path.sep}`.startsWith(`${folder}${path.sep}`);
  } catch {
    // The process has ended in the meantime, or belongs to somebody else.
    return false;
  }
}

function readAll(): ReadonlyMap<number, Known> {
  if (!existsSync('/proc/self/stat')) return new Map();
  return new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(name) : [])));
}

/** Parses proc(5). The name in parentheses may contain any character, so the fields are counted from the last parenthesis. */
function read(name: string): readonly (readonly [number, Known])[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const [state = '', parent = '', group = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const pid = Number(name);
    return [[pid, { pid, parent: Number(parent), group: Number(group), isDead: state === 'Z' || state === 'X' }]];
  } catch {
    // The process has ended in the meantime.
    return [];
  }
}

/** Returns the command line of a process, whose arguments are separated by blanks. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '(ended meanwhile)';
  }
}
