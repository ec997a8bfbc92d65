import assert from 'node:assert/strict';
import { isTimeZone, nextTime, parseCron } from '../../../server/features/pipelineSchedules/cron.ts';

/** Returns the next times of an expression after a time, as text in UTC. */
function next(text: string, after: string, timeZone = 'UTC', count = 1): string[] {
  const cron = parseCron(text);
  assert.ok(cron !== undefined, text);
  const times: string[] = [];
  for (let at = Date.parse(after); times.length < count; ) {
    const time = nextTime(cron, timeZone, at);
    if (time === undefined) break;
    times.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
    at = time;
  }
  return times;
}

describe('cron expressions', () => {
  const start = '2026-03-14T10:20:30Z'; // A Saturday.

  for (const [text, expected] of [
    ['* * * * *', '2026-03-14T10:21Z'],
    ['*/15 * * * *', '2026-03-14T10:30Z'],
    ['20 10 * * *', '2026-03-15T10:20Z'],
    ['5/20 * * * *', '2026-03-14T10:25Z'],
    ['0 1 * * *', '2026-03-15T01:00Z'],
    ['0 22-23 * * 1-5', '2026-03-16T22:00Z'],
    ['0 0 * * 7', '2026-03-15T00:00Z'],
    ['0 0 * * sun', '2026-03-15T00:00Z'],
    ['0 0 1 JAN *', '2027-01-01T00:00Z'],
    ['0,30 9 1,15 * *', '2026-03-15T09:00Z'],
    ['0 0 31 * *', '2026-03-31T00:00Z'],
    ['0 0 29 2 *', '2028-02-29T00:00Z'],
  ] as const) {
    it(`${text} is next due at ${expected}`, () => assert.deepEqual(next(text, start), [expected]));
  }

  it('a limited day of the month and a limited day of the week each suffice', () => {
    assert.deepEqual(next('0 0 20 * 1', start, 'UTC', 3), ['2026-03-16T00:00Z', '2026-03-20T00:00Z', '2026-03-23T00:00Z']);
  });

  it('a day that no month has is never due', () => assert.deepEqual(next('0 0 30 2 *', start), []));

  it('times are local to the time zone, in winter and in summer', () => {
    assert.deepEqual(next('0 9 28-29 3 *', start, 'Europe/Berlin', 2), ['2026-03-28T08:00Z', '2026-03-29T07:00Z']);
    assert.deepEqual(next('30 23 * * *', start, 'Asia/Kolkata'), ['2026-03-14T18:00Z']);
    assert.deepEqual(next('0 0 * * *', start, 'Pacific/Kiritimati'), ['2026-03-15T10:00Z']);
  });

  it('a local time that the clocks skip is left out', () => {
    assert.deepEqual(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin'), ['2026-03-30T00:30Z']);
  });

  it('a local time that the clocks repeat counts once', () => {
    assert.deepEqual(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin', 2), ['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
  });

  for (const text of [
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    'a * * * *',
    '@daily',
  ]) {
    it(`"${text}" is refused`, () => assert.equal(parseCron(text), undefined));
  }

  it('names of time zones are known', () => {
    assert.deepEqual(['UTC', 'Europe/Berlin', 'Mars/Base', ''].map(isTimeZone), [true, true, false, false]);
  });
});
