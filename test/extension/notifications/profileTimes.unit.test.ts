import assert from 'node:assert/strict';
import { formatEnd, offeredEnds, readEnd } from '../../../src/notifications/profileTimes.ts';

const at = (hours: number, minutes = 0, day = 3): Date => new Date(2026, 5, day, hours, minutes);
const HOUR = 3_600_000;

describe('the end of a timed profile', () => {
  it('is offered for an hour, until the evening and until tomorrow morning', () => {
    const offered = offeredEnds(at(10), 'en-GB');
    assert.deepEqual(
      offered.map(({ label, until }) => [label, until]),
      [
        ['For 1 hour', at(11).getTime()],
        ['Until 18:00', at(18).getTime()],
        ['Until tomorrow, 09:00', at(9, 0, 4).getTime()],
      ],
    );
  });

  it('is not offered in the evening if that has passed', () => {
    assert.deepEqual(
      offeredEnds(at(18), 'en-GB').map(({ label }) => label),
      ['For 1 hour', 'Until tomorrow, 09:00'],
    );
  });

  const now = at(12);
  for (const [text, expected] of [
    ['18:30', at(18, 30).getTime()],
    [' 8.05 ', at(8, 5, 4).getTime()],
    ['12:00', at(12, 0, 4).getTime()],
    ['90m', now.getTime() + 1.5 * HOUR],
    ['90 min', now.getTime() + 1.5 * HOUR],
    ['2h', now.getTime() + 2 * HOUR],
    ['336h', now.getTime() + 336 * HOUR],
    ['337h', undefined],
    ['0m', undefined],
    ['24:00', undefined],
    ['18:60', undefined],
    ['tomorrow', undefined],
    ['', undefined],
  ] as const)
    it(`is ${expected === undefined ? 'refused' : 'read'} for the input “${text}”`, () => {
      assert.equal(readEnd(text, now), expected);
    });

  it('shows the day unless it is today', () => {
    assert.equal(formatEnd(at(18).getTime(), now, 'en-GB'), '18:00');
    assert.equal(formatEnd(at(9, 0, 4).getTime(), now, 'en-GB'), 'Thu 09:00');
    assert.equal(formatEnd(at(9, 0, 4).getTime(), now, 'de'), 'Do., 09:00');
  });
});
