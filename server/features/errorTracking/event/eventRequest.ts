import { isJsonObject } from '../../../../src/contract/json.ts';
import type { EventRequest } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';
import { type Location, readName, type Reading, readText, report } from './readValue.ts';
import { FILTERED } from './filtered.ts';
import { isSecretValue } from './secretNames.ts';
import { addressScrubber, contentScrubber, nameScrubber, type Scrubber, textScrubber } from './scrubText.ts';
import { readTree } from './jsonTree.ts';

const location: Location = { parent: undefined, key: 'request' };

/** Returns the request that the application was handling, scrubbed if scrubbing is on. */
export function readRequest(reading: Reading, request: unknown): EventRequest | undefined {
  if (request === undefined || request === null) return undefined;
  if (!isJsonObject(request)) {
    report(reading, 'invalid_data', undefined, 'request', request);
    return undefined;
  }
  return {
    url: scrubbed(
      reading,
      readName(reading, request['url'], limits.url, addressScrubber, location, 'url'),
      addressScrubber,
      'url',
    ),
    method: readName(reading, request['method'], limits.text, nameScrubber, location, 'method'),
    query: scrubbed(reading, readQuery(reading, request['query_string']), contentScrubber, 'query_string'),
    headers: readHeaders(reading, request['headers']),
    cookies: readCookies(reading, request['cookies']),
    data: readData(reading, request['data']),
  };
}

/**
 * Returns true if the URL or query of a request may contain secrets that no member name reveals. Reading the request gives the
 * exact result.
 */
export function mayHoldUnnamedSecrets(request: unknown): boolean {
  if (!isJsonObject(request)) return false;
  const { url, query_string: query } = request;
  if (typeof query === 'object') return query !== null;
  return (
    (typeof url === 'string' && addressScrubber.mayChange(url)) || (typeof query === 'string' && contentScrubber.mayChange(query))
  );
}

function scrubbed(reading: Reading, text: string | undefined, scrubber: Scrubber, key: string): string | undefined {
  if (text === undefined || !reading.scrub) return text;
  const stored = scrubber.scrub(text);
  if (stored !== text) report(reading, 'scrubbed', location, key);
  return stored;
}

/** Returns a text. Maps and lists of pairs are converted. */
function readQuery(reading: Reading, query: unknown): string | undefined {
  if (!isJsonObject(query) && !Array.isArray(query)) {
    const text = readName(reading, query, limits.httpData, contentScrubber, location, 'query_string');
    return text?.startsWith('?') === true ? text.slice(1) : text;
  }
  const text = pairsOf(reading, query, limits.pairs, 'query_string')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return readName(reading, text, limits.httpData, contentScrubber, location, 'query_string');
}

function readHeaders(reading: Reading, headers: unknown): EventRequest['headers'] {
  const pairs = pairsOf(reading, headers, limits.headers, 'headers');
  if (!reading.scrub) return pairs;
  return pairs.map((pair) => {
    const [name, value] = pair;
    if (isSecretValue(name, value)) {
      report(reading, 'scrubbed', { parent: location, key: 'headers' }, name);
      return [name, FILTERED] as const;
    }
    const stored = textScrubber.scrub(value);
    if (stored === value) return pair;
    report(reading, 'scrubbed', { parent: location, key: 'headers' }, name);
    return [name, stored] as const;
  });
}

/** Returns the cookies without their values. Their names help with debugging, and only the values are secret. */
function readCookies(reading: Reading, cookies: unknown): unknown {
  if (cookies === undefined || cookies === null) return undefined;
  if (!reading.scrub) return readTree(reading, cookies, limits.httpData, location, 'cookies');
  report(reading, 'scrubbed', location, 'cookies');
  if (!isJsonObject(cookies)) return FILTERED;
  const names = readTree(reading, cookies, limits.httpData, location, 'cookies');
  return isJsonObject(names) ? Object.fromEntries(Object.keys(names).map((name) => [name, FILTERED])) : FILTERED;
}

function readData(reading: Reading, data: unknown): unknown {
  if (data === undefined || data === null) return undefined;
  return readTree(reading, data, limits.httpData, location, 'data');
}

/** Returns pairs of a map, a map of lists (PHP), or a list of pairs. */
function pairsOf(
  reading: Reading,
  value: unknown,
  most: number,
  key: 'headers' | 'query_string',
): readonly (readonly [name: string, value: string])[] {
  if (value === undefined || value === null) return [];
  const entries: Iterable<unknown> = Array.isArray(value) ? value : isJsonObject(value) ? Object.entries(value) : [];
  if (!Array.isArray(value) && !isJsonObject(value)) report(reading, 'invalid_data', location, key, value);
  const pairs: (readonly [string, string])[] = [];
  const at: Location = { parent: location, key };
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) {
      if (pairs.length < most) report(reading, 'invalid_data', at, pairs.length, entry);
      continue;
    }
    const pair: readonly unknown[] = entry;
    const name = readText(reading, pair[0], limits.text, textScrubber, at, pairs.length);
    if (name === undefined) continue;
    const values: readonly unknown[] = Array.isArray(pair[1]) ? pair[1] : [pair[1]];
    for (const member of values) {
      if (pairs.length >= most) {
        report(reading, 'too_many', location, key);
        return pairs;
      }
      const text = readText(reading, member, limits.headerValue, textScrubber, at, name);
      if (text !== undefined) pairs.push([name, text]);
    }
  }
  return pairs;
}
