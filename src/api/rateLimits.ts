import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import { retryAfterOf, timeOfReset } from './failures.ts';
import type { WireResponse } from './transport.ts';

/** Reason why automatic requests of an account are paused, and the end of the pause. */
export interface Rest {
  /** `refused`: the instance responded with 429. `sparing`: the few remaining requests are reserved for the user's own actions. */
  readonly kind: 'refused' | 'sparing';
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Rate limits of accounts, as reported by the responses of their instances. */
export interface RateLimits {
  /** Records a response to this account. Must be called for every response. */
  readonly note: (account: string, response: WireResponse) => void;
  /** Returns the current pause of automatic requests, or undefined. The user's own actions are sent regardless. */
  readonly rest: (account: string) => Rest | undefined;
  /**
   * Returns the earliest time of the next automatic load, in milliseconds since the epoch; 0 if there is no limit, infinite while another load
   * runs.
   */
  readonly notBefore: (account: string) => number;
  /** Returns true if the instance has reported a rate limit. */
  readonly isReported: (account: string) => boolean;
  /** Must be called when a load begins, and the result when it ends. Loads that share a limit follow each other. */
  readonly begin: (account: string) => () => void;
  /** Fires with the account when the result of `rest` has changed, or a load has ended. */
  readonly onDidChange: Event<string>;
}

interface AccountState {
  readonly notBefore: number;
  readonly rest: Rest | undefined;
}

/** Part of the limit, or number of requests if the limit is not reported, that is reserved for the user's own actions. */
const RESERVED_SHARE = 0.2;
const RESERVED = 10;
/** Requests of one refresh of both activity views. */
const REQUESTS_PER_REFRESH = 2;
/** Milliseconds between two refreshes below which no delay is needed. */
const MIN_PACE = 1_000;
/** Longest pause in milliseconds. A later reset comes from a clock that differs from ours. */
const MAX_LENGTH = 15 * 60_000;

/** Creates limits that follow 429 responses and the headers `RateLimit-Limit`, `-Remaining` and `-Reset` of successful responses. */
export function createRateLimits(now: () => number): RateLimits {
  const states = new Map<string, AccountState>();
  const changes = createEmitter<string>();
  const reported = new Set<string>();
  /** Numbers of running loads. */
  const loads = new Map<string, number>();

  function stateFrom(response: WireResponse): AccountState | undefined {
    if (response.status === 429) {
      const pause = retryAfterOf(response, now());
      if (pause === undefined || pause === 0) return undefined;
      const until = now() + pause;
      return { notBefore: until, rest: { kind: 'refused', until } };
    }
    const remaining = countIn(response, 'ratelimit-remaining');
    const reset = timeOfReset(response, now());
    if (remaining === undefined || reset === undefined || reset <= now()) return undefined;
    const until = Math.min(reset, now() + MAX_LENGTH);
    const limit = countIn(response, 'ratelimit-limit');
    const free = remaining - (limit === undefined ? RESERVED : Math.ceil(limit * RESERVED_SHARE));
    if (free <= 0) return { notBefore: until, rest: { kind: 'sparing', until } };
    // Refreshes are spread evenly over the remaining time.
    const pace = ((until - now()) / free) * REQUESTS_PER_REFRESH;
    return pace < MIN_PACE ? undefined : { notBefore: Math.min(until, now() + pace), rest: undefined };
  }

  return {
    note: (account, response) => {
      const before = states.get(account);
      if (countIn(response, 'ratelimit-remaining') !== undefined) reported.add(account);
      const next = stateFrom(response);
      if (next !== undefined) states.set(account, next);
      // After a successful response the account is no longer limited.
      else if (response.status < 300) states.delete(account);
      else return;
      if (before?.rest?.until !== next?.rest?.until) changes.fire(account);
    },
    rest: (account) => {
      const rest = states.get(account)?.rest;
      return rest === undefined || rest.until <= now() ? undefined : rest;
    },
    notBefore: (account) => ((loads.get(account) ?? 0) > 0 ? Number.POSITIVE_INFINITY : (states.get(account)?.notBefore ?? 0)),
    isReported: (account) => reported.has(account),
    begin: (account) => {
      if (!reported.has(account)) return () => undefined;
      const add = (more: number): void => void loads.set(account, (loads.get(account) ?? 0) + more);
      add(1);
      return () => {
        add(-1);
        changes.fire(account);
      };
    },
    onDidChange: changes.event,
  };
}

function countIn({ headers }: WireResponse, name: string): number | undefined {
  const text = headers.get(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
