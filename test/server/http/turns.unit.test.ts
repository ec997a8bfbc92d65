import assert from 'node:assert/strict';
import { createTurns } from '../../../server/http/turns.ts';

/** Runs requests that each take some milliseconds of a clock that only they move. Returns the event loop turn in which each ran. */
function requestsOf() {
  let now = 0;
  const turns = createTurns(() => now, 5);
  const done: (readonly [name: string, turn: number])[] = [];
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const run = async (name: string, milliseconds: number): Promise<void> => {
    const wait = turns.enter();
    if (wait !== undefined) await wait;
    now += milliseconds;
    done.push([name, turn]);
    turns.leave();
  };
  return {
    run,
    done,
    end: () => {
      isCounting = false;
    },
  };
}

describe('turns of requests', () => {
  it('quick requests run in one turn of the event loop', async () => {
    const { run, done, end } = requestsOf();
    await Promise.all(['a', 'b', 'c'].map((name) => run(name, 1)));
    end();
    assert.deepEqual(done, [
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
  });

  it('a request that took longer than the budget is the last of its turn, and the order is kept', async () => {
    const { run, done, end } = requestsOf();
    await Promise.all(['a', 'b', 'c'].map((name) => run(name, 10)));
    end();
    assert.deepEqual(
      done.map(([name]) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(done.map(([, turn]) => turn)).size, 3);
  });

  it('as many waiting requests run per turn as the budget allows', async () => {
    const { run, done, end } = requestsOf();
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => run(name, 3)));
    end();
    const perTurn = Map.groupBy(done, ([, turn]) => turn);
    assert.deepEqual(
      [...perTurn.values()].map((entries) => entries.map(([name]) => name)),
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    );
  });

  it('a waiting request starts even if the previous one never ends', async () => {
    let now = 0;
    const turns = createTurns(() => now, 5);
    assert.equal(turns.enter(), undefined);
    now = 10;
    await turns.enter();
  });
});
