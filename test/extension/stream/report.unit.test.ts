import assert from 'node:assert/strict';
import { ANYTHING, type ErrorChange, isAbout } from '../../../src/stream/errorChanges.ts';
import { createReport } from '../../../src/stream/report.ts';
import { manualClock } from '../../support/extension/manualClock.ts';

describe('what the stream reports to the views', () => {
  function start() {
    const { now, after, pass } = manualClock();
    const called: [at: number, what: unknown][] = [];
    const note = (what: unknown) => (changes?: readonly ErrorChange[]) => void called.push([now(), changes ?? what]);
    const { report } = createReport({ activity: note('activity'), mail: note('mail'), error: note('error') }, after);
    const send = (event: string, data: object = {}): void => report({ event, data: JSON.stringify(data) });
    return { called, send, pass };
  }

  it('the stream reports 1,000 events of two errors once a second, names what changed, and loses none', async () => {
    const { called, send, pass } = start();
    send('error', { project_id: 1, fingerprint: 7, change: 'new' });
    assert.deepEqual(called, [[0, [{ kind: 'error', projectId: 1, id: 7 }]]]);
    for (let count = 0; count < 1_000; count += 1) {
      send('count', { project_id: 1, fingerprint: 7 + (count % 2) });
      if (count % 500 === 0) send('key', { project_id: 2, key_id: 3 });
    }
    send('activity', { project_id: 1 });
    await pass(60_000);
    assert.deepEqual(called.slice(1), [
      [1_000, 'activity'],
      [
        1_000,
        [
          { kind: 'count', projectId: 1, id: 7 },
          { kind: 'key', projectId: 2, id: 3 },
          { kind: 'count', projectId: 1, id: 8 },
        ],
      ],
    ]);
  });

  it('the stream reports everything after a reset, and nothing for events that it does not know', async () => {
    const { called, send, pass } = start();
    send('later', { project_id: 1 });
    send('count', { project_id: 'x' });
    send('count', [1] as object);
    await pass(2_000);
    assert.equal(called.length, 0);
    send('reset');
    assert.deepEqual(
      called.map(([, what]) => what),
      ['activity', 'mail', ANYTHING],
    );
  });

  const cases: readonly (readonly [string, ErrorChange, number | string, boolean])[] = [
    ['its project', { kind: 'count', projectId: 1 }, 1, true],
    ['another project', { kind: 'count', projectId: 1 }, 2, false],
    ['a project of which only the path is known', { kind: 'count', projectId: 1 }, 'ada/lamps', true],
    ['any project, if everything may have changed', { kind: 'error' }, 2, true],
  ];
  for (const [name, change, id, expected] of cases)
    it(`a change is ${expected ? '' : 'not '}about ${name}`, () => {
      assert.equal(isAbout(change, { id }), expected);
    });
});
