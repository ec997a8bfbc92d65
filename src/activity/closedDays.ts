import type { Memento } from 'vscode';

/** Collapsed days, by row id. The ids contain the account and the list, so each list has separate days. */
export interface ClosedDays {
  readonly has: (row: string) => boolean;
  readonly set: (row: string, isClosed: boolean) => PromiseLike<void>;
}

const KEY = 'activity.closedDays';
/** Maximum number of stored ids; the oldest are dropped. */
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
