/** Time per turn of the event loop in which requests are started, in milliseconds. A request that takes longer is the last of its turn. */
const BUDGET = 5;

/**
 * Spreads requests over turns of the event loop. A write ends with a flush to the disk, for which all requests wait. Without turns, all
 * requests of open connections would run in one turn, and the operating system passes on only one new connection per turn.
 */
export interface Turns {
  /** Returns undefined if the request may run now, else a promise. The promises are fulfilled in the order of the calls. */
  enter(): Promise<void> | undefined;
  /** Must be called when an entered request ends. */
  leave(): void;
  /** Number of the current turn. */
  readonly current: number;
}

export function createTurns(now: () => number = () => performance.now(), budget = BUDGET): Turns {
  const waiting: (() => void)[] = [];
  let current = 0;
  /** End of the time of this turn; undefined until a request is started. */
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
