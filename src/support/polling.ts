import type { Disposable, Event } from 'vscode';

/** Result of a load. */
export interface PollOutcome {
  readonly ok: boolean;
  /** Pause that the instance requested, in milliseconds. */
  readonly retryAfter: number | undefined;
}

/** Lists that are loaded one after the other, because they share a rate limit. */
export interface Turns {
  /** Called when a load begins; the result when it ends. Meanwhile, `notBefore` of the other lists is infinite. */
  readonly begin: () => () => void;
  /** Fires when another list may be loaded. Listeners are called in the order in which they were added. */
  readonly onDidChange: Event<unknown>;
}

export interface PollingSettings {
  readonly now: () => number;
  /** Schedules a call; returns a function that cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Milliseconds between two loads; 0 disables automatic loads after the first one. */
  readonly interval: () => number;
  /**
   * Earliest time of the next load, in milliseconds since the epoch; infinite until the next call of `replan`. It does not apply to the first
   * load.
   */
  readonly notBefore: () => number;
  readonly turns?: Turns | undefined;
  /** Never rejects. */
  readonly load: () => Promise<PollOutcome>;
}

/** Loads a list periodically while it is visible. */
export interface Polling {
  /** Sets whether the list is visible. An overdue load starts immediately. */
  readonly watch: (isWatched: boolean) => void;
  /** Loads now, regardless of the schedule, unless a load is running. */
  readonly loadNow: () => Promise<void>;
  /** Loads what may have changed just now: a load that is already running is followed by another one. */
  readonly reload: () => Promise<void>;
  /** Resets the schedule for another list, which is loaded once it is visible. */
  readonly restart: () => void;
  /** Marks the list as outdated: it is reloaded as soon as it is visible and may be. */
  readonly expire: () => void;
  /** Ends the longer pause after failures: what has failed is loaded now, or if a load is running, after the usual pause. */
  readonly wake: () => void;
  /** Reschedules the next load after a change of the interval. */
  readonly replan: () => void;
  readonly dispose: () => void;
}

/** Maximum pause after failures, in milliseconds. */
const MAX_PAUSE = 15 * 60_000;

export function createPolling({ now, after, interval, notBefore, turns, load }: PollingSettings): Polling {
  let isWatched = false;
  let running: Promise<void> | undefined;
  let cancel = (): void => undefined;
  let last: { readonly at: number; readonly outcome: PollOutcome } | undefined;
  let failures = 0;
  let epoch = 0;
  /** True if the list became outdated after the latest load started. */
  let isExpired = false;
  /** True if the running load started before the pause after failures ended. */
  let isWoken = false;
  /** The load after the running one. */
  let following: Promise<void> | undefined;
  let queued: Disposable | undefined;

  /** What was loaded last has its next turn last. */
  function queue(): void {
    queued?.dispose();
    queued = turns?.onDidChange(plan);
  }

  /** Returns the time of the next load; undefined if there is no automatic one. */
  function due(): number | undefined {
    if (last === undefined) return now();
    // After a failure the pause applies, even if the list is outdated.
    if (isExpired && failures === 0) return Math.max(now(), notBefore());
    const every = interval();
    if (every === 0) return undefined;
    const pause = failures === 0 ? every : Math.max(every, Math.min(every * 2 ** failures, MAX_PAUSE));
    return Math.max(last.at + Math.max(pause, last.outcome.retryAfter ?? 0), notBefore());
  }

  function plan(): void {
    cancel();
    cancel = () => undefined;
    if (!isWatched || running !== undefined) return;
    const next = due();
    if (next === undefined || next === Number.POSITIVE_INFINITY) return;
    const wait = next - now();
    // Rescheduled then: responses to other lists may have postponed it.
    if (wait > 0) cancel = after(wait, plan);
    else void run();
  }

  function run(): Promise<void> {
    if (running !== undefined) return running;
    cancel();
    isExpired = false;
    isWoken = false;
    const mine = epoch;
    const end = turns?.begin();
    queue();
    const done = load().then((outcome) => {
      end?.();
      if (mine !== epoch) return;
      running = undefined;
      failures = outcome.ok || isWoken ? 0 : failures + 1;
      last = { at: now(), outcome };
      plan();
    });
    running = done;
    return done;
  }

  function reload(): Promise<void> {
    if (running === undefined) return run();
    const mine = epoch;
    following ??= running.then(() => {
      following = undefined;
      return mine === epoch ? run() : undefined;
    });
    return following;
  }

  queue();
  return {
    watch: (next) => {
      isWatched = next;
      plan();
    },
    loadNow: run,
    reload,
    restart: () => {
      epoch += 1;
      running = undefined;
      last = undefined;
      failures = 0;
      isExpired = false;
      plan();
    },
    expire: () => {
      isExpired = true;
      plan();
    },
    wake: () => {
      if (running !== undefined) isWoken = true;
      else if (failures > 0 && last !== undefined) last = { ...last, at: Number.NEGATIVE_INFINITY };
      plan();
    },
    replan: plan,
    dispose: () => {
      epoch += 1;
      isWatched = false;
      cancel();
      queued?.dispose();
    },
  };
}
