import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createStallChecks } from '../../../server/repositories/stalledTransfers.ts';

/** Number of checks after which a slow transfer is ended. */
const CHECKS = 6;

describe('stalled transfers', () => {
  /** Starts a transfer. Returns its output, and functions that carry out checks and return the number of times that it was ended. */
  const transfer = (isWaiting: () => boolean) => {
    let check: (() => void) | undefined;
    let ended = 0;
    const checks = createStallChecks(isWaiting, (_milliseconds, run) => {
      check = run;
      return () => (check = undefined);
    });
    const output = new PassThrough();
    const leave = checks.enter(output, () => (ended += 1));
    const after = (count: number): number => {
      for (let index = 0; index < count; index += 1) check?.();
      return ended;
    };
    return { output, after, leave, isChecked: () => check !== undefined };
  };

  it('a transfer whose client does not read is ended after six checks while others wait', () => {
    const { output, after } = transfer(() => true);
    output.write('pack');
    assert.equal(after(CHECKS - 1), 0);
    assert.equal(after(1), 1);
  });

  it('it is not ended while nobody waits', () => {
    const { output, after } = transfer(() => false);
    output.write('pack');
    assert.equal(after(10 * CHECKS), 0);
  });

  it('only checks while others wait count', () => {
    let isWaiting = true;
    const { output, after } = transfer(() => isWaiting);
    output.write('pack');
    after(CHECKS - 1);
    isWaiting = false;
    after(1);
    isWaiting = true;
    assert.equal(after(CHECKS - 1), 0);
  });

  it('a transfer whose git has no output is not ended', () => {
    const { after } = transfer(() => true);
    assert.equal(after(10 * CHECKS), 0);
  });

  it('a transfer that has ended is not checked', () => {
    const { output, after, leave, isChecked } = transfer(() => true);
    output.write('pack');
    leave();
    assert.equal(isChecked(), false);
    assert.equal(after(CHECKS), 0);
  });
});
