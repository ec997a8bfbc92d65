import assert from 'node:assert/strict';
import fc from 'fast-check';
import { groupingOf } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { appendReports, type Report, writeReports } from '../../../../server/features/errorTracking/write/writeEvents.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { recount } from './recount.ts';
import { trackedProject } from '../senders.ts';
import { frameAt, trackedEvent, trackedException } from '../trackedEvents.ts';

describe('a batch of events in the inbox', () => {
  let server: TestServer;
  let projectIds: readonly [number, number];
  beforeEach(async () => {
    server = await startTestServer();
    projectIds = [trackedProject(server).id, trackedProject(server).id];
  });
  afterEach(() => server.close());

  const report = (project: number, id: number, kind: number, release: number): Report => {
    const event = trackedEvent({
      id: (id + 1).toString(16).padStart(32, '0'),
      occurredAt: 1_000_000 + kind,
      appRelease: release === 0 ? undefined : `ship@1.${release}.0`,
      exceptions: [trackedException('OSError', `no wind ${id}`, [frameAt(`app/ship.py step${'abcdef'[kind]}:10`)])],
    });
    const projectId = projectIds[project] ?? 0;
    const payload = { encoding: 'identity', form: 'store', ordinal: 0, bytes: Buffer.from('{}') } as const;
    return {
      projectId,
      event,
      grouping: groupingOf(event, projectId, true),
      userHash: undefined,
      receivedAt: 1_000_000,
      payload,
    };
  };
  const reports = fc.array(fc.record({ project: fc.nat(1), id: fc.nat(60), kind: fc.nat(5), release: fc.nat(2) }), {
    maxLength: 45,
  });

  it('a batch of any size stores each event of a project once, also if some were counted or sent before', () => {
    const { store } = server.platform;
    fc.assert(
      fc.property(reports, reports, reports, (counted, earlier, sent) => {
        for (const table of ['tracked_inbox', 'tracked_errors', 'tracked_events']) store.run(`DELETE FROM ${table}`);
        const taken = new Set<string>();
        const expected = (batch: typeof sent): boolean[] =>
          batch.map(({ project, id }) => !taken.has(`${project} ${id}`) && taken.add(`${project} ${id}`) !== undefined);
        const made = (batch: typeof sent): Report[] =>
          batch.map(({ project, id, kind, release }) => report(project, id, kind, release));
        store.transaction(() => {
          assert.deepEqual(
            writeReports(store, made(counted), () => {}),
            expected(counted),
          );
          assert.deepEqual(appendReports(store, made(earlier)), expected(earlier));
          assert.deepEqual(appendReports(store, made(sent)), expected(sent));
        });
        // Exactly one event per error in the batch sets the shown data of the error.
        recount(server.platform);
        const rows = store.get<{ readonly count: number }>('SELECT COUNT(*) AS count FROM tracked_events');
        assert.equal(rows?.count, taken.size);
      }),
      { numRuns: 60 },
    );
  });

  it('no release is created for a duplicate event', () => {
    const { store } = server.platform;
    const write = (release: number): boolean[] => store.transaction(() => appendReports(store, [report(0, 1, 0, release)]));
    assert.deepEqual(write(1), [true]);
    assert.deepEqual(write(2), [false]);
    assert.deepEqual(store.all('SELECT version FROM app_releases'), [{ version: 'ship@1.1.0' }]);
  });

  it('an error shows the latest stored event, if a later one is a duplicate', () => {
    const { store } = server.platform;
    const first = report(0, 1, 0, 0);
    store.transaction(() => writeReports(store, [first], () => {}));
    const later = { ...first, event: { ...first.event, occurredAt: 3_000_000 } };
    const between = report(0, 2, 0, 0);
    store.transaction(() => appendReports(store, [between, later]));
    recount(server.platform);
    assert.deepEqual(store.all('SELECT title, last_seen_at AS at FROM tracked_errors'), [
      { title: 'OSError: no wind 2', at: 1_000_000 },
    ]);
  });
});
