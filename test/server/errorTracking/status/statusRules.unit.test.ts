import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ageOf, type ReleaseAge } from '../../../../server/features/errorTracking/releases/releaseOrder.ts';
import {
  afterEvent,
  changeState,
  type ErrorState,
  type EventMetadata,
  type IgnoreEnd,
} from '../../../../server/features/errorTracking/status/statusRules.ts';

const RESOLVED_AT = 1_000;
const LATER = 2_000;

const unresolved: ErrorState = { status: 'unresolved' };
const resolved: ErrorState = { status: 'resolved', at: RESOLVED_AT, releases: ['2.0'] };
const inNext: ErrorState = { status: 'resolved_in_next_release', at: RESOLVED_AT, releases: ['2.0'] };
const ignored = (until: IgnoreEnd | undefined): ErrorState => ({ status: 'ignored', at: RESOLVED_AT, until });
const metadata = (members: Partial<EventMetadata> = {}): EventMetadata => ({
  occurredAt: LATER,
  receivedAt: LATER,
  isFirst: false,
  releaseAge: 'unknown',
  sinceIgnored: { total: 1, thisHour: 1 },
  ...members,
});
const release = (releaseAge: ReleaseAge, occurredAt = LATER): EventMetadata => metadata({ releaseAge, occurredAt });
const counted = (total: number, thisHour: number): EventMetadata => metadata({ sinceIgnored: { total, thisHour } });

describe('state of an error after an event', () => {
  for (const [clause, state, event, change] of [
    ['the first event makes it new', unresolved, metadata({ isFirst: true }), 'new'],
    ['another one is nothing to tell of', unresolved, metadata(), 'none'],
    // A resolved error is reopened by every later event.
    ['resolved: a newer release', resolved, release('newer'), 'regressed'],
    ['resolved: the same or an older release', resolved, release('same_or_older'), 'regressed'],
    ['resolved: no order is known', resolved, release('unknown'), 'regressed'],
    ['resolved: only the repository knows', resolved, release('repository'), 'regressed'],
    ['resolved: what happened before', resolved, release('newer', RESOLVED_AT), 'none'],
    ['resolved: what happened before, in no release', resolved, release('unknown', RESOLVED_AT - 1), 'none'],
    ['in the next release: a newer one', inNext, release('newer'), 'regressed'],
    ['in the next release: the same or an older one', inNext, release('same_or_older'), 'none'],
    ['in the next release: no order is known', inNext, release('unknown'), 'regressed'],
    ['in the next release: only the repository knows', inNext, release('repository'), 'none'],
    ['in the next release: what happened before, in no release', inNext, release('unknown', RESOLVED_AT), 'none'],
    ['in the next release: what happened before', inNext, release('newer', RESOLVED_AT), 'none'],
    ['ignored for ever', ignored(undefined), counted(1_000_000, 1_000_000), 'none'],
    ['ignored until the next occurrence', ignored({ kind: 'next_occurrence' }), counted(1, 1), 'escalated'],
    ['ignored for 3 times: the second', ignored({ kind: 'occurrences', count: 3 }), counted(2, 2), 'none'],
    ['ignored for 3 times: the third', ignored({ kind: 'occurrences', count: 3 }), counted(3, 1), 'escalated'],
    ['ignored up to 3 an hour: the second of it', ignored({ kind: 'occurrences_per_hour', count: 3 }), counted(90, 2), 'none'],
    [
      'ignored up to 3 an hour: the third of it',
      ignored({ kind: 'occurrences_per_hour', count: 3 }),
      counted(90, 3),
      'escalated',
    ],
    ['ignored until a date: before', ignored({ kind: 'date', at: LATER + 1 }), counted(90, 90), 'none'],
    ['ignored until a date: then', ignored({ kind: 'date', at: LATER }), counted(1, 1), 'escalated'],
    ['ignored: a newer release', ignored(undefined), release('newer'), 'none'],
    ['ignored, and its events are gone: it is not new', ignored(undefined), metadata({ isFirst: true }), 'none'],
    ['resolved, and its events are gone: it is not new', resolved, metadata({ isFirst: true, occurredAt: RESOLVED_AT }), 'none'],
  ] as const) {
    it(`${clause}: ${change}`, () => {
      const after = afterEvent(state, event);
      assert.equal(after.change, change);
      if (change === 'none') assert.equal(after.state, state);
      else assert.deepEqual(after.state, unresolved);
    });
  }
});

