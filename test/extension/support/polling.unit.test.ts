import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createPolling, type PollOutcome } from '../../../src/support/polling.ts';
import { createUnread, isUnread, type SyncedMemento } from '../../../src/activity/unread.ts';
import { type FakeMemento, fakeMemento } from '../../support/extension/fakes.ts';
import { event } from '../activity/events.ts';

const MINUTE = 60_000;
const good: PollOutcome = { ok: true, retryAfter: undefined };
const bad: PollOutcome = { ok: false, retryAfter: undefined };

/** Polling with a manual clock; `loads` are the times of its loads, in seconds. */
function start(outcome: () => PollOutcome = () => good, interval: () => number = () => MINUTE, notBefore = () => 0) {
  let time = 0;
  let timer: { readonly at: number; readonly run: () => void } | undefined;
  const loads: number[] = [];
  const polling = createPolling({
    now: () => time,
    after: (milliseconds, run) => {
      assert.equal(timer, undefined, 'one timer at a time');
      const mine = { at: time + milliseconds, run };
      timer = mine;
      return () => {
        if (timer === mine) timer = undefined;
      };
    },
    interval,
    notBefore,
    load: async () => {
      loads.push(time / 1000);
      return outcome();
    },
  });
  async function pass(milliseconds: number): Promise<void> {
    const end = time + milliseconds;
    await settled();
    while (timer !== undefined && timer.at <= end) {
      const { at, run } = timer;
      timer = undefined;
      time = at;
      run();
      await settled();
    }
    time = end;
  }
  return { polling, loads, pass, isPlanned: () => timer !== undefined };
}

