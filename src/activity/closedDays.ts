import type { Memento } from 'vscode';

/** The days that somebody has closed, by the ids of their rows, which name account and list: other lists have days of their own. */
export interface ClosedDays {
  readonly has: (row: string) => boolean;
  readonly set: (row: string, isClosed: boolean) => PromiseLike<void>;
}

const KEY = 'activity.closedDays';
/** So many are kept, the latest; days pass. */
const MAX_COUNT = 200;

export function createClosedDays(memory: Memento): ClosedDays {
  const list = (): readonly string[] => {
    const stored: unknown = memory.get(KEY);
    return Array.isArray(stored) ? stored.filter((row) => typeof row === 'string') : [];
  };
  return {
    has: (row) => list().includes(row),
    set: (row, isClosed) => {
      const rest = list().filter((other) => other !== row);
      return memory.update(KEY, isClosed ? [...rest, row].slice(-MAX_COUNT) : rest);
    },
  };
}
