import assert from 'node:assert/strict';
import type { EventSourceMessage } from 'eventsource-parser/stream';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { openStream, type StreamClient } from './streamClient.ts';

describe('the event stream', () => {
  let server: TestServer;
  let project: TrackedProject;
  // Each test has its own server, because one of them ends the stream of its server.
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
    // Events of the project's creation are published in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });
  afterEach(() => server.close());

  const listen = (who: Actor, lastId?: string): Promise<StreamClient> => openStream(server, who.token, lastId);
  const reported = ({ event, data }: EventSourceMessage): unknown => [event, JSON.parse(data)];

  it('the event stream sends new errors and activity to users with access', async () => {
    await using stream = await listen(project.owner);
    await project.send(errorEvent('load'));
    const [error] = await project.errors();
    assert.deepEqual(reported(await stream.next()), [
      'error',
      {
        project_id: project.id,
        fingerprint: error?.fingerprint,
        change: 'new',
        title: 'ValueError: cannot load',
        level: 'error',
        status: 'unresolved',
      },
    ]);
    createIssue(server.platform, found(project), project.owner.user, { title: 'Lamps' });
    assert.deepEqual(reported(await stream.next()), ['activity', { project_id: project.id }]);
  });

  it('the event stream names the error of further events, and the client key that was used, refused, created or deleted', async () => {
    await project.send(errorEvent('load'));
    const [error] = await project.errors();
    await using stream = await listen(project.owner);
    const counted = { project_id: project.id, fingerprint: error?.fingerprint };
    for (let count = 2; count <= 5; count += 1) {
      await project.send(errorEvent('load'));
      assert.deepEqual(await stream.nextOf('count'), counted);
      assert.equal((await project.errors())[0]?.event_count, count);
    }
    const keys = `/api/v4/projects/${project.id}/error_tracking/client_keys`;
    const [key] = (await server.request('GET', keys, { token: project.owner.token })).json() as { readonly id: number }[];
    const used = { project_id: project.id, key_id: key?.id };
    assert.deepEqual(await stream.nextOf('key'), used);
    assert.equal((await project.post('envelope', 'no envelope')).status, 400);
    assert.deepEqual(await stream.nextOf('key'), used);
    const { id } = createClientKey(server.platform, project.id);
    assert.deepEqual(await stream.nextOf('key'), { project_id: project.id, key_id: id });
    await server.request('DELETE', `${keys}/${id}`, { token: project.owner.token });
    assert.deepEqual(await stream.nextOf('key'), { project_id: project.id, key_id: id });
  });

  it('the event stream sends changes of errors made through the API or on pages', async () => {
    await project.send(errorEvent('load'));
    await project.send(errorEvent('save'));
    const [one, other] = await project.errors();
    assert.ok(one && other);
    const path = `/api/v4/projects/${project.id}/error_tracking/errors/${one.fingerprint}`;
    const rest = async (method: string, more: string, json: object): Promise<void> => {
      const response = await server.request(method, `${path}${more}`, { token: project.owner.token, json });
      assert.ok(response.status < 300, response.text);
    };
    const page = new PageClient(server);
    await page.signIn(project.owner.user.username);
    await using stream = await listen(project.owner);
    const next = async (): Promise<unknown> => {
      const { event, data } = await stream.next();
      const { fingerprint, change, status } = JSON.parse(data) as Readonly<Record<string, unknown>>;
      return [event, fingerprint, change, status];
    };
    await rest('PUT', '', { status: 'resolved' });
    // No change, so no event.
    await rest('PUT', '', { status: 'resolved' });
    assert.deepEqual(await next(), ['error', one.fingerprint, 'status', 'resolved']);
    const shown = await page.open(`/${project.path}/-/error_tracking/${one.fingerprint}/details`);
    await page.submit(shown, `/${project.path}/-/error_tracking/${one.fingerprint}/status`, { status: 'unresolved' });
    assert.deepEqual(await next(), ['error', one.fingerprint, 'status', 'unresolved']);
    await rest('POST', '/merge', { fingerprints: [other.fingerprint] });
    assert.deepEqual(await next(), ['error', one.fingerprint, 'merged', 'unresolved']);
    const hash = server.platform.store.get<{ readonly hash: Buffer }>(
      'SELECT hash FROM tracked_groupings WHERE project_id = $id AND event_count > 0 ORDER BY id DESC',
      { id: project.id },
    );
    await rest('POST', '/split', { hash: hash?.hash.toString('hex') });
    const [, fingerprint, ...change] = (await next()) as unknown[];
    assert.deepEqual(change, ['split', 'unresolved']);
    assert.ok((await project.errors()).some((error) => error.fingerprint === fingerprint));
  });

  it('the event stream sends nothing about hidden projects', async () => {
    const stranger = actor(server.platform, `stranger${project.id}`);
    const own = projectWith(server.platform, stranger, { name: `Own ${project.id}` });
    await new Promise((resolve) => setImmediate(resolve));
    await using stream = await listen(stranger);
    await project.send(errorEvent('load'));
    createIssue(server.platform, own, stranger.user, { title: 'Mine' });
    assert.deepEqual(reported(await stream.next()), ['activity', { project_id: own.project.id }]);
  });

  it('the event stream continues after Last-Event-ID, or sends a reset if it cannot', async () => {
    let last: string | undefined;
    {
      await using stream = await listen(project.owner);
      await project.send(errorEvent('first'));
      last = (await stream.next()).id;
    }
    await project.send(errorEvent('second'));
    await using again = await listen(project.owner, last);
    assert.match((await again.next()).data, /cannot second/);
    await using lost = await listen(project.owner, 'another-7');
    assert.equal((await lost.next()).event, 'reset');
  });

  it('the event stream ends when the server stops', async () => {
    await using stream = await listen(project.owner);
    server.platform.live.end();
    assert.deepEqual(await stream.untilEnd(), []);
  });

  for (const [name, status, headers] of [
    ['an anonymous request', 401, { Accept: 'text/event-stream' }],
    [
      'a page of another origin',
      403,
      { Accept: 'text/event-stream', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    ],
  ] as const) {
    it(`the event stream rejects ${name} with ${status}`, async () => {
      const response = await server.request('GET', '/_local/stream', { headers });
      assert.equal(response.status, status);
    });
  }

  it('the event stream rejects requests that do not accept server-sent events with 406', async () => {
    const response = await server.request('GET', '/_local/stream', { token: project.owner.token });
    assert.equal(response.status, 406);
  });

  function found(tracked: TrackedProject): ReturnType<typeof projectWith> {
    const seen = findProject(server.platform, tracked.id, tracked.owner);
    assert.ok(seen);
    return seen;
  }
});
