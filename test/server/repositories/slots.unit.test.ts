import assert from 'node:assert/strict';
import { createSlots, type SlotUser } from '../../../server/repositories/slots.ts';

const limits = { total: 4, perCaller: 3, perRepository: 2 };
const ada = (repository: string): SlotUser => ({ caller: 'ada', repository });
const bob = (repository: string): SlotUser => ({ caller: 'bob', repository });

describe('slots', () => {
  /** Returns a function that takes a slot, the names of those that have got one, and the functions that release them. */
  const taker = () => {
    const slots = createSlots(limits);
    const holders: string[] = [];
    const releases = new Map<string, () => void>();
    const take = (name: string, user: SlotUser, signal?: AbortSignal): void => {
      slots.take(user, signal).then(
        (release) => {
          holders.push(name);
          releases.set(name, release);
        },
        () => holders.push(`${name} left`),
      );
    };
    const settled = async (): Promise<readonly string[]> => {
      await new Promise((resolve) => setImmediate(resolve));
      return holders;
    };
    return { slots, take, settled, release: (name: string) => releases.get(name)?.() };
  };

  it('a repository has no more than its share, and the next slot is for another one', async () => {
    const { take, settled } = taker();
    for (const name of ['1', '2', '3', '4']) take(name, ada('large'));
    take('other', ada('small'));
    assert.deepEqual(await settled(), ['1', '2', 'other']);
  });

  it('a caller has no more than a share, also in several repositories', async () => {
    const { take, settled } = taker();
    for (const name of ['a', 'b', 'c', 'd']) take(name, ada(name));
    take('bob', bob('e'));
    assert.deepEqual(await settled(), ['a', 'b', 'c', 'bob']);
  });

  it('a released slot goes to the caller who uses the fewest', async () => {
    const { take, settled, release } = taker();
    for (const name of ['a', 'b', 'c']) take(name, ada(name));
    take('server', { caller: undefined, repository: 'd' });
    for (const name of ['e', 'f']) take(name, ada(name));
    take('bob', bob('g'));
    await settled();
    release('a');
    assert.deepEqual(await settled(), ['a', 'b', 'c', 'server', 'bob']);
  });

  it('callers with equally many slots get them in the order of their arrival', async () => {
    const { take, settled, release } = taker();
    for (const name of ['a', 'b']) take(name, ada(name));
    for (const name of ['c', 'd']) take(name, bob(name));
    for (const name of ['first', 'second']) take(name, { caller: name, repository: name });
    await settled();
    release('a');
    release('c');
    assert.deepEqual((await settled()).slice(4), ['first', 'second']);
  });

  it('releasing a slot twice releases it once', async () => {
    const { take, settled, release } = taker();
    for (const name of ['a', 'b']) take(name, ada('r'));
    for (const name of ['c', 'd']) take(name, ada('r'));
    await settled();
    release('a');
    release('a');
    assert.deepEqual(await settled(), ['a', 'b', 'c']);
  });

  it('who leaves no longer waits', async () => {
    const { slots, take, settled, release } = taker();
    const leaving = new AbortController();
    for (const name of ['a', 'b']) take(name, ada('r'));
    take('leaving', ada('r'), leaving.signal);
    take('next', ada('r'));
    await settled();
    leaving.abort();
    release('a');
    assert.deepEqual(await settled(), ['a', 'b', 'leaving left', 'next']);
    assert.equal(slots.hasWaiting(), false);
  });
});
