/** Clock with timers that a test moves. */
export interface ManualClock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Moves the clock, runs the timers that are due one after the other, and waits for what they have started. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

export function manualClock(start = 0): ManualClock {
  let time = start;
  let timers: readonly { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => time,
    after: (milliseconds, run) => {
      const timer = { at: time + milliseconds, run };
      timers = [...timers, timer];
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass: async (milliseconds) => {
      const end = time + milliseconds;
      await settled();
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.run();
        await settled();
      }
      time = end;
    },
  };
}

/** Waits until all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
