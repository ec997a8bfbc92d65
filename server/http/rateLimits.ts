import { httpDate, SECOND } from '../core/clock.ts';
import type { Core } from '../core/core.ts';
import type { Authentication } from './authentication.ts';
import { findCredential } from './credentials.ts';
import type { HttpResponse, RequestContext } from './requestContext.ts';
import { parseForm } from './input.ts';

/** A limit on the number of requests. The name is that of its settings. */
export interface Throttle {
  readonly name: 'throttle_unauthenticated_api' | 'throttle_authenticated_api';
  readonly requests: number;
  /** Milliseconds. */
  readonly period: number;
}

interface RateLimitParts {
  readonly core: Pick<Core, 'changes'>;
  readonly authentication: Pick<Authentication, 'ownerOfToken'>;
  /** Returns the limits that are on. */
  readonly throttles: () => readonly Throttle[];
}

/** Result of counting a request. */
export interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  /** Response and reason if the request is refused, else undefined. */
  readonly refusal: { readonly response: HttpResponse; readonly reason: string } | undefined;
}

/** Lowest limit that is reported per minute. The Go client throttles itself by this header, so lower limits are not reported. */
const LOWEST_REPORTED = 600;

/**
 * Counts requests of the REST API by account, or by IP address for anonymous requests, in windows of the server clock
 * (docs/interface.md#rate-limits). The settings are read again only after a change, so a server without limits has no overhead.
 */
export function createRateLimits({
  core,
  authentication,
  throttles: read,
}: RateLimitParts): (context: RequestContext) => Counted | undefined {
  let isStale = true;
  let throttles: ReadonlyMap<Throttle['name'], Throttle> = new Map();
  /** Counts of the current window of each limit. */
  const counts = new Map<Throttle['name'], { readonly window: number; readonly observed: Map<string, number> }>();
  core.changes.subscribe(({ kind }) => {
    if (kind === 'settingsChanged') isStale = true;
  });

  return (context) => {
    if (isStale) {
      throttles = new Map(read().map((throttle) => [throttle.name, throttle]));
      counts.clear();
      isStale = false;
    }
    if (throttles.size === 0) return undefined;
    const credential = findCredential(context.headers, parseForm(context.query));
    const owner = credential === undefined ? undefined : authentication.ownerOfToken(credential);
    const throttle = throttles.get(owner === undefined ? 'throttle_unauthenticated_api' : 'throttle_authenticated_api');
    if (throttle === undefined) return undefined;
    const window = Math.floor(context.now / throttle.period);
    const subject = owner === undefined ? `address ${context.address}` : `account ${owner}`;
    let current = counts.get(throttle.name);
    if (current?.window !== window) {
      current = { window, observed: new Map() };
      counts.set(throttle.name, current);
    }
    const observed = (current.observed.get(subject) ?? 0) + 1;
    current.observed.set(subject, observed);
    return countedResult(throttle, observed, (window + 1) * throttle.period, context.now);
  };
}

function countedResult({ name, requests, period }: Throttle, observed: number, end: number, now: number): Counted {
  const limit = Math.max(Math.ceil((requests * 60 * SECOND) / period), LOWEST_REPORTED);
  const headers = {
    'RateLimit-Limit': String(limit),
    'RateLimit-Name': name,
    'RateLimit-Observed': String(observed),
    'RateLimit-Remaining': String(Math.max(requests - observed, 0)),
    'RateLimit-Reset': String(Math.ceil(end / SECOND)),
  };
  if (observed <= requests) return { headers, refusal: undefined };
  const seconds = Math.max(Math.ceil((end - now) / SECOND), 1);
  const response = { status: 429, type: 'text/plain', body: 'Retry later\n', headers: retryHeaders(end, seconds) };
  return {
    headers,
    refusal: { response, reason: `more than ${requests} requests in ${period / SECOND} s; retry in ${seconds} s` },
  };
}

function retryHeaders(end: number, seconds: number): Readonly<Record<string, string>> {
  return { 'RateLimit-ResetTime': httpDate(end), 'Retry-After': String(seconds) };
}
