import assert from 'node:assert/strict';
import { createTurns, type Turns } from '../../../server/features/hooks/turns.ts';

/** Takes everything whose turn it is. */
function takeAll(turns: Turns, isSlow?: (item: number) => boolean): string[] {
  const taken: string[] = [];
  for (let turn = turns.take(isSlow); turn !== undefined; turn = turns.take(isSlow)) taken.push(`${turn.owner}${turn.item}`);
  return taken;
}

describe('turns of work of several owners', () => {
  it('owners take turns, however much work one of them has', () => {
    const turns = createTurns({ total: 10, ofOwner: 10, slow: 10 });
    for (const item of [1, 2, 3]) turns.add({ owner: 'a', item });
    turns.add({ owner: 'b', item: 1 });
    turns.add({ owner: 'c', item: 1 });
    assert.deepEqual(takeAll(turns), ['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('an owner whose share is used waits, and others do not', () => {
    const turns = createTurns({ total: 10, ofOwner: 2, slow: 10 });
    for (const item of [1, 2, 3]) turns.add({ owner: 'a', item });
    assert.deepEqual(takeAll(turns), ['a1', 'a2']);
    turns.add({ owner: 'b', item: 1 });
    assert.deepEqual(takeAll(turns), ['b1']);
    turns.end({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['a3']);
  });

  it('no more than the total is under way, and a free place goes to the owner that waits longest', () => {
    const turns = createTurns({ total: 2, ofOwner: 2, slow: 2 });
    for (const item of [1, 2, 3]) turns.add({ owner: 'a', item });
    turns.add({ owner: 'b', item: 1 });
    turns.add({ owner: 'c', item: 1 });
    assert.deepEqual(takeAll(turns), ['a1', 'b1']);
    turns.end({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['c1']);
    turns.end({ owner: 'c', item: 1 });
    assert.deepEqual(takeAll(turns), ['a2']);
  });

  it('an item is under way only once, and has its next turn behind the others of its owner', () => {
    const turns = createTurns({ total: 10, ofOwner: 2, slow: 10 });
    turns.add({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['a1']);
    turns.add({ owner: 'a', item: 1 });
    turns.add({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), []);
    turns.add({ owner: 'a', item: 2 });
    turns.end({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['a2', 'a1']);
    assert.equal(turns.take(), undefined);
  });

  it('work that is added while it is under way has its next turn behind what waited meanwhile', () => {
    const turns = createTurns({ total: 2, ofOwner: 1, slow: 2 });
    turns.add({ owner: 'a', item: 1 });
    turns.add({ owner: 'b', item: 1 });
    assert.deepEqual(takeAll(turns), ['a1', 'b1']);
    for (const item of [1, 2]) turns.add({ owner: 'a', item });
    turns.add({ owner: 'c', item: 1 });
    turns.end({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['c1']);
    turns.end({ owner: 'c', item: 1 });
    assert.deepEqual(takeAll(turns), ['a2']);
    turns.end({ owner: 'a', item: 2 });
    assert.deepEqual(takeAll(turns), ['a1']);
  });

  it('an item can be put before the others of its owner', () => {
    const turns = createTurns({ total: 10, ofOwner: 10, slow: 10 });
    for (const item of [1, 2, 3]) turns.add({ owner: 'a', item });
    turns.add({ owner: 'a', item: 3 }, 'first');
    assert.deepEqual(takeAll(turns), ['a3', 'a1', 'a2']);
  });

  it('slow items have only a part of the total, and others are taken before them when it is used', () => {
    const isSlow = (item: number) => item < 4;
    const turns = createTurns({ total: 4, ofOwner: 4, slow: 2 });
    for (const item of [1, 2, 3]) turns.add({ owner: `a${item}-`, item });
    turns.add({ owner: 'b', item: 4 });
    assert.deepEqual(takeAll(turns, isSlow), ['a1-1', 'a2-2', 'b4']);
    turns.end({ owner: 'b', item: 4 });
    assert.deepEqual(takeAll(turns, isSlow), []);
    turns.end({ owner: 'a1-', item: 1 });
    assert.deepEqual(takeAll(turns, isSlow), ['a3-3']);
  });

  it('work that ends twice frees one place', () => {
    const turns = createTurns({ total: 1, ofOwner: 1, slow: 1 });
    for (const item of [1, 2, 3]) turns.add({ owner: 'a', item });
    assert.deepEqual(takeAll(turns), ['a1']);
    turns.end({ owner: 'a', item: 1 });
    turns.end({ owner: 'a', item: 1 });
    assert.deepEqual(takeAll(turns), ['a2']);
  });
});
