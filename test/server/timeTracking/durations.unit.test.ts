import assert from 'node:assert/strict';
import { humanDuration, parseDuration } from '../../../server/features/timeTracking/timeTracking.ts';

describe('durations of time tracking', () => {
  it('durations are parsed with working days and weeks', () => {
    for (const [text, seconds] of [
      ['3h30m', 12_600],
      ['1h', 3600],
      ['1d', 28_800],
      ['1w', 144_000],
      ['1mo', 576_000],
      ['1mo 1w, 1d 1h 1m 1s', 576_000 + 144_000 + 28_800 + 3661],
      [' 2 Hours 5 minutes ', 7500],
      ['1.5h', 5400],
      ['-30m', -1800],
      ['0h', 0],
    ] as const) {
      assert.equal(parseDuration(text), seconds, text);
    }
    for (const text of ['', 'soon', '7', '1y', 'h', '1h x', '--1h', '1h-30m', '999999999mo'])
      assert.equal(parseDuration(text), undefined, text);
  });

  it('durations are formatted in the same units', () => {
    for (const [seconds, text] of [
      [0, null],
      [12_600, '3h 30m'],
      [576_000 + 144_000 + 28_800 + 3661, '1mo 1w 1d 1h 1m 1s'],
      [-1800, '-30m'],
    ] as const) {
      assert.equal(humanDuration(seconds), text);
    }
  });
});
