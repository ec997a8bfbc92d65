import assert from 'node:assert/strict';
import http, { type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_FILTER } from '../../../src/activity/filter.ts';
import { listOfPerson } from '../../../src/activity/lists.ts';
import { createFeed } from '../../../src/activity/model.ts';
import { createPolling } from '../../../src/support/polling.ts';
import { createClient } from '../../../src/api/client.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { readActivityEvent } from '../../../src/contract/activity.ts';
import { fakeClock } from '../../support/extension/fakes.ts';
import { wireEvent } from './events.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 20, 12);

/** Instance with a rate limit per minute, two views of one account and one view of another. */
async function createSetup(limit: number) {
  const { now, sleep, advance } = fakeClock(start);
  let [window, used] = [start, 0];
  /** Minutes of requests, and rejections. */
  const requested: number[] = [];
  let refusals = 0;
  const server = http.createServer((_, response) => {
    const current = Math.floor(now() / MINUTE) * MINUTE;
    if (current !== window) [window, used] = [current, 0];
    used += 1;
    requested.push((now() - start) / MINUTE);
    const reset = (window + MINUTE) / 1000;
    const headers: OutgoingHttpHeaders = {
      'content-type': 'application/json',
      'ratelimit-limit': limit,
      'ratelimit-remaining': Math.max(0, limit - used),
      'ratelimit-reset': reset,
    };
    if (used <= limit) response.writeHead(200, headers).end(JSON.stringify([wireEvent({ id: used })]));
    else {
      refusals += 1;
      response.writeHead(429, { ...headers, 'retry-after': String(Math.ceil(reset - now() / 1000)) }).end('Retry later');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = createLoopbackSend();
  const limits = createRateLimits(now);
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const loading = new Set<Promise<unknown>>();

  function view(account: string) {
    const credentials = { token: async () => 'access', renewed: async () => undefined };
    const client = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      send,
      credentials,
      now,
      sleep,
      onResponse: (response) => limits.note(account, response),
    });
    const {
      path,
      queries: [query],
    } = listOfPerson({ kind: 'mine' }, NO_FILTER, new Date(now()));
    const feed = createFeed(now);
    feed.setSource({
      key: account,
      first: (signal) => client.list(path, readActivityEvent, query, signal),
      follow: () => assert.fail('nobody asks for more'),
    });
    const polling = createPolling({
      now,
      after: (milliseconds, run) => {
        const timer = { at: now() + milliseconds, run };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      interval: () => 15_000,
      notBefore: () => limits.notBefore(account),
      load: () => {
        const done = feed.refresh().then(() => {
          const state = feed.state();
          const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
          return { ok: failure === undefined, retryAfter: failure?.retryAfter };
        });
        loading.add(done);
        void done.finally(() => loading.delete(done));
        return done;
      },
    });
    return { feed, polling };
  }

  async function settle(): Promise<void> {
    while (loading.size > 0) await Promise.all(loading);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }

  async function pass(milliseconds: number): Promise<void> {
    const end = now() + milliseconds;
    await settle();
    for (;;) {
      const next = [...timers].sort((one, other) => one.at - other.at)[0];
      if (next === undefined || next.at > end) break;
      timers.delete(next);
      advance(Math.max(0, next.at - now()));
      next.run();
      await settle();
    }
    advance(end - now());
  }

  return {
    limits,
    view,
    pass,
    requested,
    refusals: () => refusals,
    /** Requests of other clients of the same user. */
    spend: (requests: number) => {
      used += requests;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

describe('views of one account on an instance with a rate limit', () => {
  it('views on an instance with a rate limit poll at their interval while enough requests are left', async () => {
    const setup = await createSetup(600);
    try {
      for (const view of [setup.view('ana'), setup.view('ana')]) view.polling.watch(true);
      await setup.pass(MINUTE - 1);
      assert.deepEqual(setup.requested, [0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75]);
    } finally {
      await setup.close();
    }
  });

  it('views on an instance with a rate limit slow down before the limit, while manual requests still succeed', async () => {
    const setup = await createSetup(10);
    try {
      const [one, other] = [setup.view('ana'), setup.view('ana')];
      for (const view of [one, other]) view.polling.watch(true);
      await setup.pass(10_000);
      setup.spend(5);
      await setup.pass(15_000);
      // 10 - 2 - 5 - 1 are left, which is the share reserved for manual requests.
      const before = setup.requested.length;
      await setup.pass(30_000);
      assert.equal(setup.requested.length, before, 'there are no automatic requests');
      assert.equal(setup.limits.rest('ana')?.kind, 'sparing');
      await one.polling.loadNow();
      assert.equal(setup.requested.length, before + 1);
      assert.equal(one.feed.state().kind, 'ready');
      await setup.pass(6 * MINUTE);
      assert.equal(setup.refusals(), 0);
      assert.ok(setup.requested.length > before + 12, 'they continue in the following minutes');
    } finally {
      await setup.close();
    }
  });

  it('views on an instance with a rate limit all pause after one was rejected, and continue after the pause', async () => {
    const setup = await createSetup(10);
    try {
      const [one, other] = [setup.view('ana'), setup.view('ana')];
      one.polling.watch(true);
      await setup.pass(1_000);
      other.polling.watch(true);
      await setup.pass(1_000);
      setup.spend(20);
      await one.polling.loadNow();
      assert.equal(setup.refusals(), 1);
      assert.deepEqual(setup.limits.rest('ana'), { kind: 'refused', until: start + MINUTE });
      assert.equal(setup.limits.rest('bo'), undefined);
      const before = setup.requested.length;
      await setup.pass(57_000);
      assert.equal(setup.requested.length, before);
      await setup.pass(2_000);
      assert.equal(setup.requested.length, before + 1, 'requests are sequential near the limit');
      await setup.pass(20_000);
      assert.ok(setup.requested.length >= before + 2);
      assert.equal(setup.refusals(), 1);
      assert.deepEqual(
        [one, other].map(({ feed }) => feed.state().kind),
        ['ready', 'ready'],
      );
    } finally {
      await setup.close();
    }
  });
});
