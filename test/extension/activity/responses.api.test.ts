import assert from 'node:assert/strict';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appearanceOf } from '../../../src/activity/appearance.ts';
import { NO_FILTER } from '../../../src/activity/filter.ts';
import { listOfPerson } from '../../../src/activity/lists.ts';
import { createFeed } from '../../../src/activity/model.ts';
import { createClient } from '../../../src/api/client.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createTransport, type WireResponse } from '../../../src/api/transport.ts';
import { readActivityEvent } from '../../../src/contract/activity.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { fakeClock } from '../../support/extension/fakes.ts';
import { wireEvent } from './events.ts';

interface Case {
  readonly when: string;
  readonly response: RequestListener;
  /** State for the welcome texts, and text next to the title. */
  readonly state: string;
  readonly description: RegExp;
  /** Message above the rows on the first load. */
  readonly firstMessage?: RegExp;
  /** Message above rows that were loaded before. */
  readonly message: RegExp;
  /** Number of requests per load. */
  readonly requests: number;
  /** Pauses between requests, in milliseconds. */
  readonly pauses?: readonly number[];
}

const json = (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): RequestListener =>
  function received(_request, response) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const events = [wireEvent({ id: 2 }), wireEvent({ id: 1 })];
const ELSEWHERE = 'https://elsewhere.example/api/v4/events';
const clock = Date.UTC(2026, 10, 20, 12);
const time = (at: number, timeStyle: 'short' | 'medium'): string => new Date(at).toLocaleTimeString('en', { timeStyle });

