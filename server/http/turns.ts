/** Milliseconds of one turn of the event loop in which requests are begun; one that takes longer is the last of its turn. */
const BUDGET = 5;

/**
 * Spreads requests over turns of the event loop. A write ends with a flush to the disk, for which everybody waits. Without this, everything
 * that open connections have sent is done in one turn, and the system hands over one new connection in each turn.
 */
export interface Turns {
  /** Undefined when the request may go on now; else it may when the promise is fulfilled, in the order of the calls. */
  enter(): Promise<void> | undefined;
  /** To be called when a request that has entered ends. */
  leave(): void;
  /** Differs between any two turns in which requests were begun. */
  readonly current: number;
}

export function createTurns(now: () => number = () => performance.now(), budget = BUDGET): Turns {
  const waiting: (() => void)[] = [];
  let current = 0;
  /** Undefined while no request was begun in this turn. */
  let deadline: number | undefined;

  const begin = (): void => {
    current += 1;
    deadline = now() + budget;
    setImmediate(end);
  };
  const end = (): void => {
    deadline = undefined;
    const next = waiting.shift();
    if (next === undefined) return;
    begin();
    next();
  };
  const hasTime = (): boolean => deadline !== undefined && now() < deadline;

  return {
    enter: () => {
      if (deadline === undefined) begin();
      if (waiting.length === 0 && hasTime()) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
    leave: () => {
      if (waiting.length > 0 && hasTime()) waiting.shift()?.();
    },
    get current() {
      return current;
    },
  };
}
