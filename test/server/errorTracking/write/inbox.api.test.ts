import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { changeErrorStatus } from '../../../../server/features/errorTracking/status/errorStatus.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { temporaryFolder } from '../../../support/serverProcess.ts';
import { until } from '../../../support/until.ts';
import { recount } from './recount.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('events received in quick succession', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer({ log: () => {}, countingPause: 3_600_000 });
    project = trackedProject(server);
    await project.send(errorEvent('load'));
  });
  afterEach(() => server.close());

  const uncounted = (): number => uncountedOf(server);
  const listed = async (): Promise<(readonly [unknown, unknown])[]> => {
    const { token } = project.owner;
    const list = await server.request('GET', `/api/v4/projects/${project.id}/error_tracking/errors`, { token });
    return (list.json() as { readonly culprit: string; readonly count: number }[]).map(
      ({ culprit, count }) => [culprit, count] as const,
    );
  };

  it('events in quick succession are counted together, and readers see all of them', async () => {
    for (let index = 0; index < 5; index += 1) await project.send(errorEvent('load', { user: { id: index } }));
    assert.equal(uncounted(), 5);
    assert.deepEqual(await listed(), [['load (app/ship.py)', 6]]);
    assert.equal(uncounted(), 0);
    recount(server.platform);
  });

  const noise = (length: number): object => (length === 0 ? {} : { extra: { noise: randomBytes(length).toString('base64') } });
  for (const [how, events, length, envelopes] of [
    ['many', 101, 0, 15],
    ['much', 1, 45_000, 150],
  ] as const) {
    it(`events are counted at once if they are ${how}`, async () => {
      const some = (): { readonly event: object }[] =>
        Array.from({ length: events }, () => ({ event: errorEvent('load', noise(length)) }));
      let sent = 0;
      do {
        await project.post('envelope', envelope({}, ...some()));
        sent += 1;
      } while (uncounted() > 0 && sent < envelopes);
      assert.ok(sent > 5 && sent < envelopes, String(sent));
      assert.deepEqual(await listed(), [['load (app/ship.py)', events * sent + 1]]);
      recount(server.platform);
    });
  }

  it('events are counted at once if they belong to many errors', async () => {
    const groups = 101;
    for (let sent = 0; sent < 2; sent += 1) {
      const some = Array.from({ length: groups }, (_, index) => ({ event: errorEvent(`step${sent}of${index}`) }));
      await project.post('envelope', envelope({}, ...some));
    }
    await until(uncounted, (count) => count === 0, 'events that are not counted');
    recount(server.platform);
  });

  it('uncounted duplicates are not stored again', async () => {
    const event = errorEvent('load', { event_id: 'd'.repeat(32) });
    for (let round = 0; round < 3; round += 1) assert.equal(await project.send(event), 'd'.repeat(32));
    assert.equal(uncounted(), 1);
    assert.deepEqual(await listed(), [['load (app/ship.py)', 2]]);
    assert.equal(await project.send(event), 'd'.repeat(32));
    assert.deepEqual(await listed(), [['load (app/ship.py)', 2]]);
    recount(server.platform);
  });

  it('uncounted events precede a later change of the status', async () => {
    const [error] = await project.errors();
    assert.ok(error);
    await project.send(errorEvent('load'));
    assert.equal(uncounted(), 1);
    changeErrorStatus(server.platform, error, { status: 'ignored', until: { kind: 'next_occurrence' } });
    assert.deepEqual(
      (await project.errors()).map(({ status, event_count: count }) => [status, count]),
      [['ignored', 2]],
    );
    await project.send(errorEvent('load'));
    assert.equal((await project.errors())[0]?.status, 'unresolved');
  });

  it('uncounted events are deleted with their project, and other events are still counted', async () => {
    const other = trackedProject(server);
    await other.send(errorEvent('sail'));
    for (const one of [project, other]) await one.send(errorEvent('load'));
    assert.equal(uncounted(), 3);
    server.platform.store.run('DELETE FROM projects WHERE id = $id', { id: project.id });
    assert.deepEqual((await other.errors()).map(({ culprit }) => culprit).toSorted(), [
      'load (app/ship.py)',
      'sail (app/ship.py)',
    ]);
    recount(server.platform);
  });

  it('errors show the latest event of a batch, and were first seen at the earliest', async () => {
    const now = server.platform.clock.now() / 1000;
    const at = (minutes: number, release: string): object =>
      errorEvent('load', { timestamp: now - 60 * minutes, release, level: release === 'c' ? 'fatal' : 'error' });
    await project.post('envelope', envelope({}, { event: at(20, 'b') }, { event: at(-0.5, 'c') }, { event: at(30, 'a') }));
    await project.send(at(10, 'd'));
    assert.equal(uncounted(), 4);
    const [error, ...others] = await project.errors();
    assert.deepEqual(others, []);
    assert.deepEqual([error?.first_release, error?.last_release, error?.level], ['a', 'c', 'fatal']);
    recount(server.platform);
  });

  it('events that cannot be counted are stored, and counted as soon as possible', async () => {
    const { store } = server.platform;
    store.run("CREATE TEMP TRIGGER broken BEFORE INSERT ON tracked_events BEGIN SELECT RAISE(ABORT, 'broken'); END");
    await Promise.all(Array.from({ length: 20 }, () => project.send(errorEvent('load'))));
    assert.deepEqual(await listed(), [['load (app/ship.py)', 1]]);
    assert.equal(uncounted(), 20);
    store.run('DROP TRIGGER broken');
    await untilCounted(server);
    assert.deepEqual(await listed(), [['load (app/ship.py)', 21]]);
    recount(server.platform);
  });
});

describe('events without readers', () => {
  it('events without readers are counted soon', async () => {
    await using server = await startTestServer();
    const project = trackedProject(server);
    await Promise.all(Array.from({ length: 30 }, (_, index) => project.send(errorEvent(`step${index % 3}`))));
    await untilCounted(server);
    const counts = 'SELECT event_count AS n FROM tracked_errors';
    assert.deepEqual(server.platform.store.all(counts), [{ n: 10 }, { n: 10 }, { n: 10 }]);
  });
});

describe('events left uncounted by a stopped server', () => {
  it('uncounted events are counted when the server starts again', async () => {
    using folders = temporaryFolder();
    const file = path.join(folders.path, 'copy.sqlite');
    await using first = await startTestServer({ countingPause: 3_600_000 });
    const project = trackedProject(first);
    for (const name of ['load', 'save', 'load']) await project.send(errorEvent(name));
    assert.equal(first.platform.store.all('SELECT id FROM tracked_inbox').length, 2);
    await first.platform.store.copyTo(file);

    await using second = await startTestServer({ file });
    assert.deepEqual(second.platform.store.all('SELECT culprit, event_count FROM tracked_errors ORDER BY id'), [
      { culprit: 'load (app/ship.py)', event_count: 2 },
      { culprit: 'save (app/ship.py)', event_count: 1 },
    ]);
    recount(second.platform);
  });
});

function uncountedOf({ platform }: TestServer): number {
  return platform.store.all('SELECT id FROM tracked_inbox').length;
}

async function untilCounted(server: TestServer): Promise<void> {
  await until(
    () => uncountedOf(server),
    (uncounted) => uncounted === 0,
    'every event is counted',
  );
}
