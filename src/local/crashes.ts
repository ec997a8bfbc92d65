/** Decision after an unexpected exit of the server. */
export type CrashDecision =
  /** Restart. `pause`: milliseconds to wait first; `count`: number of consecutive exits. */
  | { readonly kind: 'restart'; readonly pause: number; readonly count: number }
  /** Give up after this number of exits. */
  | { readonly kind: 'giveUp'; readonly times: number };

export interface CrashPolicy {
  /** Records an exit. `aliveFor` is the time in milliseconds that the server ran. */
  readonly ended: (aliveFor: number) => CrashDecision;
  /** Forgets earlier exits. Called when the user starts the server. */
  readonly forget: () => void;
}

/** Pauses in milliseconds before consecutive restarts. The last one is used for all further restarts. */
const PAUSES: readonly number[] = [1_000, 2_000, 5_000, 10_000];
/** Number of exits within `WINDOW` after which the server is not restarted. */
const MAX_EXITS = 4;
/** In milliseconds. */
const WINDOW = 180_000;

/** Creates a policy that restarts the server with increasing pauses and gives up after too many exits. `now` is in milliseconds. */
export function createCrashPolicy(now: () => number): CrashPolicy {
  let recent: readonly number[] = [];
  let consecutive = 0;
  return {
    ended: (aliveFor) => {
      recent = [...recent.filter((time) => now() - time < WINDOW), now()];
      consecutive = aliveFor < WINDOW ? consecutive + 1 : 1;
      if (recent.length >= MAX_EXITS) return { kind: 'giveUp', times: recent.length };
      return { kind: 'restart', count: consecutive, pause: PAUSES[Math.min(consecutive, PAUSES.length) - 1] ?? 0 };
    },
    forget: () => {
      recent = [];
      consecutive = 0;
    },
  };
}
