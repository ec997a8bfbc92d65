import type { Session } from './session.ts';

/** Ways to approve a sign-in in a browser: by entering a code, or on a page that redirects back to the editor. */
export type BrowserWay = 'code' | 'redirect';

/** Result of one attempt in the browser. `unsupported`: the instance has no sign-in in this way. */
export type Attempt = Session | 'expired' | 'denied' | 'cancelled' | 'unsupported';

/** Parameters of an attempt to sign in. */
export interface AttemptControl {
  /** Is aborted when an attempt in the other way replaces this one. */
  readonly stop: AbortSignal;
  /** Sets the function that shows the page again when the user starts the same sign-in once more; undefined if there is none. */
  readonly setPage: (show: (() => Promise<boolean>) | undefined) => void;
}

export interface Attempts {
  /**
   * Runs `work` unless an attempt is in progress for the instance: one in the same way for the same account is joined and shows its page
   * again, any other one is replaced, unless it has succeeded meanwhile. `isMine`: the result is that of `work`. Rejects as the attempt does.
   */
  readonly run: (
    instanceKey: string,
    way: WayOfAccount,
    work: (control: AttemptControl) => Promise<Attempt>,
  ) => Promise<{ readonly attempt: Attempt; readonly isMine: boolean }>;
}

/** Way of an attempt, with the ID of the account that has to sign in; any account by default. */
export type WayOfAccount = BrowserWay | `${BrowserWay}/${number}`;

/** An attempt in progress. */
interface Running {
  readonly way: WayOfAccount;
  readonly attempt: Promise<Attempt>;
  readonly stop: AbortController;
  readonly showPage: () => void;
}

/** Creates the owner of the attempts in progress, of which each instance has at most one. */
export function createAttempts(): Attempts {
  const running = new Map<string, Running>();

  function start(instanceKey: string, way: WayOfAccount, work: (control: AttemptControl) => Promise<Attempt>): Promise<Attempt> {
    const stop = new AbortController();
    let show: (() => Promise<boolean>) | undefined;
    const setPage: AttemptControl['setPage'] = (next) => {
      show = next;
    };
    const attempt = work({ stop: stop.signal, setPage }).finally(() => running.delete(instanceKey));
    running.set(instanceKey, { way, attempt, stop, showPage: () => void show?.() });
    return attempt;
  }

  return {
    async run(instanceKey, way, work) {
      for (let current = running.get(instanceKey); current !== undefined; current = running.get(instanceKey)) {
        if (current.way === way) {
          current.showPage();
          return { attempt: await current.attempt, isMine: false };
        }
        current.stop.abort();
        // The caller that started it handles its failure.
        const attempt = await current.attempt.catch(() => 'cancelled' as const);
        // Approved before it could be stopped.
        if (sessionIn(attempt) !== undefined) return { attempt, isMine: false };
      }
      return { attempt: await start(instanceKey, way, work), isMine: true };
    },
  };
}

export function sessionIn(attempt: Attempt): Session | undefined {
  return typeof attempt === 'string' ? undefined : attempt;
}
