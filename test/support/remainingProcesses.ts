import { existsSync, readdirSync, readFileSync } from 'node:fs';

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
  if (!existsSync('/proc/self/stat')) return [];
  const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(name) : [])));
  const self = all.get(process.pid);
  if (self === undefined) return [];
  const above = new Set<number>();
  for (let one: Known | undefined = self; one !== undefined; one = all.get(one.parent)) above.add(one.pid);
  return [...all.values()]
    .filter(({ pid, group, isDead }) => group === self.group && !isDead && !above.has(pid))
    .map(({ pid }) => `${pid} ${commandLine(pid)}`);
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

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '(ended meanwhile)';
  }
}
