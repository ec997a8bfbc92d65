import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { recount } from './recount.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('the writer of tracked errors with duplicates or a full disk', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  const counted = async (): Promise<(readonly [string, number])[]> =>
    (await project.errors()).map(({ culprit, event_count: count }) => [culprit, count] as const);

  it('an event sent by several senders at once counts once, and each gets its ID', async () => {
    const event = errorEvent('load', { event_id: 'a'.repeat(32), user: { id: 1 } });
    const ids = await Promise.all(Array.from({ length: 20 }, () => project.send(event)));
    assert.deepEqual(new Set(ids), new Set(['a'.repeat(32)]));
    assert.deepEqual(await counted(), [['load (app/ship.py)', 1]]);
    recount(server.platform);
  });

  it('an event ID sent at once with different failures counts once', async () => {
    const id = 'b'.repeat(32);
    await Promise.all([
      project.send(errorEvent('load', { event_id: id })),
      project.send(errorEvent('save', { event_id: id })),
      project.send(errorEvent('load')),
    ]);
    const errors = await counted();
    assert.equal(
      errors.reduce((sum, [, count]) => sum + count, 0),
      2,
      JSON.stringify(errors),
    );
    recount(server.platform);
  });

  it('events of one envelope with the same ID count once', async () => {
    const twice = errorEvent('load', { event_id: 'c'.repeat(32) });
    const response = await project.post(
      'envelope',
      envelope({}, { event: twice }, { event: twice }, { event: errorEvent('save') }),
    );
    assert.equal(response.status, 200);
    assert.deepEqual(
      (await counted()).toSorted(([one], [other]) => one.localeCompare(other)),
      [
        ['load (app/ship.py)', 1],
        ['save (app/ship.py)', 1],
      ],
    );
    recount(server.platform);
  });

  it('ingestion responds with 503 if the database is full, stores nothing, and accepts events again when there is room', async () => {
    const { store } = server.platform;
    const pages = (most: number): void => {
      store.get(`PRAGMA max_page_count = ${most}`);
    };
    await project.send(errorEvent('load'));
    const usual = store.get<{ readonly max_page_count: number }>('PRAGMA max_page_count')?.max_page_count ?? 0;
    pages(1);
    // Random letters, which are not compressible.
    const large = (): object =>
      errorEvent('load', { extra: { noise: Array.from({ length: 20_000 }, () => Math.random().toString(36)[2]).join('') } });
    const refused: { readonly id: unknown; readonly status: number }[] = [];
    for (let sent = 0; sent < 200 && refused.length === 0; sent += 1) {
      const responses = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const event = large();
          const { status, headers, text } = await project.post('envelope', envelope({}, { event }));
          if (status === 503) assert.match(`${headers.get('X-Sentry-Error')} ${text}`, /the database is full/);
          else assert.equal(status, 200, text);
          return { id: 'event_id' in event ? event.event_id : undefined, status };
        }),
      );
      refused.push(...responses.filter(({ status }) => status === 503));
    }
    assert.ok(refused.length > 0);
    const ids = new Set(
      store
        .all<{ readonly id: string }>(
          'SELECT lower(hex(event_id)) AS id FROM tracked_events UNION SELECT lower(hex(event_id)) FROM tracked_inbox',
        )
        .map(({ id }) => id),
    );
    assert.deepEqual(
      refused.filter(({ id }) => ids.has(String(id))),
      [],
    );
    assert.equal((await counted()).length, 1);
    const { status } = await server.request('GET', `/api/v4/projects/${project.id}`, { token: project.owner.token });
    assert.equal(status, 200);
    pages(usual);
    await project.send(large());
    assert.equal((await counted())[0]?.[1], ids.size + 1);
    recount(server.platform);
  });
});
