import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRateLimits, type Rest } from '../../../src/api/rateLimits.ts';
import { fakeClock, json } from '../../support/extension/fakes.ts';

const MINUTE = 60_000;
const clock = Date.UTC(2026, 10, 20, 12);
const inSeconds = (seconds: number): string => String(clock / 1000 + seconds);

interface Case {
  readonly when: string;
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Expected pause from now on, in milliseconds. */
  readonly pause: number;
  readonly rest?: Rest['kind'];
}

const limit = (remaining: number, reset: string, all = 600): Readonly<Record<string, string>> => ({
  'ratelimit-limit': String(all),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': reset,
});

const cases: readonly Case[] = [
  { when: 'there are no headers', headers: {}, pause: 0 },
  { when: 'enough requests are left', headers: limit(599, inSeconds(60)), pause: 0 },
  { when: 'few requests are left for half of the time', headers: limit(125, inSeconds(30)), pause: (30_000 / 5) * 2 },
  { when: 'fewer requests are left than a refresh needs', headers: limit(121, inSeconds(30)), pause: 30_000 },
  { when: 'only the share reserved for the user is left', headers: limit(120, inSeconds(30)), pause: 30_000, rest: 'sparing' },
  { when: 'no requests are left', headers: limit(0, inSeconds(30)), pause: 30_000, rest: 'sparing' },
  { when: 'the reset is a number of seconds from now', headers: limit(0, '45'), pause: 45_000, rest: 'sparing' },
  { when: 'the reset is in the past', headers: limit(0, inSeconds(-5)), pause: 0 },
  { when: 'the reset is from a different clock', headers: limit(0, inSeconds(86_400)), pause: 15 * MINUTE, rest: 'sparing' },
  {
    when: 'the limit is unknown and many requests are left',
    headers: { 'ratelimit-remaining': '70', 'ratelimit-reset': inSeconds(60) },
    pause: 2_000,
  },
  {
    when: 'the limit is unknown and few requests are left',
    headers: { 'ratelimit-remaining': '10', 'ratelimit-reset': inSeconds(60) },
    pause: MINUTE,
    rest: 'sparing',
  },
  {
    when: 'the number of remaining requests is invalid',
    headers: { 'ratelimit-remaining': 'many', 'ratelimit-reset': '60' },
    pause: 0,
  },
  {
    when: 'the status is 429 with a number of seconds',
    status: 429,
    headers: { 'retry-after': '90' },
    pause: 90_000,
    rest: 'refused',
  },
  {
    when: 'the status is 429 with a date',
    status: 429,
    headers: { 'retry-after': new Date(clock + 3 * MINUTE).toUTCString() },
    pause: 3 * MINUTE,
    rest: 'refused',
  },
  {
    when: 'the status is 429 with the time of the reset',
    status: 429,
    headers: limit(0, inSeconds(20)),
    pause: 20_000,
    rest: 'refused',
  },
  { when: 'the status is 429 without headers', status: 429, headers: {}, pause: 0 },
];

describe('rate limits of an account', () => {
  for (const { when, status = 200, headers, pause, rest } of cases) {
    it(`rate limits of an account pause for ${pause} ms when ${when}`, () => {
      const limits = createRateLimits(() => clock);
      limits.note('ana', json(status, [], headers));
      assert.equal(Math.max(0, limits.notBefore('ana') - clock), pause);
      assert.deepEqual(limits.rest('ana'), rest === undefined ? undefined : { kind: rest, until: clock + pause });
      assert.deepEqual([limits.notBefore('bo'), limits.rest('bo')], [0, undefined], 'other accounts are not affected');
    });
  }

  it('rate limits of an account end at their time or with a successful response, but not with a failed one', () => {
    const { now, advance } = fakeClock(clock);
    const limits = createRateLimits(now);
    const reported: (Rest['kind'] | undefined)[] = [];
    limits.onDidChange((account) => reported.push(limits.rest(account)?.kind));
    limits.note('ana', json(429, {}, { 'retry-after': '60' }));
    limits.note('ana', json(503, {}));
    assert.equal(limits.rest('ana')?.kind, 'refused');
    limits.note('ana', json(200, []));
    assert.deepEqual([limits.rest('ana'), limits.notBefore('ana')], [undefined, 0]);
    limits.note('ana', json(429, {}, { 'retry-after': '60' }));
    advance(MINUTE);
    assert.equal(limits.rest('ana'), undefined);
    assert.deepEqual(reported, ['refused', undefined, 'refused']);
  });

  it('rate limits of an account notify when they start, not at each response', () => {
    const limits = createRateLimits(() => clock);
    let reported = 0;
    limits.onDidChange(() => {
      reported += 1;
    });
    for (const remaining of [500, 400, 300, 200, 110, 109]) limits.note('ana', json(200, [], limit(remaining, inSeconds(30))));
    assert.equal(reported, 1);
  });
});
