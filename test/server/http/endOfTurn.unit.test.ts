import assert from 'node:assert/strict';
import { createEndOfTurn } from '../../../server/http/endOfTurn.ts';
describe('the end of a turn', () => {
  it('fulfils one promise for all calls of a turn of the event loop, after the work of the turn', async () => {
    const endOfTurn = createEndOfTurn();
    const done: string[] = [];
    const first = endOfTurn().then(() => done.push('end'));
    const second = endOfTurn();
    await new Promise<void>((resolve) => {
      process.nextTick(() => {
        done.push('work');
        resolve();
      });
    });
    assert.deepEqual(done, ['work']);
    await Promise.all([first, second]);
    assert.deepEqual(done, ['work', 'end']);
  });

  it('returns another promise in a later turn', async () => {
    const endOfTurn = createEndOfTurn();
    const first = endOfTurn();
    await first;
    assert.notEqual(endOfTurn(), first);
  });
});
