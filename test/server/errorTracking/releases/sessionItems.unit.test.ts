import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  readClientReport,
  readSession,
  readSessionCounts,
} from '../../../../server/features/errorTracking/releases/sessionItems.ts';
import { afterReport } from '../../../../server/features/errorTracking/releases/sessionRules.ts';
import { RECEIVED_AT } from '../reading.ts';

const about = { receivedAt: RECEIVED_AT, sentAt: undefined, scrub: true };
const started = '2026-03-04T05:06:00Z';
const attrs = { release: 'shop@1', environment: 'production' };
const session = {
  sid: 'AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee',
  did: '42',
  init: true,
  started,
  timestamp: '2026-03-04T05:06:07Z',
  status: 'ok',
  errors: 0,
  attrs,
};
const day = 24 * 3_600_000;

describe('a session', () => {
  it('a session is read with members of one type', () => {
    assert.deepEqual(readSession({ ...session, duration: 7.5, seq: 9 }, about), {
      id: 'aaaaaaaabbbb4ccc8dddeeeeeeeeeeee',
      user: '42',
      isFirst: true,
      seq: 9,
      startedAt: Date.parse(started),
      sentAt: Date.parse('2026-03-04T05:06:07Z'),
      duration: 7.5,
      status: 'ok',
      unknownStatus: undefined,
      errors: 0,
      abnormalMechanism: undefined,
      appRelease: 'shop@1',
      environment: 'production',
    });
  });

  const members: readonly [name: string, sent: object, wanted: object][] = [
    ['an update has its own sequence', { init: false, seq: 9 }, { isFirst: false, seq: 9 }],
    ['a negative sequence is none', { seq: -1 }, { seq: undefined }],
    ['a crash is an error at least', { status: 'crashed', errors: 0 }, { status: 'crashed', errors: 1 }],
    [
      'an abnormal end is, too, and has a mechanism',
      { status: 'abnormal', abnormal_mechanism: 'anr' },
      { errors: 1, abnormalMechanism: 'anr' },
    ],
    ['more errors stay', { status: 'crashed', errors: 3 }, { errors: 3 }],
    ['an end with errors counts as ok with errors', { status: 'errored' }, { status: 'ok', unknownStatus: undefined, errors: 1 }],
    ['an unknown state counts as ok and is remembered', { status: 'lost' }, { status: 'ok', unknownStatus: 'lost', errors: 0 }],
    ['no state is ok', { status: undefined }, { status: 'ok', unknownStatus: undefined }],
    ['a negative duration is none', { duration: -1 }, { duration: undefined }],
    ['null as duration is none', { duration: null }, { duration: undefined }],
    ['a number is a user', { did: 42 }, { user: '42' }],
    ['no environment is none', { attrs: { release: 1.5, environment: null } }, { appRelease: '1.5', environment: undefined }],
    ['one that ended as it began needs no id', { sid: undefined, status: 'exited' }, { id: undefined, status: 'exited' }],
    ['garbage as a time is when it came', { timestamp: {} }, { sentAt: RECEIVED_AT }],
    ['negative errors are none', { errors: -5 }, { errors: 0 }],
  ];
  for (const [name, sent, wanted] of members) {
    it(name, () => {
      const read = readSession({ ...session, ...sent }, about);
      assert.ok(!('dropped' in read));
      assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((key) => [key, Reflect.get(read, key)])), wanted);
    });
  }

  const dropped: readonly [name: string, sent: object, words: RegExp][] = [
    ['without a release', { attrs: { environment: 'x' } }, /no release/],
    ['with an empty release', { attrs: { release: '' } }, /no release/],
    ['without attributes', { attrs: null }, /no release/],
    ['without a start', { started: undefined }, /no start time/],
    ['with a start that is no time', { started: 'yesterday' }, /no start time/],
    ['without an id', { sid: undefined }, /no id/],
    ['with an id that is none', { sid: 'x', status: 'exited' }, /no id/],
    ['with the id of nothing', { sid: '0'.repeat(32) }, /no id/],
  ];
  for (const [name, sent, text] of dropped) {
    it(`${name} is dropped`, () => {
      const read = readSession({ ...session, ...sent }, about);
      assert.match('dropped' in read ? read.dropped : '', text);
    });
  }

  it('a session of a sender with a wrong clock is corrected', () => {
    const sentAt = new Date(RECEIVED_AT + day).toISOString();
    const read = readSession(
      { ...session, started: (RECEIVED_AT + day) / 1000 - 8 },
      { receivedAt: RECEIVED_AT, sentAt, scrub: true },
    );
    assert.ok(!('dropped' in read));
    assert.equal(read.startedAt, RECEIVED_AT - 8000);
  });

  it('a session continues with each report, unless it starts in the future', () => {
    const after = (sent: object) => {
      const read = readSession({ ...session, ...sent }, about);
      assert.ok(!('dropped' in read));
      return afterReport(undefined, { ...read, userHash: undefined }, RECEIVED_AT);
    };
    assert.ok('session' in after({}));
    assert.deepEqual(after({ started: RECEIVED_AT / 1000 + 61 }), { ignored: 'in_future' });
  });
});

