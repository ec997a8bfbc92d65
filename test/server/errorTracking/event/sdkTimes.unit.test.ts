import assert from 'node:assert/strict';
import fc from 'fast-check';
import { driftOf, rangeOf, timeOf } from '../../../../server/features/errorTracking/event/sdkTimes.ts';

describe('times in formats of SDKs', () => {
  const table: readonly [sent: unknown, iso: string | undefined][] = [
    [1772600767.25, '2026-03-04T05:06:07.250Z'],
    [1772600767, '2026-03-04T05:06:07.000Z'],
    [1772600767250, '2026-03-04T05:06:07.250Z'],
    [1772600767250456, '2026-03-04T05:06:07.250Z'],
    [1.772600767250456e18, '2026-03-04T05:06:07.250Z'],
    ['1772600767.25', '2026-03-04T05:06:07.250Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    ['2026-03-04T05:06:07.250000Z', '2026-03-04T05:06:07.250Z'],
    ['2026-03-04T05:06:07.250Z', '2026-03-04T05:06:07.250Z'],
    ['2026-03-04T07:06:07.250456789+02:00', '2026-03-04T05:06:07.250Z'],
    ['2026-03-04T00:36:07.5-0430', '2026-03-04T05:06:07.500Z'],
    ['2026-03-04T07:06:07+02', '2026-03-04T05:06:07.000Z'],
    ['2011-05-02T17:41:36', '2011-05-02T17:41:36.000Z'],
    ['2011-05-02 17:41', '2011-05-02T17:41:00.000Z'],
    ['2011-05-02', '2011-05-02T00:00:00.000Z'],
    ['2026-03-04 05:06:07 UTC', '2026-03-04T05:06:07.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2023-02-29T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-01-01T24:00:00Z', undefined],
    ['0000-00-00T00:00:00Z', undefined],
    ['yesterday', undefined],
    ['', undefined],
    ['1'.repeat(100), undefined],
    [1e300, undefined],
    [Number.NaN, undefined],
    [null, undefined],
    [true, undefined],
    [{}, undefined],
    [[1772600767], undefined],
  ];
  for (const [sent, iso] of table) {
    it(`${typeof sent} ${JSON.stringify(sent)?.slice(0, 40)} is ${iso ?? 'none'}`, () => {
      const time = timeOf(sent);
      assert.equal(time === undefined ? undefined : new Date(time).toISOString(), iso);
    });
  }

  it('a time in ISO 8601 equals that of Date', () => {
    const date = fc.date({ min: new Date('0100-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(fc.property(date, (at) => assert.equal(timeOf(at.toISOString()), at.getTime())));
  });

  it('times are shifted if the clock of the sender is more than a minute off', () => {
    const now = Date.parse('2026-03-04T05:06:07Z');
    assert.equal(driftOf('2026-03-04T05:05:07Z', now), 0);
    assert.equal(driftOf('2026-03-04T05:05:06Z', now), 61_000);
    assert.equal(driftOf('2026-03-04T06:06:07Z', now), -3_600_000);
    assert.equal(driftOf('garbage', now), 0);
    assert.equal(driftOf(undefined, now), 0);
  });

  it('a time is in range from thirty days before receipt to a minute after', () => {
    const now = Date.parse('2026-03-04T05:06:07Z');
    const day = 24 * 3_600_000;
    assert.deepEqual(
      [now + 60_000, now + 60_001, now - 30 * day, now - 30 * day - 1].map((time) => rangeOf(time, now)),
      ['present', 'future', 'present', 'past'],
    );
  });
});
