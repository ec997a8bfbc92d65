import assert from 'node:assert/strict';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { findProject } from '../../server/projects/projects.ts';
import { createIssue } from '../../server/issues/issues.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

interface Listening extends AsyncDisposable {
  /** The next event; comments are none. */
  next(): Promise<EventSourceMessage>;
  /** Whether the server has ended it. */
  ended(): Promise<boolean>;
}

describe('the stream of what happens', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    project = trackedProject(server);
    // What making it amounts to is told at the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });
  after(() => server.close());

  const listen = async (who: Actor, lastId?: string): Promise<Listening> => {
    const controller = new AbortController();
    const answer = await fetch(`${server.origin}/_local/stream`, {
      headers: {
        Accept: 'text/event-stream',
        Authorization: `Bearer ${who.token}`,
        ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
      },
      signal: controller.signal,
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    assert.ok(answer.body);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
    return {
      next: async () => {
        const { value } = await reader.read();
        if (value === undefined) throw new Error('the stream has ended');
        return value;
      },
      ended: async () => (await reader.read()).done,
      [Symbol.asyncDispose]: async () => {
        await reader.cancel().catch(() => undefined);
        controller.abort();
      },
    };
  };
  const told = ({ event, data }: EventSourceMessage): unknown => [event, JSON.parse(data)];

  it('tells of errors that appear, and of activity, to whoever may see them', async () => {
    await using stream = await listen(project.owner);
    await project.send(errorEvent('load'));
    const [error] = await project.errors();
    assert.deepEqual(told(await stream.next()), [
      'error',
      {
        project_id: project.id,
        fingerprint: error?.fingerprint,
        change: 'new',
        title: 'ValueError: cannot load',
        level: 'error',
      },
    ]);
    createIssue(server.platform, found(project), project.owner.user, { title: 'Lamps' });
    assert.deepEqual(told(await stream.next()), ['activity', { project_id: project.id }]);
  });

  it('tells nothing of projects that are not seen', async () => {
    const stranger = actor(server.platform, `stranger${project.id}`);
    const own = projectWith(server.platform, stranger, { name: `Own ${project.id}` });
    await new Promise((resolve) => setImmediate(resolve));
    await using stream = await listen(stranger);
    await project.send(errorEvent('load'));
    createIssue(server.platform, own, stranger.user, { title: 'Mine' });
    assert.deepEqual(told(await stream.next()), ['activity', { project_id: own.project.id }]);
  });

  it('goes on behind Last-Event-ID, and says when it cannot', async () => {
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

  it('ends with the server', async () => {
    await using stream = await listen(project.owner);
    server.platform.live.end();
    assert.equal(await stream.ended(), true);
  });

  for (const [name, status, headers] of [
    ['nobody', 401, { Accept: 'text/event-stream' }],
    [
      'a page of another site',
      403,
      { Accept: 'text/event-stream', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    ],
  ] as const) {
    it(`refuses ${name} with ${status}`, async () => {
      const { status: answered } = await server.request('GET', '/_local/stream', { headers });
      assert.equal(answered, status);
    });
  }

  it('refuses whoever does not ask for server-sent events with 406', async () => {
    const answer = await server.request('GET', '/_local/stream', { token: project.owner.token });
    assert.equal(answer.status, 406);
  });

  function found(tracked: TrackedProject): ReturnType<typeof projectWith> {
    const seen = findProject(server.platform, tracked.id, tracked.owner);
    assert.ok(seen);
    return seen;
  }
});