describe('counts of sessions', () => {
  it('session counts are read by minute, and empty ones are dropped', () => {
    const aggregates = [
      { started: '2026-03-04T05:05:59.5Z', exited: 12, errored: 1 },
      { started, did: '42', crashed: 1, abnormal: 2, exited: -3 },
      { started, exited: 0, errored: 0 },
      { started: '2027-01-01T00:00:00Z', exited: 1 },
      { started: '2026-02-25T00:00:00Z', exited: 1 },
      { exited: 1 },
      null,
    ];
    assert.deepEqual(readSessionCounts({ attrs, aggregates }, about), {
      appRelease: 'shop@1',
      environment: 'production',
      buckets: [
        { startedAt: Date.parse('2026-03-04T05:05:00Z'), user: undefined, exited: 12, errored: 1, abnormal: 0, crashed: 0 },
        { startedAt: Date.parse(started), user: '42', exited: 0, errored: 0, abnormal: 2, crashed: 1 },
      ],
      dropped: [
        'an aggregate counts no sessions',
        'an aggregate starts in the future',
        'an aggregate started more than five days ago',
        'an aggregate has no start time',
        'an aggregate is not an object',
      ],
    });
  });

  it('session counts without a release or a list are dropped', () => {
    assert.deepEqual(readSessionCounts({ aggregates: [] }, about), { dropped: 'the sessions have no release' });
    assert.deepEqual(readSessionCounts({ attrs, aggregates: {} }, about), { dropped: 'the sessions have no list of aggregates' });
  });

  it('session counts are read for up to a hundred minutes', () => {
    const read = readSessionCounts({ attrs, aggregates: Array.from({ length: 101 }, () => ({ started, exited: 1 })) }, about);
    assert.ok(!('dropped' in read && typeof read.dropped === 'string'));
    assert.equal('buckets' in read && read.buckets.length, 100);
  });
});

describe('a client report', () => {
  it('invalid entries of a client report are skipped', () => {
    const discarded = [
      { reason: 'a', category: 'error', quantity: 12 },
      { reason: 'b', category: 'error' },
      { reason: 'b', category: 'error', quantity: -1 },
      null,
      { reason: {}, category: 'error', quantity: 1 },
    ];
    assert.deepEqual(readClientReport({ discarded_events: discarded }), [{ reason: 'a', category: 'error', quantity: 12 }]);
    assert.deepEqual(readClientReport({}), []);
  });
});

describe('a session item with arbitrary content', () => {
  it('a session item with arbitrary content is read, or dropped with a reason', () => {
    const value = fc.jsonValue();
    const member = fc.constantFrom(
      'sid',
      'did',
      'init',
      'seq',
      'started',
      'timestamp',
      'duration',
      'status',
      'errors',
      'attrs',
      'aggregates',
      'discarded_events',
    );
    fc.assert(
      fc.property(fc.dictionary(member, value), fc.boolean(), (odd, isWhole) => {
        const payload = isWhole ? { ...session, aggregates: [session], ...odd } : odd;
        readSession(payload, about);
        readSessionCounts(payload, about);
        readClientReport(payload);
      }),
      { numRuns: 1000 },
    );
  });
});
