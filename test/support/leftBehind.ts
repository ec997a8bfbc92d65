import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface Known {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isDead: boolean;
}

/**
 * Command lines of processes of our own process group that this process has not been started by: what tests have started and not ended,
 * also when the one that started it is gone. Nothing where the system does not tell. Only for a run that has a group to itself.
 */
export function leftBehind(): readonly string[] {
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

/** proc(5): the name in parentheses may hold anything, so what follows is counted from its end. */
function read(name: string): readonly (readonly [number, Known])[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const [state = '', parent = '', group = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const pid = Number(name);
    return [[pid, { pid, parent: Number(parent), group: Number(group), isDead: state === 'Z' || state === 'X' }]];
  } catch {
    // It has ended meanwhile.
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