/** Waits until all resolved promises are processed. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

describe('polling', () => {
  it('polling loads at once when the network has returned, whatever the pause after failures is', async () => {
    const outcomes = [good, bad, bad, bad, good];
    const { polling, loads, pass } = start(() => outcomes.shift() ?? good);
    polling.watch(true);
    await pass(8 * MINUTE);
    assert.deepEqual(loads, [0, 60, 180, 420]);
    polling.wake();
    await pass(0);
    assert.deepEqual(loads, [0, 60, 180, 420, 480]);
    await pass(MINUTE);
    assert.equal(loads.at(-1), 540, 'and then at the usual interval');
  });

  it('polling does not load earlier when the network has returned and it has not failed, or is not visible, or may not', async () => {
    const healthy = start();
    healthy.polling.watch(true);
    await healthy.pass(10_000);
    healthy.polling.wake();
    await healthy.pass(10_000);
    assert.deepEqual(healthy.loads, [0]);

    const hidden = start(() => bad);
    hidden.polling.watch(true);
    await hidden.pass(10_000);
    hidden.polling.watch(false);
    hidden.polling.wake();
    await hidden.pass(10_000);
    assert.deepEqual(hidden.loads, [0]);
    hidden.polling.watch(true);
    await hidden.pass(0);
    assert.deepEqual(hidden.loads, [0, 20]);

    const limited = start(
      () => bad,
      () => MINUTE,
      () => 30_000,
    );
    limited.polling.watch(true);
    await limited.pass(10_000);
    limited.polling.wake();
    await limited.pass(30_000);
    assert.deepEqual(limited.loads, [0, 30]);
  });

  it('polling waits for the usual pause if the network returns during a load that then fails', async () => {
    const { polling, loads, pass } = start(() => {
      if (loads.length === 3) queueMicrotask(polling.wake);
      return loads.length === 1 ? good : bad;
    });
    polling.watch(true);
    await pass(4 * MINUTE);
    assert.deepEqual(loads, [0, 60, 180, 240]);
  });

  it('polling reloads an outdated list immediately if visible, else when it becomes visible, and not earlier after failures', async () => {
    const outcomes = [good, good, good, bad];
    const { polling, loads, pass } = start(() => outcomes.shift() ?? bad);
    polling.watch(true);
    await pass(1_000);
    polling.expire();
    // The running load may have started before the change.
    polling.expire();
    await pass(1_000);
    assert.deepEqual(loads, [0, 1, 1]);
    polling.watch(false);
    polling.expire();
    await pass(1_000);
    assert.deepEqual(loads, [0, 1, 1]);
    polling.watch(true);
    await pass(1_000);
    polling.expire();
    await pass(1_000);
    assert.deepEqual(loads, [0, 1, 1, 3]);
  });

  it('polling joins a running load, or reloads once after it for all who ask because of a change', async () => {
    const { polling, loads, pass } = start();
    polling.watch(true);
    await polling.loadNow();
    assert.deepEqual(loads, [0]);
    await pass(1_000);
    void polling.loadNow();
    await Promise.all([polling.reload(), polling.reload(), polling.loadNow()]);
    assert.deepEqual(loads, [0, 1, 1]);
    await polling.reload();
    assert.deepEqual(loads, [0, 1, 1, 1]);
    await pass(MINUTE);
    assert.deepEqual(loads, [0, 1, 1, 1, 61]);
  });

  it('polling does not reload after it was disposed', async () => {
    const { polling, loads } = start();
    void polling.loadNow();
    const reloaded = polling.reload();
    polling.dispose();
    await reloaded;
    assert.deepEqual(loads, [0]);
  });

  it('polling loads immediately and then at its interval while visible', async () => {
    const { polling, loads, pass } = start();
    polling.watch(true);
    await pass(2 * MINUTE + 1);
    assert.deepEqual(loads, [0, 60, 120]);
  });

  it('polling does not load while hidden, and loads immediately if overdue', async () => {
    const { polling, loads, pass, isPlanned } = start();
    await pass(MINUTE);
    assert.deepEqual(loads, []);
    polling.watch(true);
    await pass(10_000);
    polling.watch(false);
    assert.equal(isPlanned(), false);
    await pass(10 * MINUTE);
    assert.deepEqual(loads, [60]);
    polling.watch(true);
    await pass(1);
    assert.deepEqual(loads, [60, 670]);
  });

  it('polling does not load early when it is hidden and shown again', async () => {
    const { polling, loads, pass } = start();
    for (let look = 0; look < 5; look += 1) {
      polling.watch(true);
      await pass(5_000);
      polling.watch(false);
      await pass(5_000);
    }
    assert.deepEqual(loads, [0]);
  });

  it('polling loads once and then only manually when the interval is 0', async () => {
    const { polling, loads, pass } = start(
      () => good,
      () => 0,
    );
    polling.watch(true);
    await pass(60 * MINUTE);
    assert.deepEqual(loads, [0]);
    await polling.loadNow();
    await pass(60 * MINUTE);
    assert.deepEqual(loads, [0, 3600]);
  });

  it('polling waits longer after each failure, at most 15 minutes, until a success', async () => {
    let outcome = bad;
    const { polling, loads, pass } = start(() => outcome);
    polling.watch(true);
    await pass(60 * MINUTE);
    assert.deepEqual(loads, [0, 120, 360, 840, 1740, 2640, 3540]);
    outcome = good;
    await polling.loadNow();
    await pass(MINUTE);
    assert.deepEqual(loads.slice(-2), [3600, 3660]);
  });

  it('polling respects the pause that the instance requests', async () => {
    const { polling, loads, pass } = start(() => ({ ok: false, retryAfter: 30 * MINUTE }));
    polling.watch(true);
    await pass(29 * MINUTE);
    polling.watch(false);
    polling.watch(true);
    assert.deepEqual(loads, [0]);
    await pass(MINUTE);
    assert.deepEqual(loads, [0, 1800]);
  });

  it('polling respects a pause from another list, except for the first load and manual ones', async () => {
    let until = 10 * MINUTE;
    const { polling, loads, pass } = start(
      () => good,
      () => MINUTE,
      () => until,
    );
    polling.watch(true);
    await pass(5 * MINUTE);
    await polling.loadNow();
    assert.deepEqual(loads, [0, 300]);
    await pass(4 * MINUTE);
    // Postponed again while a load was scheduled.
    until = 20 * MINUTE;
    await pass(10 * MINUTE);
    assert.deepEqual(loads, [0, 300]);
    await pass(2 * MINUTE);
    assert.deepEqual(loads, [0, 300, 1200, 1260]);
  });

  it('polling follows the setting', async () => {
    let interval = 10 * MINUTE;
    const { polling, loads, pass } = start(
      () => good,
      () => interval,
    );
    polling.watch(true);
    await pass(2 * MINUTE);
    interval = MINUTE;
    polling.replan();
    await pass(1);
    assert.deepEqual(loads, [0, 120]);
  });

  it('polling loads another list immediately and resets failures', async () => {
    const { polling, loads, pass } = start(() => bad);
    polling.watch(true);
    await pass(MINUTE);
    polling.restart();
    await pass(2 * MINUTE);
    assert.deepEqual(loads, [0, 60, 180]);
  });

  it('polling ends when it is disposed', async () => {
    const { polling, loads, pass, isPlanned } = start();
    polling.watch(true);
    await pass(1);
    polling.dispose();
    assert.equal(isPlanned(), false);
    await pass(10 * MINUTE);
    assert.deepEqual(loads, [0]);
  });
});

describe('the read marker', () => {
  const events = (...ids: readonly number[]) => ids.map((id) => event({ id }));
  function synced(): SyncedMemento & FakeMemento & { readonly synced: () => readonly string[] } {
    let keys: readonly string[] = [];
    const memory = fakeMemento();
    const setKeysForSync = (next: readonly string[]): void => {
      keys = next;
    };
    return { ...memory, setKeysForSync, synced: () => keys };
  }

  it('the read marker covers the first events of each list of an account', () => {
    const unread = createUnread(synced());
    assert.equal(unread.readMarker('a'), undefined);
    unread.begin('a', 'mine', events(5, 4));
    unread.begin('a', 'project', events(9, 8));
    assert.equal(unread.readMarker('a'), 9);
    unread.begin('a', 'project', events(10, 9));
    unread.begin('a', 'mine', events(11));
    assert.equal(unread.readMarker('a'), 9, 'later events are unread');
  });

  it('the read marker does not move when a window opens', () => {
    const memory = synced();
    createUnread(memory).begin('a', 'mine', events(5));
    const later = createUnread(memory);
    later.begin('a', 'mine', events(9));
    assert.equal(later.readMarker('a'), 5);
  });

  it('the read marker moves only forward, on request, and notifies listeners', () => {
    const unread = createUnread(synced());
    let changes = 0;
    unread.onDidChange(() => {
      changes += 1;
    });
    unread.begin('a', 'mine', events(5));
    unread.markRead('a', events(7, 6));
    unread.markRead('a', events(3));
    unread.markRead('a', []);
    assert.deepEqual([unread.readMarker('a'), changes], [7, 2]);
  });

  it('the read marker is synchronized to other machines, except for local servers', () => {
    const memory = synced();
    const unread = createUnread(memory);
    unread.begin('https://gitlab.example.com/7', 'mine', events(5));
    unread.begin('local/1', 'mine', events(5));
    assert.deepEqual(memory.synced(), ['activity.unread/https://gitlab.example.com/7']);
    assert.deepEqual(createUnread(memory) && memory.synced(), ['activity.unread/https://gitlab.example.com/7']);
  });

  it('the read marker marks later events of other users as unread', () => {
    const read = { marker: 5, opened: new Set<number>() };
    assert.equal(isUnread(event({ id: 6 }), read, 1), true);
    assert.equal(isUnread(event({ id: 5 }), read, 1), false);
    assert.equal(isUnread(event({ id: 6 }), read, 7), false, 'own events are not unread');
    assert.equal(isUnread(event({ id: 6 }), { ...read, marker: undefined }, 1), false);
    assert.equal(isUnread(event({ id: 6 }), { ...read, opened: new Set([6]) }, 1), false);
  });

  it('the read marker leaves events that were opened before it moves, which are read until then', () => {
    const memory = synced();
    const unread = createUnread(memory);
    const account = 'https://gitlab.example.com/7';
    let changes = 0;
    unread.markOpened(account, event({ id: 9 }));
    unread.begin(account, 'mine', events(5));
    unread.onDidChange(() => {
      changes += 1;
    });
    for (const id of [4, 8, 6, 8]) unread.markOpened(account, event({ id }));
    unread.markOpened('local/1', event({ id: 8 }));
    assert.deepEqual([[...createUnread(memory).opened(account)], changes], [[8, 6], 2]);
    assert.deepEqual(memory.synced().toSorted(), [`activity.opened/${account}`, `activity.unread/${account}`]);
    unread.markRead(account, events(7));
    assert.deepEqual([...unread.opened(account)], [8]);
    unread.markRead(account, events(8));
    assert.deepEqual([[...unread.opened(account)], memory.keys()], [[], [`activity.unread/${account}`]]);
  });
});
