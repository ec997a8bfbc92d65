import assert from 'node:assert/strict';
import { type ClockState, createClock, dayStart, isoDate, isoTime, parseTime } from '../../server/clock.ts';
import { createSchedule } from '../../server/schedule.ts';

describe('the clock', () => {
  it('follows the machine until it is moved, then keeps its distance', () => {
    let machine = 1000;
    const clock = createClock(undefined, () => machine);
    assert.equal(clock.now(), 1000);
    clock.advance(500);
    machine = 2000;
    assert.equal(clock.now(), 2500);
    clock.reset();
    assert.equal(clock.now(), 2000);
  });

  it('stands still while frozen, and can be advanced in that state', () => {
    let machine = 1000;
    const clock = createClock(undefined, () => machine);
    clock.freeze(50_000);
    machine = 9000;
    assert.equal(clock.now(), 50_000);
    clock.advance(1000);
    assert.equal(clock.now(), 51_000);
  });

  it('remembers its state and tells of every move', () => {
    let kept: ClockState = { offset: 7, frozenAt: null };
    const clock = createClock({ load: () => kept, save: (state) => (kept = state) }, () => 100);
    assert.equal(clock.now(), 107);
    let moves = 0;
    const end = clock.onMove(() => (moves += 1));
    clock.advance(3);
    assert.deepEqual(kept, { offset: 10, frozenAt: null });
    end();
    clock.reset();
    assert.equal(moves, 1);
  });

  it('knows which days exist', () => {
    assert.equal(dayStart(2024, 2, 29), Date.UTC(2024, 1, 29));
    assert.equal(dayStart(2023, 2, 29), undefined);
    assert.equal(dayStart(2023, 13, 1), undefined);
  });

  it('writes and reads ISO 8601 in UTC', () => {
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
        },
      });
    };
    return { clock, schedule, ran, failures, work };
  }

  it('runs what is due when the clock is moved, in order of time', () => {
    const { clock, schedule, ran, work } = table();
    work('late', [300]);
    work('early', [100, 200]);
    clock.advance(150);
    assert.deepEqual(ran, ['early@100']);
    clock.advance(150);
    assert.deepEqual(ran, ['early@100', 'early@200', 'late@300']);
    schedule.stop();
  });

  it('reports work that fails, does the rest, and does not try it again at once', () => {
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

  it('runs nothing after it was stopped', () => {
    const { clock, schedule, ran, work } = table();
    work('late', [5]);
    schedule.stop();
    clock.advance(10);
    assert.deepEqual(ran, []);
  });

  it('runs due work by itself when its time comes', async () => {
    const clock = createClock();
    const schedule = createSchedule(clock, () => undefined);
    let due: number | null = clock.now() + 5;
    await new Promise<void>((resolve) => {
      const keepAlive = setInterval(() => undefined, 1000);
      schedule.add({
        name: 'soon',
        next: () => due,
        run: () => {
          due = null;
          clearInterval(keepAlive);
          resolve();
        },
      });
      schedule.touch();
    });
    schedule.stop();
  });
});
