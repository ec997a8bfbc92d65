import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { type ClockState, createClock, dayStart, isoDate, isoTime, parseTime } from '../../../server/core/clock.ts';
import { createSchedule } from '../../../server/core/schedule.ts';

describe('the clock', () => {
  it('timestamps are those of Date, for days that were shown before, too', () => {
    const day = 86_400_000;
    const starts = [0, -1, -day, 951_782_400_000, 1_800_000_000_000, 253_402_300_800_000, -62_167_219_200_001, 8.64e15, -8.64e15];
    const times = starts.flatMap((start) => [start, start + 1, start + 45_296_789, start + day - 1, start - 1, start + 0.5]);
    const possible = times.filter((time) => Math.abs(time) <= 8.64e15);
    for (const time of [...possible, ...possible]) assert.equal(isoTime(time), new Date(time).toISOString());
    for (let time = 0; time < 2000 * day; time += day + 61_001) assert.equal(isoTime(time), new Date(time).toISOString());
    assert.throws(() => isoTime(Number.NaN), RangeError);
  });

  it('the clock follows the system clock until it is moved, then keeps the offset', () => {
    let machine = 1000;
    const clock = createClock(undefined, () => machine);
    assert.equal(clock.now(), 1000);
    clock.advance(500);
    machine = 2000;
    assert.equal(clock.now(), 2500);
    clock.reset();
    assert.equal(clock.now(), 2000);
  });

  it('the clock stands still while frozen, and can be advanced in that state', () => {
    let machine = 1000;
    const clock = createClock(undefined, () => machine);
    clock.freeze(50_000);
    machine = 9000;
    assert.equal(clock.now(), 50_000);
    clock.advance(1000);
    assert.equal(clock.now(), 51_000);
  });

  it('the clock stores its state and reports every move', () => {
    let stored: ClockState = { offset: 7, frozenAt: null };
    const clock = createClock({ load: () => stored, save: (state) => (stored = state) }, () => 100);
    assert.equal(clock.now(), 107);
    let moves = 0;
    const end = clock.onMove(() => (moves += 1));
    clock.advance(3);
    assert.deepEqual(stored, { offset: 10, frozenAt: null });
    end();
    clock.reset();
    assert.equal(moves, 1);
  });

  it('the clock knows which days exist', () => {
    assert.equal(dayStart(2024, 2, 29), Date.UTC(2024, 1, 29));
    assert.equal(dayStart(2023, 2, 29), undefined);
    assert.equal(dayStart(2023, 13, 1), undefined);
  });

  it('the clock writes and reads ISO 8601 in UTC', () => {
    assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
    assert.equal(isoDate(86_399_999), '1970-01-01');
    assert.equal(parseTime('1970-01-01T00:00:01'), 1000);
    assert.equal(parseTime('not a time'), undefined);
  });
});

describe('the schedule', () => {
  function table() {
    const clock = createClock(undefined, () => 0);
    const failures: string[] = [];
    const schedule = createSchedule(clock, (work) => failures.push(work));
    const ran: string[] = [];
    const work = (name: string, times: number[]): void => {
      schedule.add({
        name,
        next: () => times[0] ?? null,
        run: (now) => {
          while (times[0] !== undefined && times[0] <= now) ran.push(`${name}@${times.shift()}`);
          return false;
        },
      });
    };
    return { clock, schedule, ran, failures, work };
  }

  it('the schedule runs what is due when the clock is moved, in order of time', () => {
    const { clock, schedule, ran, work } = table();
    work('late', [300]);
    work('early', [100, 200]);
    clock.advance(150);
    assert.deepEqual(ran, ['early@100']);
    clock.advance(150);
    assert.deepEqual(ran, ['early@100', 'early@200', 'late@300']);
    schedule.stop();
  });

  it('the schedule reports failed work, runs the rest, and does not retry it immediately', () => {
    const { clock, schedule, ran, failures, work } = table();
    schedule.add({
      name: 'broken',
      next: () => 10,
      run: () => {
        throw new Error('no');
      },
    });
    work('sound', [20]);
    clock.advance(100);
    assert.deepEqual(failures, ['broken']);
    assert.deepEqual(ran, ['sound@20']);
    schedule.stop();
  });

  it('the schedule runs nothing after it was stopped', () => {
    const { clock, schedule, ran, work } = table();
    work('late', [5]);
    schedule.stop();
    clock.advance(10);
    assert.deepEqual(ran, []);
  });

  describe('the schedule without a move of the clock', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] }));
    afterEach(() => mock.timers.reset());

    it('the schedule runs work that became due through new data within a minute, also while the clock is frozen', () => {
      const { clock, schedule, ran, work } = table();
      const times: number[] = [];
      work('new', times);
      clock.freeze(1000);
      times.push(500);
      mock.timers.tick(60_000);
      assert.deepEqual(ran, ['new@500']);
      schedule.stop();
    });

    it('the schedule notices within a minute that the system clock was set', () => {
      let machine = 0;
      const schedule = createSchedule(
        createClock(undefined, () => machine),
        () => undefined,
      );
      const ran: number[] = [];
      let due: number | null = 10 ** 12;
      schedule.add({
        name: 'far away',
        next: () => due,
        run: (now) => {
          due = null;
          ran.push(now);
          return false;
        },
      });
      schedule.runDue();
      machine = 2 * 10 ** 12;
      mock.timers.tick(60_000);
      assert.deepEqual(ran, [2 * 10 ** 12]);
      schedule.stop();
    });

    it('the schedule runs long work in slices, with other work in between', () => {
      const { clock, schedule, ran, work } = table();
      let left = 3;
      schedule.add({
        name: 'long',
        next: () => (left > 0 ? 5 : null),
        run: () => {
          left -= 1;
          ran.push(`long, ${left} left`);
          return true;
        },
      });
      work('short', [7]);
      clock.advance(10);
      assert.deepEqual(ran, ['long, 2 left', 'short@7']);
      for (let turn = 0; turn < 3; turn += 1) mock.timers.tick(0);
      assert.deepEqual(ran, ['long, 2 left', 'short@7', 'long, 1 left', 'long, 0 left']);
      schedule.stop();
    });

    it('the schedule retries failed work after a minute', () => {
      const { clock, schedule, failures } = table();
      schedule.add({
        name: 'broken',
        next: () => 10,
        run: () => {
          throw new Error('no');
        },
      });
      clock.advance(100);
      mock.timers.tick(59_999);
      assert.deepEqual(failures, ['broken']);
      mock.timers.tick(1);
      assert.deepEqual(failures, ['broken', 'broken']);
      schedule.stop();
    });
  });
});