const cases: readonly Case[] = [
  {
    when: 'responds too slowly',
    response: () => {},
    state: 'timedOut',
    description: /^127\.0\.0\.1:\d+ did not respond within \d+ s$/,
    message: /^Offline\. Last updated 5 minutes ago\. 127\.0\.0\.1:\d+ did not respond/,
    requests: 1,
  },
  {
    when: 'limits the rate and sends the end of the pause',
    response: (_request, response) =>
      response.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '60' }).end('Retry later'),
    state: 'rateLimited',
    description: new RegExp(`^Rate limit reached\\. Next refresh at ${time(clock + 60_000, 'medium')}\\.$`),
    message: new RegExp(
      `^Last updated 5 minutes ago\\. Rate limit reached\\. Next refresh at ${time(clock + 6 * 60_000, 'medium')}\\.$`,
    ),
    requests: 1,
  },
  {
    when: 'limits the rate until a reset given in seconds from now',
    response: json(429, { message: 'Retry later' }, { 'ratelimit-reset': '600' }),
    state: 'rateLimited',
    description: new RegExp(`^Rate limit reached\\. Next refresh at ${time(clock + 600_000, 'short')}\\.$`),
    message: new RegExp(
      `^Last updated 5 minutes ago\\. Rate limit reached\\. Next refresh at ${time(clock + 900_000, 'short')}\\.$`,
    ),
    requests: 1,
  },
  {
    when: 'limits the rate without an end of the pause',
    response: json(429, { message: 'Retry later' }),
    state: 'rateLimited',
    description: / is limiting your requests \(429: Retry later\)$/,
    message: /^Last updated 5 minutes ago\. .*limiting your requests/,
    requests: 1,
  },
  {
    when: 'has almost reached the rate limit',
    response: json(200, events, { 'ratelimit-limit': '600', 'ratelimit-remaining': '100', 'ratelimit-reset': '50' }),
    state: 'ready',
    description: /^@ana$/,
    message: /^Rate limit almost reached/,
    firstMessage: new RegExp(`^Rate limit almost reached\\. Next refresh at ${time(clock + 50_000, 'medium')}\\.$`),
    requests: 1,
  },
  {
    when: 'limits the rate until a reset in the near future',
    response: json(429, { message: 'Retry later' }, { 'ratelimit-reset': String(clock / 1000 + 5) }),
    state: 'rateLimited',
    description: /\(429: Retry later\)$/,
    message: /^Last updated/,
    requests: 3,
    pauses: [5_000, 0],
  },
  {
    when: 'fails with a server error',
    response: json(500, { message: '500 Internal Server Error' }),
    state: 'unavailable',
    description: / reported a server error \(500: 500 Internal Server Error\)$/,
    message: /^Last updated 5 minutes ago\. .*server error/,
    requests: 1,
  },
  {
    when: 'closes the connection during the response',
    response: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('[{"id":1,', () => response.destroy());
    },
    state: 'unreachable',
    description: /^127\.0\.0\.1:\d+ cannot be reached: /,
    message: /^Offline\. Last updated 5 minutes ago\. /,
    requests: 3,
    pauses: [500, 2_000],
  },
  {
    when: 'sends truncated JSON',
    response: (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":1,'),
    state: 'unintelligible',
    description: /the response is not a list\. Is another program using this address\?$/,
    message: /^Last updated/,
    requests: 1,
  },
  {
    when: 'sends a page of HTML',
    response: (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hi</title>'),
    state: 'unintelligible',
    description: /the response is not a list\. Is another program using this address\?$/,
    message: /^Last updated/,
    requests: 1,
  },
  {
    when: 'omits the pagination headers',
    response: json(200, events),
    state: 'ready',
    description: /^@ana$/,
    message: /^$/,
    requests: 1,
  },
  {
    when: 'has moved the list',
    response: (request, response) =>
      request.url?.startsWith('/api/v4/events') === true
        ? json(301, {}, { location: `/api/v4/moved?per_page=20` })(request, response)
        : json(200, events)(request, response),
    state: 'ready',
    description: /^@ana$/,
    message: /^$/,
    requests: 2,
  },
  {
    when: 'has moved the list to another host',
    response: json(301, {}, { location: ELSEWHERE }),
    state: 'moved',
    description: / redirected to another address: https:\/\/elsewhere\.example\/api\/v4\/events \(/,
    message: /^Last updated 5 minutes ago\. .*elsewhere\.example/,
    requests: 1,
  },
  {
    when: 'has no events',
    response: json(200, []),
    state: 'empty',
    description: /^@ana$/,
    message: /^$/,
    requests: 1,
  },
];

describe('texts of an activity view when the instance', () => {
  const account = { id: 7, username: 'ana', name: 'Ana Novak' };

  for (const { when, response: received, state, description, message, requests, pauses = [], firstMessage = /^$/ } of cases) {
    it(`an activity view shows its state when the instance ${when}`, async () => {
      let current: RequestListener = received;
      let sent = 0;
      const server = http.createServer((request, response) => {
        sent += 1;
        current(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        const { now, sleep, slept, advance } = fakeClock(clock);
        const send = createTransport({
          userAgent: 'test',
          timeout: 300,
          loadLoopback: async () => (await import('../../../src/api/undici.ts')).createLoopbackSend(),
          sendByHost: () => Promise.reject(new Error(`nothing may go to ${ELSEWHERE}`)),
        });
        const credentials = { token: async () => 'access', renewed: async () => undefined };
        const limits = createRateLimits(now);
        const onResponse = (received: WireResponse): void => limits.note('ana', received);
        const look = () => {
          const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, send, credentials, now, sleep, onResponse });
          const {
            path,
            queries: [query],
          } = listOfPerson({ kind: 'mine' }, NO_FILTER, new Date(now()));
          const feed = createFeed(now);
          feed.setSource({
            key: 'mine',
            first: (signal) => client.list(path, readActivityEvent, query, signal),
            follow: (link, signal) => client.follow(link, readActivityEvent, signal),
          });
          const appearance = () =>
            appearanceOf(
              { instance: localInstance('data-1'), kind: 'signedIn', account, sessionId: 's' },
              feed.state(),
              { text: '@ana', ifEmpty: 'empty' },
              { now: now(), locale: 'en', rest: limits.rest('ana') },
            );
          return { feed, appearance };
        };

        const first = look();
        await first.feed.ensureLoaded();
        assert.equal(first.appearance().state, state);
        assert.match(first.appearance().description, description);
        assert.match(first.appearance().message, firstMessage);
        assert.equal(sent, requests);
        assert.deepEqual(slept, pauses);

        const later = look();
        current = json(200, events);
        await later.feed.ensureLoaded();
        advance(5 * 60_000);
        current = received;
        await later.feed.refresh();
        assert.equal(later.appearance().description, '@ana', 'the rows stay');
        assert.match(later.appearance().message, message);
      } finally {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    });
  }
});
