import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  afterReport,
  countSessions,
  longestSession,
  releaseHealth,
  type Session,
  type SessionAggregate,
  type SessionReport,
  sessionStatusOf,
} from '../../../../server/features/errorTracking/releases/sessionRules.ts';

const STARTED = Date.UTC(2026, 0, 2);
const NOW = STARTED + 10_000;

const session = (members: Partial<Session> = {}): Session => ({
  status: 'ok',
  seq: 3,
  startedAt: STARTED,
  sentAt: STARTED + 3_000,
  userHash: 'ann',
  errors: 2,
  duration: 3,
  abnormalMechanism: undefined,
  appRelease: 'shop@1.0',
  environment: 'production',
  ...members,
});
const report = (members: Partial<SessionReport> = {}): SessionReport => ({
  status: 'ok',
  isFirst: false,
  seq: 4,
  startedAt: STARTED,
  sentAt: STARTED + 4_000,
  userHash: 'ann',
  errors: undefined,
  duration: undefined,
  abnormalMechanism: undefined,
  appRelease: 'shop@1.0',
  environment: 'production',
  ...members,
});

describe('reports of a session', () => {
  it('the first report creates the session', () => {
    assert.deepEqual(afterReport(undefined, report({ isFirst: true, seq: 9, errors: 1.5, duration: -1 }), NOW), {
      session: session({ seq: 0, sentAt: STARTED + 4_000, errors: 1, duration: undefined }),
    });
    assert.deepEqual(afterReport(undefined, report({ seq: undefined, status: 'crashed' }), NOW), {
      session: session({ seq: NOW, sentAt: STARTED + 4_000, errors: 1, duration: undefined, status: 'crashed' }),
    });
  });

  for (const [clause, stored, sent, changed] of [
    ['a later one is the state', session(), report(), { seq: 4, sentAt: STARTED + 4_000 }],
    [
      'without a count it is counted by its arrival',
      session(),
      report({ seq: undefined }),
      { seq: NOW, sentAt: STARTED + 4_000 },
    ],
    ['one with the same count is taken', session(), report({ seq: 3 }), { sentAt: STARTED + 4_000 }],
    [
      'all of one SDK say that they are the first',
      session({ seq: 0 }),
      report({ isFirst: true, status: 'exited' }),
      { seq: 0, sentAt: STARTED + 4_000, status: 'exited' },
    ],
    ['errors are a total', session(), report({ errors: 5 }), { seq: 4, sentAt: STARTED + 4_000, errors: 5 }],
    ['a total never falls', session(), report({ errors: 1 }), { seq: 4, sentAt: STARTED + 4_000, errors: 2 }],
    [
      'a crash is at least one error',
      session({ errors: 0 }),
      report({ status: 'crashed', errors: 0 }),
      { seq: 4, sentAt: STARTED + 4_000, errors: 1, status: 'crashed' },
    ],
    [
      'so is an abnormal end',
      session({ errors: 0 }),
      report({ status: 'abnormal', abnormalMechanism: 'anr_foreground' }),
      { seq: 4, sentAt: STARTED + 4_000, errors: 1, status: 'abnormal', abnormalMechanism: 'anr_foreground' },
    ],
    ['a duration', session(), report({ duration: 4.5 }), { seq: 4, sentAt: STARTED + 4_000, duration: 4.5 }],
    ['a duration below nothing is none', session(), report({ duration: -4 }), { seq: 4, sentAt: STARTED + 4_000 }],
    [
      'user, beginning, release and environment stay',
      session(),
      report({ userHash: 'bob', startedAt: STARTED + 1, appRelease: 'x', environment: 'y' }),
      { seq: 4, sentAt: STARTED + 4_000 },
    ],
  ] as const) {
    it(clause, () => {
      assert.deepEqual(afterReport(stored, sent, NOW), { session: { ...stored, errors: stored.errors, ...changed } });
    });
  }

  for (const [clause, stored, sent, receivedAt, ignored] of [
    ['an earlier count', session(), report({ seq: 2 }), NOW, 'outdated'],
    ['the first one, late', session(), report({ isFirst: true }), NOW, 'outdated'],
    ['the same count, sent earlier', session(), report({ seq: 3, sentAt: STARTED }), NOW, 'outdated'],
    ['after it exited', session({ status: 'exited' }), report({ status: 'crashed' }), NOW, 'ended'],
    ['after it crashed', session({ status: 'crashed' }), report({ status: 'exited' }), NOW, 'ended'],
    ['after it ended otherwise', session({ status: 'abnormal' }), report(), NOW, 'ended'],
    ['after five days', session(), report(), STARTED + longestSession + 1, 'too_old'],
    ['one that began before five days', undefined, report(), STARTED + longestSession + 1, 'too_old'],
    ['one that has not begun', undefined, report(), STARTED - 60_001, 'in_future'],
  ] as const) {
    it(`${clause} is ignored: ${ignored}`, () => {
      assert.deepEqual(afterReport(stored, sent, receivedAt), { ignored });
    });
  }

  it('a session five days old or a minute ahead is accepted', () => {
    assert.ok('session' in afterReport(session(), report(), STARTED + longestSession));
    assert.ok('session' in afterReport(undefined, report(), STARTED - 60_000));
  });

  it('reports can be received in any order: the highest sequence number wins', () => {
    const reports = fc
      .uniqueArray(fc.nat(20), { minLength: 1, maxLength: 8 })
      .map((seqs) => seqs.map((seq) => report({ seq, errors: seq })));
    fc.assert(
      fc.property(reports, (sent) => {
        let stored: Session | undefined;
        for (const one of sent) {
          const after = afterReport(stored, one, NOW);
          if ('session' in after) stored = after.session;
        }
        const highest = Math.max(...sent.map(({ seq }) => seq ?? 0));
        assert.deepEqual([stored?.seq, stored?.errors], [highest, highest]);
      }),
    );
  });
});

