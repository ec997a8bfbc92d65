import assert from 'node:assert/strict';
import { formatDuration, secondsOf, textOfTime, timeOf } from '../../../src/local/clockTimes.ts';

describe('times that are entered for the clock', () => {
  it('times that are entered for the clock can be durations with several units', () => {
    for (const [text, seconds] of [
      ['45s', 45],
      ['90m', 5_400],
      [' 1D 12h ', 129_600],
      ['2w', 1_209_600],
    ] as const)
      assert.equal(secondsOf(text), seconds, text);
    for (const text of ['', '0m', '5', 'm', '-5m', '1.5h', '5 m', '1y', '999999w', '1d,2h'])
      assert.equal(secondsOf(text), undefined, text);
  });

  it('times that are entered for the clock can be dates, with or without a time, in UTC', () => {
    for (const [text, time] of [
      ['2030-01-31', '2030-01-31T00:00:00.000Z'],
      [' 2030-01-31 14:30', '2030-01-31T14:30:00.000Z'],
      ['2030-01-31T14:30:59Z', '2030-01-31T14:30:59.000Z'],
    ] as const)
      assert.equal(timeOf(text), time, text);
    for (const text of ['', '2030', '2030-02-30', '2030-13-01', '2030-01-31 25:00', '31.1.2030', 'tomorrow'])
      assert.equal(timeOf(text), undefined, text);
  });

  it('times that are entered for the clock begin with the present one', () => {
    const now = Date.UTC(2026, 10, 26, 12, 0, 7);
    assert.equal(textOfTime(now), '2026-11-26 12:00:07');
    assert.equal(timeOf(textOfTime(now)), new Date(now).toISOString());
  });
});

describe('durations of the clock as text', () => {
  for (const [seconds, text] of [
    [1, '1 second'],
    [0.6, '1 second'],
    [59.7, '1 minute'],
    [3_600, '1 hour'],
    [30 * 86_400, '30 days'],
    [86_400 + 60, '1 day 1 minute'],
    [400 * 86_400 + 3_600 + 61, '400 days 1 hour'],
    [-90, '1 minute 30 seconds'],
  ] as const)
    it(`a difference of ${seconds} seconds is shown as ${text}`, () => assert.equal(formatDuration(seconds, 'en'), text));
});
