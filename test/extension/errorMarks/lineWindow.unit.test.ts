import assert from 'node:assert/strict';
import { isInWindow, windowAround } from '../../../src/errorMarks/lineWindow.ts';

describe('lines for which marks are painted', () => {
  it('contain the visible lines and at least 100 lines above and below', () => {
    for (let start = 0; start < 1_000; start += 37) {
      const window = windowAround([{ start, end: start + 40 }]);
      assert.ok(isInWindow(window, Math.max(0, start - 100)), `above line ${start}`);
      assert.ok(isInWindow(window, start + 140), `below line ${start}`);
    }
  });

  it('are few lines of a long file', () => {
    const { first, end } = windowAround([{ start: 2_500, end: 2_540 }]);
    assert.ok(end - first <= 600, `${first} to ${end}`);
  });

  it('stay the same while the user scrolls a little', () => {
    const windows = Array.from({ length: 100 }, (_, start) => JSON.stringify(windowAround([{ start, end: start + 40 }])));
    assert.equal(new Set(windows).size, 2);
  });

  it('reach from the first to the last part if the lines between them are folded', () => {
    const window = windowAround([
      { start: 900, end: 910 },
      { start: 10, end: 30 },
    ]);
    assert.deepEqual([isInWindow(window, 0), isInWindow(window, 500), isInWindow(window, 1_010)], [true, true, true]);
  });

  it('are none in an editor that shows no line yet', () => {
    assert.equal(isInWindow(windowAround([]), 0), false);
  });
});