describe('session statuses of SDKs', () => {
  for (const [sent, status, hasErrors, isKnown] of [
    [undefined, 'ok', false, true],
    ['ok', 'ok', false, true],
    ['exited', 'exited', false, true],
    ['crashed', 'crashed', true, true],
    ['abnormal', 'abnormal', true, true],
    ['errored', 'ok', true, true],
    ['unhandled', 'ok', true, true],
    ['paused', 'ok', false, false],
  ] as const) {
    it(sent ?? 'none', () => assert.deepEqual(sessionStatusOf(sent), { status, hasErrors, isKnown }));
  }
});

describe('the health of a release', () => {
  const aggregate = (members: Partial<SessionAggregate> = {}): SessionAggregate => ({
    userHash: undefined,
    exited: 0,
    errored: 0,
    crashed: 0,
    abnormal: 0,
    ...members,
  });

  it('release health counts sessions and aggregates, each in one column', () => {
    const counts = countSessions(
      [
        session({ status: 'exited', errors: 0, duration: 1, userHash: 'ann' }),
        session({ status: 'exited', errors: 2, duration: 4, userHash: 'ann' }),
        session({ status: 'ok', errors: 1, duration: 90, userHash: undefined }),
        session({ status: 'ok', errors: 0, duration: undefined, userHash: 'bob' }),
        session({ status: 'crashed', errors: 3, duration: 80, userHash: 'bob' }),
        session({ status: 'abnormal', errors: 1, userHash: 'cy' }),
      ],
      [aggregate({ exited: 10, errored: 2, crashed: 1, abnormal: 1 }), aggregate({ crashed: 1, userHash: 'ann' })],
    );
    assert.deepEqual(counts, {
      total: 6 + 14 + 1,
      crashed: 1 + 1 + 1,
      abnormal: 1 + 1,
      errored: 2 + 2,
      users: 3,
      crashedUsers: 2,
      medianDuration: 2.5,
    });
    const { healthy, crashFreeSessions, crashFreeUsers, adoption } = releaseHealth(counts, { ofRelease: 5, ofProject: 20 });
    assert.deepEqual([healthy, crashFreeSessions, crashFreeUsers, adoption], [21 - 4 - 3 - 2, 1 - 3 / 21, 1 - 2 / 3, 0.25]);
  });

  it('release health without sessions is unknown', () => {
    const health = releaseHealth(countSessions([], []), { ofRelease: 0, ofProject: 0 });
    assert.deepEqual(health, {
      total: 0,
      crashed: 0,
      abnormal: 0,
      errored: 0,
      healthy: 0,
      users: 0,
      crashedUsers: 0,
      medianDuration: undefined,
      crashFreeSessions: undefined,
      crashFreeUsers: undefined,
      adoption: undefined,
    });
  });

  it('the median duration is that of exited sessions', () => {
    const exited = (...durations: number[]): Session[] => durations.map((duration) => session({ status: 'exited', duration }));
    assert.equal(countSessions(exited(10, 9, 1), []).medianDuration, 9);
    assert.equal(countSessions(exited(10, 1), []).medianDuration, 5.5);
    assert.equal(countSessions([...exited(2), session({ status: 'crashed', duration: 100 })], []).medianDuration, 2);
  });
});
