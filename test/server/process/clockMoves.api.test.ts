import assert from 'node:assert/strict';
import path from 'node:path';
import { DAY } from '../../../server/core/clock.ts';
import { trackedProject } from '../errorTracking/senders.ts';
import { startTestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { addRows, moveAtRandom, overdue, overdueAfterTurns } from './clockMoves.ts';

describe('scheduled work when the clock is moved', () => {
  it('scheduled work runs although the clock was ten years ahead in between', async () => {
    await using server = await startTestServer({ log: () => {} });
    const { clock } = server.platform;
    const project = trackedProject(server);
    await addRows(server, project, 3);
    clock.advance(3650 * DAY);
    clock.reset();
    await addRows(server, project, 3);
    clock.advance(100 * DAY);
    assert.deepEqual(await overdueAfterTurns(server.platform), []);
    await addRows(server, project, 3);
    clock.advance(100 * DAY);
    assert.deepEqual(await overdueAfterTurns(server.platform), []);
  });

  it('events that were recorded before the clock was set back do not delay the decision of others', async () => {
    await using server = await startTestServer({ log: () => {} });
    const { store, clock, schedule } = server.platform;
    const record = `INSERT INTO notification_events (event, target_type, target_id, created_at, decided_to)
      VALUES ('moved_project', 'Project', 0, $at, 0)`;
    store.run(record, { at: clock.now() + 3650 * DAY });
    store.run(record, { at: clock.now() });
    schedule.runDue();
    await until(
      async () => store.all('SELECT id FROM notification_events WHERE decided_to IS NOT NULL'),
      (pending) => pending.length === 0,
      'the decision of both events',
    );
  });

  it('scheduled work runs in slices after a move of the clock, and completes soon', async () => {
    await using server = await startTestServer({ log: () => {} });
    await addRows(server, trackedProject(server), 1600);
    server.platform.clock.advance(4 * 365 * DAY);
    assert.ok(overdue(server.platform).length > 0, 'everything was done in one turn');
    assert.deepEqual(await overdueAfterTurns(server.platform), []);
  });

  for (const seed of [1, 2, 3, 4]) {
    it(`moving the clock leaves no work overdue after random moves and restarts (seed ${seed})`, async () => {
      using folder = temporaryFolder();
      await moveAtRandom(seed, path.join(folder.path, 'signalbox.sqlite'), 10, 2);
    });
  }
});
