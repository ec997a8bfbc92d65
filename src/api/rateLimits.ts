import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import { retryAfterOf, timeOfReset } from './failures.ts';
import type { WireResponse } from './transport.ts';

/** Why an account is left alone, and until when, in milliseconds since the epoch. */
export interface Rest {
  /** `refused`: the instance said so (429). `sparing`: few requests are left, and they are the person's own. */
  readonly kind: 'refused' | 'sparing';
  readonly until: number;
}

/** What the answers of instances say about how many requests an account may still send. */
export interface RateLimits {
  /** To be told of every answer to this account. */
  readonly note: (account: string, response: WireResponse) => void;
  /** Undefined while nothing speaks against asking by itself. What a person asks for is sent all the same. */
  readonly rest: (account: string) => Rest | undefined;
  /** The earliest time of the next question that nobody asked for; 0 when there is none. */
  readonly notBefore: (account: string) => number;
  /** What `rest` says of the account has changed. */
  readonly onDidChange: Event<string>;
}

interface Known {
  readonly notBefore: number;
  readonly rest: Rest | undefined;
}

/** So much of a limit is kept for what the person does, or so many requests where the limit is not told. */
const RESERVED_SHARE = 0.2;
const RESERVED = 10;
/** Requests of one look at both views. */
const OF_ONE_LOOK = 2;
/** Milliseconds between two looks that make no difference. */
const SHORTEST = 1_000;
/** A reset that is further away is one of another clock. */
const MAX_LENGTH = 15 * 60_000;

/** Slows down before it is refused: by `RateLimit-Limit`, `-Remaining` and `-Reset` of good answers, as well as by a 429. */
export function createRateLimits(now: () => number): RateLimits {
  const known = new Map<string, Known>();
  const changes = createEmitter<string>();

  function knownFrom(response: WireResponse): Known | undefined {
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
    // Evenly over what is left of the time.
    const pace = ((until - now()) / free) * OF_ONE_LOOK;
    return pace < SHORTEST ? undefined : { notBefore: Math.min(until, now() + pace), rest: undefined };
  }

  return {
    note: (account, response) => {
      const before = known.get(account);
      const next = knownFrom(response);
      if (next !== undefined) known.set(account, next);
      // A good answer shows that the instance lets the account in again.
      else if (response.status < 300) known.delete(account);
      else return;
      if (before?.rest?.until !== next?.rest?.until) changes.fire(account);
    },
    rest: (account) => {
      const rest = known.get(account)?.rest;
      return rest === undefined || rest.until <= now() ? undefined : rest;
    },
    notBefore: (account) => known.get(account)?.notBefore ?? 0,
    onDidChange: changes.event,
  };
}

function countIn({ headers }: WireResponse, name: string): number | undefined {
  const text = headers.get(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
