import assert from 'node:assert/strict';
import { deprecationIds } from '../../../src/contract/deprecations.ts';
import { describeRows } from './rows.ts';
import { notShowable, scenarios } from './scenarios.ts';

describe('announced deprecations', () => {
  it('each row of the registry has a scenario or a reason why it cannot be shown, and at most four have a reason', () => {
    const reasons = Object.keys(notShowable);
    const without = deprecationIds.filter((id) => scenarios[id] === undefined && !reasons.includes(id));
    assert.deepEqual(without, []);
    assert.ok(reasons.length <= 4, reasons.join(', '));
  });
});

describeRows({ stages: 1 });
