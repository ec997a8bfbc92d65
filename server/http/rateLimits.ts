import { httpDate, SECOND } from '../core/clock.ts';
import { ownerOfToken } from '../features/identity/identity.ts';
import type { Platform } from '../platform.ts';
import { settingNumber, isOn, type ThrottleName, throttleNames } from '../features/settings/settings.ts';
import { findCredential } from './credentials.ts';
import type { HttpResponse, RequestContext } from './requestContext.ts';
import { parseForm } from './input.ts';

interface Throttle {
  readonly name: ThrottleName;
  readonly requests: number;
  readonly period: number;
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
export function createRateLimits(platform: Platform): (context: RequestContext) => Counted | undefined {
  let isStale = true;
  let throttles: ReadonlyMap<ThrottleName, Throttle> = new Map();
  /** Counts of the current window of each limit. */
  const counts = new Map<ThrottleName, { readonly window: number; readonly observed: Map<string, number> }>();
  platform.changes.subscribe(({ kind }) => {
    if (kind === 'settingsChanged') isStale = true;
  });

  return (context) => {
    if (isStale) {
      throttles = readThrottles(platform);
      counts.clear();
      isStale = false;
    }
    if (throttles.size === 0) return undefined;
    const credential = findCredential(context.headers, parseForm(context.query));
    const owner = credential === undefined ? undefined : ownerOfToken(platform, credential);
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

function readThrottles(platform: Platform): ReadonlyMap<ThrottleName, Throttle> {
  const found = new Map<ThrottleName, Throttle>();
  for (const name of throttleNames) {
    if (!isOn(platform, `${name}_enabled`)) continue;
    const requests = settingNumber(platform, `${name}_requests_per_period`);
    found.set(name, { name, requests, period: settingNumber(platform, `${name}_period_in_seconds`) * SECOND });
  }
  return found;
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