describe('requested state changes', () => {
  const now = { now: LATER, releases: ['2.1'] };

  for (const [name, from, input, expected] of [
    ['resolved', unresolved, { status: 'resolved' }, { status: 'resolved', at: LATER, releases: ['2.1'] }],
    [
      'resolved in the next release',
      resolved,
      { status: 'resolved_in_next_release' },
      { status: 'resolved_in_next_release', at: LATER, releases: ['2.1'] },
    ],
    ['resolved again stays', resolved, { status: 'resolved' }, resolved],
    ['resolved in the next release again stays', inNext, { status: 'resolved_in_next_release' }, inNext],
    ['unresolved', resolved, { status: 'unresolved' }, unresolved],
    ['unresolved again', unresolved, { status: 'unresolved' }, unresolved],
    ['ignored for ever', resolved, { status: 'ignored' }, { status: 'ignored', at: LATER, until: undefined }],
    [
      'ignored again counts anew',
      ignored({ kind: 'occurrences', count: 3 }),
      { status: 'ignored', until: { kind: 'occurrences', count: 3 } },
      { status: 'ignored', at: LATER, until: { kind: 'occurrences', count: 3 } },
    ],
    [
      'ignored until a date',
      unresolved,
      { status: 'ignored', until: { kind: 'date', at: LATER + 1 } },
      { status: 'ignored', at: LATER, until: { kind: 'date', at: LATER + 1 } },
    ],
  ] as const) {
    it(name, () => assert.deepEqual(changeState(from, input, now), { state: expected }));
  }

  it('an error can be resolved without a known release', () => {
    const nowhere = { now: LATER, releases: [] };
    assert.deepEqual(changeState(unresolved, { status: 'resolved' }, nowhere), {
      state: { status: 'resolved', at: LATER, releases: [] },
    });
    assert.deepEqual(Object.keys(changeState(unresolved, { status: 'resolved_in_next_release' }, nowhere)), ['refusal']);
  });

  for (const [name, input] of [
    ['an end of what is not ignored', { status: 'resolved', until: { kind: 'next_occurrence' } }],
    ['a date that is past', { status: 'ignored', until: { kind: 'date', at: LATER } }],
    ['a date that never comes', { status: 'ignored', until: { kind: 'date', at: Number.POSITIVE_INFINITY } }],
    ['a date that is none', { status: 'ignored', until: { kind: 'date', at: Number.NaN } }],
    ['no occurrence', { status: 'ignored', until: { kind: 'occurrences', count: 0 } }],
    ['half an occurrence', { status: 'ignored', until: { kind: 'occurrences_per_hour', count: 1.5 } }],
    ['too many occurrences', { status: 'ignored', until: { kind: 'occurrences', count: 1_000_001 } }],
  ] as const) {
    it(`${name} is refused with a message`, () => {
      const response = changeState(unresolved, input, now);
      assert.ok('refusal' in response);
      assert.match(response.refusal, /^[A-Z].+\.$/);
    });
  }
});

describe('any sequence of events and changes', () => {
  type Step =
    | { readonly kind: 'event'; readonly release: number | undefined; readonly delay: number }
    | {
        readonly kind: 'request';
        readonly status: ErrorState['status'];
        readonly until: IgnoreEnd['kind'] | 'never';
        readonly count: number;
      };

  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('event' as const),
        release: fc.option(fc.nat(5), { nil: undefined }),
        delay: fc.constantFrom(0, 0, 50),
      }),
    },
    fc.record({
      kind: fc.constant('request' as const),
      status: fc.constantFrom(
        'unresolved' as const,
        'resolved' as const,
        'resolved_in_next_release' as const,
        'ignored' as const,
      ),
      until: fc.constantFrom(
        'never' as const,
        'next_occurrence' as const,
        'occurrences' as const,
        'occurrences_per_hour' as const,
        'date' as const,
      ),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  );

  it('an ignored error is quiet until its condition is met, and only one resolved in the next release stays so for older releases', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state: ErrorState = unresolved;
        let now = 0;
        let events: number[] = [];
        let newest: number | undefined;
        let isFirst = true;
        for (const next of steps) {
          now += 10;
          if (next.kind === 'request') {
            const until: IgnoreEnd | undefined =
              next.until === 'never' || next.status !== 'ignored'
                ? undefined
                : next.until === 'date'
                  ? { kind: 'date', at: now + next.count * 20 }
                  : next.until === 'next_occurrence'
                    ? { kind: 'next_occurrence' }
                    : { kind: next.until, count: next.count };
            const response = changeState(
              state,
              { status: next.status, until },
              {
                now,
                releases: newest === undefined ? [] : [newest.toString()],
              },
            );
            if ('refusal' in response) {
              assert.ok(next.status === 'resolved_in_next_release' && newest === undefined);
              continue;
            }
            if (response.state.status === 'ignored') events = [];
            assert.equal(response.state.status, next.status);
            state = response.state;
            continue;
          }
          events.push(now);
          const hour = Math.floor(now / 60);
          const age = ageOf(next.release?.toString(), 'releases' in state ? state.releases : []);
          const occurredAt = now - next.delay;
          const total = events.length;
          const thisHour = events.filter((at) => Math.floor(at / 60) === hour).length;
          const after = afterEvent(state, {
            occurredAt,
            receivedAt: now,
            isFirst,
            releaseAge: age,
            sinceIgnored: { total, thisHour },
          });

          // Announced exactly when the state changes, or by the first event.
          if (after.change === 'new') assert.ok(isFirst && state.status === 'unresolved');
          else assert.equal(after.change !== 'none', after.state !== state);
          assert.ok(after.state === state || after.state.status === 'unresolved');
          if (state.status === 'ignored') {
            const { until } = state;
            const met =
              until !== undefined &&
              (until.kind === 'next_occurrence' ||
                (until.kind === 'occurrences' && total >= until.count) ||
                (until.kind === 'occurrences_per_hour' && thisHour >= until.count) ||
                (until.kind === 'date' && now >= until.at));
            assert.equal(after.change, met ? 'escalated' : 'none');
          } else if (state.status !== 'unresolved') {
            const isWithoutFix = state.status === 'resolved_in_next_release' && age === 'same_or_older';
            assert.equal(after.change, occurredAt <= state.at || isWithoutFix ? 'none' : 'regressed');
          } else if (!isFirst) {
            assert.equal(after.change, 'none');
          }
          state = after.state;
          isFirst = false;
          if (next.release !== undefined) newest = Math.max(newest ?? 0, next.release);
        }
      }),
      { numRuns: 500 },
    );
  });
});
