import { type Clock, MINUTE, SECOND } from './clock.ts';

/** One kind of work that becomes due by the clock. */
export interface DueWork {
  readonly name: string;
  /**
   * When the next piece is due, in milliseconds since the epoch; null when nothing is waiting. It is read from the data at each call and
   * never remembered, so that no move of the clock and no restart can lose it. It has to be cheap: one look into an index.
   */
  next(): number | null;
  /**
   * Does what is due at `now`: all of it, or a slice that takes a few milliseconds. True when it stopped after a slice: then it is called
   * again after requests had their turn.
   */
  run(now: number): boolean;
}

export interface Schedule {
  add(work: DueWork): void;
  /** Runs all work that is due, in order of its time, and goes on with what is left of it in later turns of the event loop. */
  runDue(): void;
  stop(): void;
}

/**
 * The longest time between two looks at the data. New rows may be due sooner than everything before, and the machine's own clock may be
 * set: whoever writes the rows need not say so, and a look costs less than a millisecond.
 */
const MAX_PAUSE = MINUTE;
/** What becomes due piece by piece is done together. */
const SHORTEST_PAUSE = SECOND;

/** One table of due work. It runs when the clock reaches it, also when the clock is moved. */
export function createSchedule(clock: Clock, onFailure: (work: string, error: unknown) => void): Schedule {
  const table: DueWork[] = [];
  /** Work that failed or stayed due although it was done. It is tried again after a pause, or when the clock is moved. */
  const setAside = new Set<DueWork>();
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  let isStopped = false;

  const attempt = <T>(work: DueWork, part: () => T): T | undefined => {
    try {
      return part();
    } catch (error) {
      setAside.add(work);
      onFailure(work.name, error);
      return undefined;
    }
  };

  /** The work that is due first, of what is not left out. */
  const first = (leftOut: ReadonlySet<DueWork>): { readonly work: DueWork; readonly at: number } | undefined => {
    let found: { readonly work: DueWork; readonly at: number } | undefined;
    for (const work of table) {
      if (leftOut.has(work) || setAside.has(work)) continue;
      const at = attempt(work, () => work.next()) ?? null;
      if (at !== null && (found === undefined || at < found.at)) found = { work, at };
    }
    return found;
  };

  const wait = (): void => {
    const next = clock.state().frozenAt === null ? first(new Set()) : undefined;
    const pause = next === undefined ? MAX_PAUSE : next.at - clock.now();
    timer = setTimeout(runDue, Math.min(Math.max(pause, SHORTEST_PAUSE), MAX_PAUSE)).unref();
  };

  /** One slice of everything that is due. */
  const step = (): void => {
    clearTimeout(timer);
    clearImmediate(turn);
    if (isStopped) return;
    const now = clock.now();
    const sliced = new Set<DueWork>();
    for (;;) {
      const due = first(sliced);
      if (due === undefined || due.at > now) break;
      const { work } = due;
      if (attempt(work, () => work.run(now)) === true) sliced.add(work);
      else if ((attempt(work, () => work.next()) ?? Number.POSITIVE_INFINITY) <= now) setAside.add(work);
    }
    if (sliced.size > 0) turn = setImmediate(step);
    else wait();
  };

  function runDue(): void {
    setAside.clear();
    step();
  }

  const endMoves = clock.onMove(runDue);
  return {
    add: (work) => {
      table.push(work);
      if (timer === undefined && !isStopped) timer = setTimeout(runDue, MAX_PAUSE).unref();
    },
    runDue,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      clearImmediate(turn);
      endMoves();
    },
  };
}
