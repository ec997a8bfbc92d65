import type { ApiFailure } from '../api/failures.ts';

/** Result of a refresh: the new access token or the failure. */
export interface RefreshResult {
  readonly accessToken?: string;
  readonly failure?: ApiFailure;
}

/** Milliseconds before a refresh is repeated whose response was lost: the server may have used the token, and reuse revokes the whole family. */
const AFTER_LOST_RESPONSE = 10_000;
/** Milliseconds after a refresh in which the account is not refreshed again, unless the instance asks for a longer pause. */
const COOL_DOWN = 60_000;

/** Longest pause that an instance can ask for, in milliseconds. */
const MAX_PAUSE = 15 * 60_000;

/** Latest refreshes of this window, by account and sign-in. They limit how soon an account is refreshed again. */
export interface RefreshResults {
  readonly set: (account: string, result: RefreshResult) => void;
  /** Returns the latest result during the cool-down. */
  readonly recent: (account: string) => RefreshResult;
  /** Remembers that the response to a refresh was lost. A later successful result ends that. */
  readonly setLost: (account: string, refreshToken: string) => void;
  /** Returns true if the response to a refresh with this token was lost a moment ago. */
  readonly isLost: (account: string, refreshToken: string) => boolean;
}

export function createRefreshResults(now: () => number): RefreshResults {
  const lost = new Map<string, { readonly refreshToken: string; readonly at: number }>();
  const latest = new Map<string, { readonly at: number; readonly result: RefreshResult }>();
  return {
    set: (account, result) => {
      if (result.accessToken !== undefined) lost.delete(account);
      latest.set(account, { at: now(), result });
    },
    recent: (account) => {
      const last = latest.get(account);
      if (last === undefined) return {};
      const pause = Math.min(Math.max(COOL_DOWN, last.result.failure?.retryAfter ?? 0), MAX_PAUSE);
      return now() - last.at < pause ? last.result : {};
    },
    setLost: (account, refreshToken) => {
      lost.set(account, { refreshToken, at: now() });
    },
    isLost: (account, refreshToken) => {
      const last = lost.get(account);
      return last?.refreshToken === refreshToken && now() - last.at < AFTER_LOST_RESPONSE;
    },
  };
}
