import assert from 'node:assert/strict';
import { createClient } from '../../../src/api/client.ts';
import { listen, type OpenedStream, type ServerEvent } from '../../../src/api/eventStream.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createLoopbackStream } from '../../../src/api/undici.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { errorEvent, trackedProject } from '../../server/errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Returns a queue whose `next` waits for the next value. */
function queue<T>(): { readonly push: (value: T) => void; readonly next: () => Promise<T> } {
  const values: T[] = [];
  let wake = (): void => undefined;
  return {
    push: (value) => {
      values.push(value);
      wake();
    },
    next: async () => {
      for (;;) {
        const [value] = values.splice(0, 1);
        if (value !== undefined) return value;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

describe('listening to the stream of the local server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('the stream listener receives new errors with a refreshed token, including those that occurred while it was disconnected', async () => {
    const project = trackedProject(server);
    const received = queue<string>();
    const abort = new AbortController();
    let streams = 0;
    let isOpen = true;
    const refused: string[] = [];
    const openStream = createLoopbackStream();
    const cuts: AbortController[] = [];
    const client = createClient({
      ...{ baseUrl: server.origin, send: sendByFetch, now: Date.now, sleep },
      openStream: (request, signal) => {
        streams += 1;
        const cut = new AbortController();
        cuts.push(cut);
        return openStream(request, AbortSignal.any([signal, cut.signal]));
      },
      credentials: {
        token: async () => 'spent',
        renewed: async (token) => {
          refused.push(token);
          return project.owner.token;
        },
      },
    });
    const pauses = queue<() => void>();
    const listening = listen(
      {
        open: (last, signal) => client.events('/_local/stream', last, signal),
        sleep: () =>
          new Promise((resolve) => {
            if (isOpen) pauses.push(resolve);
            else resolve();
          }),
        onOpen: () => received.push('opened'),
        onEvent: ({ event, data }: ServerEvent) => {
          // Uses of the key are reported up to a second later.
          if (event === 'error') received.push(`error ${String(Reflect.get(JSON.parse(data) as object, 'title'))}`);
        },
        report: () => undefined,
      },
      abort.signal,
    );
    assert.equal(await received.next(), 'opened');
    await project.send(errorEvent('load'));
    assert.equal(await received.next(), 'error ValueError: cannot load');
    cuts.at(-1)?.abort(new Error('cut'));
    const resume = await pauses.next();
    await project.send(errorEvent('store'));
    resume();
    assert.equal(await received.next(), 'error ValueError: cannot store');
    assert.deepEqual([refused.length, streams], [2, 4]);
    isOpen = false;
    abort.abort();
    await listening;
  });

  for (const [name, stream] of [
    ['an instance without a stream', async () => ({ status: 404, headers: new Map(), events: nothing() })],
    ['a client without streams', async () => undefined],
  ] as const satisfies readonly (readonly [string, () => Promise<OpenedStream | undefined>])[])
    it(`the stream listener tries ${name} once and reports nothing`, async () => {
      const reported: unknown[] = [];
      await listen(
        {
          open: stream,
          sleep,
          onOpen: () => reported.push('opened'),
          onEvent: () => reported.push('received'),
          report: (text) => reported.push(text),
        },
        new AbortController().signal,
      );
      assert.deepEqual(reported, []);
    });

  it('the stream is retried after increasing pauses, which start again after a successful connection', async () => {
    const abort = new AbortController();
    const pauses: number[] = [];
    let attempts = 0;
    await listen(
      {
        open: async () => {
          attempts += 1;
          return { status: attempts === 4 ? 200 : 503, headers: new Map(), events: nothing() };
        },
        sleep: async (milliseconds) => {
          pauses.push(milliseconds);
          if (pauses.length === 6) abort.abort();
        },
        onOpen: () => undefined,
        onEvent: () => undefined,
        report: () => undefined,
      },
      abort.signal,
    );
    assert.deepEqual(pauses, [500, 1_000, 2_000, 500, 1_000, 2_000]);
  });
});

async function* nothing(): AsyncGenerator<ServerEvent, void, undefined> {}
