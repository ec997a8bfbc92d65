import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../../server/core/clock.ts';
import { changeErrorStatus } from '../../../../server/features/errorTracking/status/errorStatus.ts';
import { eventsOf } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { MAX_STORED_PAYLOADS } from '../../../../server/features/errorTracking/write/countInbox.ts';
import { ERRORS_AN_HOUR } from '../../../../server/features/errorTracking/write/writeEvents.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { recount } from './recount.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('the writer of tracked errors', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  const later = (milliseconds: number): void => server.platform.clock.advance(milliseconds);
  const reported = (): (() => readonly string[]) => {
    const kinds: string[] = [];
    server.platform.changes.subscribe(({ kind }) => {
      if (kind.startsWith('error') && kind !== 'errorCounted') kinds.push(kind);
    });
    return () => {
      server.platform.inbox.flush();
      return kinds;
    };
  };

  it('events of many senders at once are counted correctly', async () => {
    const pick = (index: number, of: number): number => (index * 7919) % of;
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        project.send(
          errorEvent(`step${pick(index, 5)}`, {
            release: `ship@1.${pick(index, 3)}.0`,
            environment: ['harbour', 'open sea'][pick(index, 2)],
            level: ['error', 'warning'][pick(index, 2)],
            user: { id: pick(index, 11) },
          }),
        ),
      ),
    );
    const errors = await project.errors();
    assert.equal(errors.length, 5);
    assert.equal(
      errors.reduce((sum, { event_count: count }) => sum + count, 0),
      300,
    );
    recount(server.platform);
  });

  it('only the payloads of the latest events are stored, and the rows of all events', async () => {
    for (let round = 0; round < 6; round += 1) {
      await project.post('envelope', envelope({}, ...Array.from({ length: 50 }, () => ({ event: errorEvent('load') }))));
    }
    const [error] = await project.errors();
    assert.ok(error);
    const stored = eventsOf(server.platform, error, { limit: 1000, withPayload: true });
    assert.equal(eventsOf(server.platform, error, { limit: 1000 }).length, 300);
    assert.equal(stored.length, MAX_STORED_PAYLOADS);
    assert.deepEqual(stored, eventsOf(server.platform, error, { limit: MAX_STORED_PAYLOADS }));
    recount(server.platform);
  });

  it('an error shows the latest event and was first seen at the oldest, in any order of receipt', async () => {
    const at = (minutes: number): number => server.platform.clock.now() / 1000 - 60 * minutes;
    await project.send(errorEvent('load', { timestamp: at(20), release: 'b', level: 'warning' }));
    await project.send(errorEvent('load', { timestamp: at(10), release: 'c', level: 'fatal' }));
    await project.send(errorEvent('load', { timestamp: at(30), release: 'a', level: 'error' }));
    const [error] = await project.errors();
    assert.deepEqual([error?.first_release, error?.last_release, error?.level], ['a', 'c', 'fatal']);
  });

  it('tracked events are removed 90 days after they were received, and the error with its last event', async () => {
    await project.send(errorEvent('load', { user: { id: 1 }, release: 'a' }));
    await project.send(errorEvent('save', { user: { id: 1 }, release: 'a' }));
    later(50 * DAY);
    await project.send(errorEvent('load', { user: { id: 2 }, release: 'b' }));
    later(41 * DAY);
    assert.deepEqual(
      (await project.errors()).map(({ culprit, event_count: events, user_count: users }) => ({ culprit, events, users })),
      [{ culprit: 'load (app/ship.py)', events: 1, users: 1 }],
    );
    recount(server.platform);
    later(50 * DAY);
    assert.deepEqual(await project.errors(), []);
    assert.equal(server.platform.store.all('SELECT * FROM tracked_search').length, 0);
  });

  it('at most a thousand errors per project and hour are created; further events are collected in one error', async () => {
    for (let sent = 0; sent < ERRORS_AN_HOUR + 20; sent += 102) {
      const events = Array.from({ length: 102 }, (_, index) => ({ event: errorEvent(`step${sent + index}`) }));
      await project.post('envelope', envelope({}, ...events));
    }
    const { store, inbox } = server.platform;
    inbox.flush();
    const [overflow, ...others] = store.all<{ readonly title: string; readonly event_count: number }>(
      'SELECT title, event_count FROM tracked_errors WHERE is_overflow = 1',
    );
    assert.deepEqual([overflow?.title, overflow?.event_count, others], ['Too many different errors', 20, []]);
    recount(server.platform);
    later(2 * HOUR);
    await project.send(errorEvent('one more'));
    assert.equal((await project.errors())[0]?.culprit, 'one more (app/ship.py)');
  });

  it('an error is announced once, and again if it recurs in a newer release, but not in an older one', async () => {
    const kinds = reported();
    await project.send(errorEvent('load', { release: 'ship@1.1.0' }));
    await project.send(errorEvent('load', { release: 'ship@1.1.0' }));
    assert.deepEqual(kinds(), ['errorAppeared']);
    const [error] = await project.errors();
    assert.ok(error);
    changeErrorStatus(server.platform, error, { status: 'resolved_in_next_release' });
    later(HOUR);
    await project.send(errorEvent('load', { release: 'ship@1.0.0' }));
    assert.equal((await project.errors())[0]?.status, 'resolved_in_next_release');
    await project.send(errorEvent('load', { release: 'ship@1.2.0' }));
    const [after] = await project.errors();
    assert.deepEqual([after?.status, after?.is_regression], ['unresolved', 1]);
    assert.deepEqual(kinds(), ['errorAppeared', 'errorStatusChanged', 'errorRegressed']);
  });

  it('events since an error was ignored are counted correctly after older ones are deleted', async () => {
    for (let index = 0; index < 5; index += 1) await project.send(errorEvent('load'));
    later(80 * DAY);
    await project.send(errorEvent('load'));
    const [error] = await project.errors();
    assert.ok(error);
    changeErrorStatus(server.platform, error, { status: 'ignored', until: { kind: 'occurrences', count: 2 } });
    later(15 * DAY);
    await project.send(errorEvent('load'));
    assert.deepEqual(
      (await project.errors()).map(({ status, event_count: count }) => [status, count]),
      [['ignored', 2]],
    );
    await project.send(errorEvent('load'));
    assert.equal((await project.errors())[0]?.status, 'unresolved');
  });

  it('an ignored error is announced only after the given number of events', async () => {
    const kinds = reported();
    await project.send(errorEvent('load'));
    const [error] = await project.errors();
    assert.ok(error);
    changeErrorStatus(server.platform, error, { status: 'ignored', until: { kind: 'occurrences', count: 3 } });
    await project.send(errorEvent('load'));
    await project.send(errorEvent('load'));
    assert.deepEqual(kinds(), ['errorAppeared', 'errorStatusChanged']);
    await project.post('envelope', envelope({}, { event: errorEvent('load') }, { event: errorEvent('load') }));
    assert.deepEqual(kinds(), ['errorAppeared', 'errorStatusChanged', 'errorEscalated']);
    assert.equal((await project.errors())[0]?.status, 'unresolved');
  });
});
