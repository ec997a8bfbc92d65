import type { LiveCore } from '../../core/live.ts';
import type { Core } from '../../core/core.ts';

/** Maximum number of requests that wait for mails at the same time. */
const MAX_WAITING = 100;

/** Requests that are held until mails arrive. */
export interface Waiting {
  /** Wakes all waiting requests. */
  wake(): void;
  /**
   * Resolves to true when mails have arrived, and to false at the end of the time, when the server shuts down, or at once if too many
   * requests wait already.
   */
  next(milliseconds: number): Promise<boolean>;
}

const waitingOf = new WeakMap<Core, Waiting>();

export function waiting(core: LiveCore): Waiting {
  let found = waitingOf.get(core);
  if (found === undefined) {
    found = createWaiting(core);
    waitingOf.set(core, found);
  }
  return found;
}

function createWaiting({ live }: LiveCore): Waiting {
  const requests = new Set<(hasArrived: boolean) => void>();
  let unfollow: (() => void) | undefined;
  const wakeAll = (hasArrived: boolean): void => {
    for (const request of [...requests]) request(hasArrived);
  };
  return {
    wake: () => wakeAll(true),
    next: (milliseconds) => {
      if (live.isEnded || requests.size >= MAX_WAITING || milliseconds <= 0) return Promise.resolve(false);
      unfollow ??= live.follow({ next: () => undefined, end: () => wakeAll(false) });
      return new Promise((resolve) => {
        const timer = setTimeout(() => request(false), milliseconds);
        const request = (hasArrived: boolean): void => {
          clearTimeout(timer);
          requests.delete(request);
          if (requests.size === 0) {
            unfollow?.();
            unfollow = undefined;
          }
          resolve(hasArrived);
        };
        requests.add(request);
      });
    },
  };
}
