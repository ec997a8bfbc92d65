import assert from 'node:assert/strict';
import { createTurns } from '../../server/http/turns.ts';

/** Requests that each take some milliseconds of a clock that only they move, and the turn of the event loop in which each was done. */
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
  it('runs quick requests in one turn of the event loop', async () => {
    const { run, done, end } = requestsOf();
    await Promise.all(['a', 'b', 'c'].map((name) => run(name, 1)));
    end();
    assert.deepEqual(done, [
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
  });

  it('makes a request that took longer than the budget the last of its turn, and keeps the order', async () => {
    const { run, done, end } = requestsOf();
    await Promise.all(['a', 'b', 'c'].map((name) => run(name, 10)));
    end();
    assert.deepEqual(
      done.map(([name]) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(done.map(([, turn]) => turn)).size, 3);
  });

  it('runs as many waiting requests per turn as its budget allows', async () => {
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

  it('starts a waiting request even if the one before it never ends', async () => {
    let now = 0;
    const turns = createTurns(() => now, 5);
    assert.equal(turns.enter(), undefined);
    now = 10;
    await turns.enter();
  });
});
