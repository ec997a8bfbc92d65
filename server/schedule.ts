import type { Clock } from './clock.ts';

/** One kind of work that becomes due by the clock. */
export interface DueWork {
  readonly name: string;
  /** When the next piece is due, in milliseconds since the epoch; null when nothing is waiting. */
  next(): number | null;
  /** Does everything that is due at `now`; afterwards `next()` must lie behind `now` or be null. */
  run(now: number): void;
}

export interface Schedule {
  add(work: DueWork): void;
  /** Runs all work that is due, in order of its time. */
  runDue(): void;
  /** Says that something new may be waiting, so that the timer is set anew. */
  touch(): void;
  stop(): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** One table of due work. It runs when the clock reaches it, also when the clock is moved. */
export function createSchedule(clock: Clock, onFailure: (work: string, error: unknown) => void): Schedule {
  const table: DueWork[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const earliest = (): { work: DueWork; at: number } | undefined => {
    let found: { work: DueWork; at: number } | undefined;
    for (const work of table) {
      const at = work.next();
      if (at !== null && (found === undefined || at < found.at)) found = { work, at };
    }
    return found;
  };

  const arm = (): void => {
    clearTimeout(timer);
    if (stopped || clock.state().frozenAt !== null) return;
    const next = earliest();
    if (next === undefined) return;
    timer = setTimeout(runDue, Math.min(Math.max(next.at - clock.now(), 1), LONGEST_TIMER));
    timer.unref();
  };

  function runDue(): void {
    if (stopped) return;
    const now = clock.now();
    const failed = new Set<DueWork>();
    for (;;) {
      const due = table
        .filter((work) => !failed.has(work))
        .map((work) => ({ work, at: work.next() }))
        .filter((entry) => entry.at !== null && entry.at <= now)
        .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))[0];
      if (due === undefined) break;
      try {
        due.work.run(now);
        const next = due.work.next();
        if (next !== null && next <= now) failed.add(due.work);
      } catch (error) {
        failed.add(due.work);
        onFailure(due.work.name, error);
      }
    }
    if (failed.size === 0) arm();
    else retryLater();
  }

  /** Work that failed is tried again in a minute instead of at once. */
  function retryLater(): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(runDue, 60_000);
    timer.unref();
  }

  const endMoves = clock.onMove(runDue);
  return {
    add: (work) => {
      table.push(work);
    },
    runDue,
    touch: arm,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      endMoves();
    },
  };
}
