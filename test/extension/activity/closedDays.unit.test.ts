import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClosedDays } from '../../../src/activity/closedDays.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

describe('collapsed days', () => {
  it('collapsed days stay collapsed until they are expanded', async () => {
    const memory = fakeMemento();
    const days = createClosedDays(memory);
    await days.set('a#1/mine/day/2026-11-20', true);
    await days.set('a#1/mine/day/2026-11-19', true);
    await days.set('a#1/mine/day/2026-11-20', false);
    const again = createClosedDays(memory);
    assert.equal(again.has('a#1/mine/day/2026-11-19'), true);
    assert.equal(again.has('a#1/mine/day/2026-11-20'), false);
    assert.equal(again.has('b#1/mine/day/2026-11-19'), false);
  });

  it('collapsed days are dropped, the oldest first, beyond the maximum number', async () => {
    const days = createClosedDays(fakeMemento());
    for (let day = 0; day <= 200; day += 1) await days.set(`day/${day}`, true);
    assert.deepEqual([days.has('day/0'), days.has('day/1'), days.has('day/200')], [false, true, true]);
  });
});
