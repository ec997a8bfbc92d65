/** Function that runs its work at most once per interval. */
export interface Throttled {
  (): void;
  /** Cancels a run that is due. */
  readonly dispose: () => void;
}

/** Schedules a call; returns a function that cancels it. */
type After = (milliseconds: number, run: () => void) => () => void;

const afterTimeout: After = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** Returns a function that runs `work` at once. Calls in the interval after that run it once more, at the end of the interval. */
export function throttled(work: () => void, milliseconds: number, after: After = afterTimeout): Throttled {
  let cancel: (() => void) | undefined;
  let isDue = false;

  function run(): void {
    isDue = false;
    cancel = after(milliseconds, () => {
      cancel = undefined;
      if (isDue) run();
    });
    work();
  }

  const call = (): void => {
    if (cancel === undefined) run();
    else isDue = true;
  };
  return Object.assign(call, {
    dispose: () => {
      isDue = false;
      cancel?.();
    },
  });
}
