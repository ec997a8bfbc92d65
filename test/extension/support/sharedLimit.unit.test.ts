import assert from 'node:assert/strict';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createPolling } from '../../../src/support/polling.ts';
import { json } from '../../support/extension/fakes.ts';
import { manualClock } from '../../support/extension/manualClock.ts';

const ACCOUNT = 'https://gitlab.example.com#1';
const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const INTERVAL = 15_000;

/** An instance that allows a number of requests per minute, with views that load one list each, which takes two seconds. */
function start(views: readonly string[], perMinute: number | undefined) {
  const { now, after, pass } = manualClock(START);
  const limits = createRateLimits(now);
  const requests: { readonly view: string; readonly at: number }[] = [];
  let running = 0;
  let mostRunning = 0;
  const request = async (view: string): Promise<void> => {
    requests.push({ view, at: now() - START });
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    const done = Promise.withResolvers<void>();
    after(2_000, done.resolve);
    await done.promise;
    running -= 1;
    const minute = Math.floor((now() - START) / MINUTE);
    const reset = START + (minute + 1) * MINUTE;
    const used = requests.filter(({ at }) => Math.floor(at / MINUTE) === minute).length;
    const headers = {
      'ratelimit-limit': String(perMinute),
      'ratelimit-remaining': String((perMinute ?? 0) - used),
      'ratelimit-reset': String(reset / 1_000),
    };
    limits.note(ACCOUNT, json(200, [], perMinute === undefined ? {} : headers));
  };
  const pollings = views.map((view) =>
    createPolling({
      ...{ now, after },
      interval: () => INTERVAL,
      notBefore: () => limits.notBefore(ACCOUNT),
      turns: { begin: () => limits.begin(ACCOUNT), onDidChange: limits.onDidChange },
      load: async () => {
        await request(view);
        return { ok: true, retryAfter: undefined };
      },
    }),
  );
  const countOf = (view: string, from: number): number => requests.filter((one) => one.view === view && one.at >= from).length;
  return {
    ...{ requests, pollings, pass, countOf },
    /** Returns the largest number of requests at the same time since the last call. */
    mostAtOnce: () => {
      const most = mostRunning;
      mostRunning = running;
      return most;
    },
  };
}

describe('views that share a rate limit', () => {
  it('one view is loaded at its interval if the limit allows it', async () => {
    const { pollings, pass, requests } = start(['errors'], 600);
    pollings[0]?.watch(true);
    await pass(MINUTE - 1);
    assert.deepEqual(
      requests.map(({ at }) => at),
      [0, 17_000, 34_000, 51_000],
    );
  });

  it('views that share a rate limit follow each other, each gets its turn, and together they keep a fifth for the user', async () => {
    const views = ['errors', 'panel', 'activity', 'mailbox'];
    const { pollings, pass, requests, mostAtOnce, countOf } = start(views, 15);
    for (const polling of pollings) polling.watch(true);
    await pass(MINUTE);
    mostAtOnce();
    await pass(10 * MINUTE);
    assert.equal(mostAtOnce(), 1, 'one request after the other');
    for (let minute = 1; minute < 11; minute += 1) {
      const used = requests.filter(({ at }) => Math.floor(at / MINUTE) === minute).length;
      assert.ok(used > 0 && used <= 12, `${used} requests in minute ${minute}`);
    }
    const counts = views.map((view) => countOf(view, MINUTE));
    assert.ok(Math.min(...counts) > 0 && Math.max(...counts) - Math.min(...counts) <= 2, counts.join());
  });

  it('a hidden view asks nothing and leaves its share to the visible ones', async () => {
    const { pollings, pass, countOf } = start(['errors', 'panel'], 6);
    for (const polling of pollings) polling.watch(true);
    await pass(MINUTE);
    pollings[1]?.watch(false);
    const before = countOf('errors', 0);
    await pass(10 * MINUTE);
    assert.equal(countOf('panel', MINUTE), 0);
    const alone = countOf('errors', MINUTE);
    assert.ok(before > 0 && alone > 10, `${alone} requests in ten minutes`);
    for (const polling of pollings) polling.watch(false);
    await pass(10 * MINUTE);
    assert.equal(countOf('errors', 11 * MINUTE + 1), 0);
    pollings[1]?.watch(true);
    await pass(MINUTE);
    assert.ok(countOf('panel', 21 * MINUTE) > 0, 'loaded once it is visible');
  });

  it('views of an instance without a rate limit do not wait for each other', async () => {
    const { pollings, pass, mostAtOnce } = start(['errors', 'panel'], undefined);
    for (const polling of pollings) polling.watch(true);
    await pass(MINUTE);
    assert.equal(mostAtOnce(), 2);
  });

  it('a view that is outdated is loaded as soon as the limit allows it, not earlier', async () => {
    const { pollings, pass, requests } = start(['errors'], 2);
    pollings[0]?.watch(true);
    await pass(3_000);
    pollings[0]?.expire();
    await pass(MINUTE - 4_000);
    assert.equal(requests.length, 1);
    await pass(2_000);
    assert.deepEqual(
      requests.map(({ at }) => at),
      [0, MINUTE],
    );
  });
});
