/** What follows when the server has ended without being asked to. */
export type Verdict =
  /** `pause`: milliseconds until it is started again; `count`: which end in a row this is. */
  | { readonly kind: 'again'; readonly pause: number; readonly count: number }
  | { readonly kind: 'enough'; readonly times: number };

export interface CrashPolicy {
  /** Counts one end; `aliveFor` are the milliseconds that the server lived. */
  readonly ended: (aliveFor: number) => Verdict;
  /** Somebody started it by hand: what was before does not count. */
  readonly forget: () => void;
}

/** Milliseconds before the first, second, … start; the last one stays. */
const PAUSES: readonly number[] = [1_000, 2_000, 5_000, 10_000];
/** So many ends in so many milliseconds are enough. */
const MAX_COUNT = 4;
const WITHIN = 180_000;

/** Starts a server again ever later, and gives up on one that ends again and again. `now` is in milliseconds. */
export function createCrashPolicy(now: () => number): CrashPolicy {
  let recent: readonly number[] = [];
  let inARow = 0;
  return {
    ended: (aliveFor) => {
      recent = [...recent.filter((time) => now() - time < WITHIN), now()];
      inARow = aliveFor < WITHIN ? inARow + 1 : 1;
      if (recent.length >= MAX_COUNT) return { kind: 'enough', times: recent.length };
      return { kind: 'again', count: inARow, pause: PAUSES[Math.min(inARow, PAUSES.length) - 1] ?? 0 };
    },
    forget: () => {
      recent = [];
      inARow = 0;
    },
  };
}
