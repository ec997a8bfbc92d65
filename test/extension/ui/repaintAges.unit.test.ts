import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { createEmitter } from '../../../src/support/emitter.ts';
import { formatRoundAge } from '../../../src/support/ages.ts';
import { repaintAges } from '../../../src/ui/repaintAges.ts';

describe('ages on the screen', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'Date'] }));
  afterEach(() => mock.timers.reset());

  it('ages on the screen are at most ten seconds too low while the view is visible, and right when it becomes visible', () => {
    const visibility = createEmitter<{ visible: boolean }>();
    const view = { visible: true, onDidChangeVisibility: visibility.event };
    const show = (visible: boolean): void => {
      view.visible = visible;
      visibility.fire({ visible });
    };
    let text = '';
    let paints = 0;
    const repainting = repaintAges(view, () => {
      paints += 1;
      text = formatRoundAge(Date.now(), 'en');
    });
    for (const [seconds, expected] of [
      [10, 'just now'],
      [50, '1 minute ago'],
      [60, '2 minutes ago'],
      [58 * 60, '1 hour ago'],
    ] as const) {
      mock.timers.tick(seconds * 1_000);
      assert.equal(text, expected);
    }
    show(false);
    const before = paints;
    mock.timers.tick(2 * 3_600_000);
    assert.equal(paints, before, 'nothing is painted while the view is hidden');
    show(true);
    assert.equal(text, '3 hours ago');
    repainting.dispose();
    mock.timers.tick(3_600_000);
    show(true);
    assert.equal(paints, before + 1);
  });
});
