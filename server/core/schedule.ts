import { type Clock, MINUTE, SECOND } from './clock.ts';

/** A kind of work that becomes due by the clock. */
export interface DueWork {
  readonly name: string;
  /**
   * Returns the time when the next piece is due, in milliseconds since the epoch, or null if nothing is waiting. It is read from the data
   * on each call and never cached, so that neither a move of the clock nor a restart can lose it. It must be cheap: one index look-up.
   */
  next(): number | null;
  /**
   * Does the work that is due at `now`: all of it, or a slice that takes a few milliseconds. Returns true after a slice; the schedule then
   * calls it again after requests had their turn.
   */
  run(now: number): boolean;
}

export interface Schedule {
  add(work: DueWork): void;
  /** Runs all due work in order of its time. The remaining slices run in later turns of the event loop. */
  runDue(): void;
  stop(): void;
}

/**
 * Longest time between two checks, in milliseconds. New rows may be due earlier than all others, and the machine's clock may be set. Code
 * that writes rows therefore need not notify the schedule, and a check costs less than a millisecond.
 */
const MAX_PAUSE = MINUTE;
/** Shortest time between two checks, in milliseconds, so that work that becomes due piece by piece runs together. */
const SHORTEST_PAUSE = SECOND;

/** Creates the table of due work. Work runs when the clock reaches its time, also if the clock is moved. */
export function createSchedule(clock: Clock, onFailure: (work: string, error: unknown) => void): Schedule {
  const table: DueWork[] = [];
  /** Work that failed, or was still due after it ran. It is retried after a pause, or when the clock is moved. */
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

  /** Returns the earliest work that is not excluded. */
  const first = (excluded: ReadonlySet<DueWork>): { readonly work: DueWork; readonly at: number } | undefined => {
    let found: { readonly work: DueWork; readonly at: number } | undefined;
    for (const work of table) {
      if (excluded.has(work) || setAside.has(work)) continue;
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

  /** Runs one slice of all due work. */
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
