/** Function that runs later, once for all calls made before it runs. */
export interface Delayed {
  (): void;
  /** Cancels a run that is due. */
  readonly dispose: () => void;
}

/** Returns a function that runs `work` some milliseconds after its last call. */
export function delayed(work: () => void, milliseconds: number): Delayed {
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
  return Object.assign(schedule, { dispose: () => clearTimeout(timer) });
}
