/** How a load went. */
export interface PollOutcome {
  readonly ok: boolean;
  /** Milliseconds the instance wants left alone. */
  readonly retryAfter: number | undefined;
}

export interface PollingSettings {
  readonly now: () => number;
  /** Runs something later; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Milliseconds between two loads; 0: nothing is loaded by itself after the first time. */
  readonly interval: () => number;
  /** The instance is to be left alone until then, in milliseconds since the epoch, but for the first time. */
  readonly notBefore: () => number;
  /** Never rejects. */
  readonly load: () => Promise<PollOutcome>;
}

/** Loads a list again and again, only while somebody can see it. */
export interface Polling {
  /** Whether somebody can see the list. What became due meanwhile is loaded at once. */
  readonly watch: (isWatched: boolean) => void;
  /** Loads now, whatever the plan is. */
  readonly loadNow: () => Promise<void>;
  /** Another list from now on: it is loaded as soon as it is watched. */
  readonly restart: () => void;
  /** What was loaded is old now: it is loaded again at once where somebody looks, else as soon as they do. */
  readonly expire: () => void;
  /** The interval has changed. */
  readonly replan: () => void;
  readonly dispose: () => void;
}

/** The longest pause that failures alone lead to. */
const MAX_LENGTH = 15 * 60_000;

export function createPolling({ now, after, interval, notBefore, load }: PollingSettings): Polling {
  let isWatched = false;
  let running: Promise<void> | undefined;
  let cancel = (): void => undefined;
  let last: { readonly at: number; readonly outcome: PollOutcome } | undefined;
  let failures = 0;
  let epoch = 0;
  /** What is being loaded was asked for before it became old. */
  let isExpired = false;

  /** When the next load is due; undefined: not by itself. */
  function due(): number | undefined {
    if (last === undefined) return now();
    const every = interval();
    if (every === 0) return undefined;
    const pause = failures === 0 ? every : Math.max(every, Math.min(every * 2 ** failures, MAX_LENGTH));
    return Math.max(last.at + Math.max(pause, last.outcome.retryAfter ?? 0), notBefore());
  }

  function plan(): void {
    cancel();
    cancel = () => undefined;
    if (!isWatched || running !== undefined) return;
    const next = due();
    if (next === undefined) return;
    const wait = next - now();
    // Planned again at its time: answers to other lists may have put it off.
    if (wait > 0) cancel = after(wait, plan);
    else void run();
  }

  function run(): Promise<void> {
    if (running !== undefined) return running;
    cancel();
    isExpired = false;
    const mine = epoch;
    const done = load().then((outcome) => {
      if (mine !== epoch) return;
      running = undefined;
      failures = outcome.ok ? 0 : failures + 1;
      // After a failure the pause counts, whatever has happened.
      last = isExpired && outcome.ok ? undefined : { at: now(), outcome };
      plan();
    });
    running = done;
    return done;
  }

  return {
    watch: (next) => {
      isWatched = next;
      plan();
    },
    loadNow: run,
    restart: () => {
      epoch += 1;
      running = undefined;
      last = undefined;
      failures = 0;
      plan();
    },
    expire: () => {
      if (running !== undefined) isExpired = true;
      else if (failures === 0) last = undefined;
      plan();
    },
    replan: plan,
    dispose: () => {
      epoch += 1;
      isWatched = false;
      cancel();
    },
  };
}
