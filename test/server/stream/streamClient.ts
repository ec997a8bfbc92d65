import assert from 'node:assert/strict';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import type { TestServer } from '../../support/server.ts';

export interface StreamClient extends AsyncDisposable {
  /** Returns the next event, ignoring comments, and further events of errors and uses of client keys, which arrive up to a second later. */
  next(): Promise<EventSourceMessage>;
  /** Returns the data of the next event of this name. */
  nextOf(event: string): Promise<unknown>;
  /** Returns all events up to the next one of this name. */
  untilNext(event: string): Promise<readonly EventSourceMessage[]>;
  /** Reads until the server ends the stream, and returns the events before the end. */
  untilEnd(): Promise<readonly EventSourceMessage[]>;
}

/** Opens `/_local/stream` with a token. */
export async function openStream(server: Pick<TestServer, 'origin'>, token: string, lastId?: string): Promise<StreamClient> {
  const controller = new AbortController();
  const response = await fetch(`${server.origin}/_local/stream`, {
    headers: {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
    },
    signal: controller.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  const nextWith = async (accept: (message: EventSourceMessage) => boolean): Promise<EventSourceMessage> => {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) throw new Error('the stream has ended');
      if (accept(value)) return value;
    }
  };
  return {
    next: () => nextWith(({ event }) => event !== 'count' && event !== 'key'),
    nextOf: async (wanted) => JSON.parse((await nextWith(({ event }) => event === wanted)).data) as unknown,
    untilNext: async (wanted) => {
      const events: EventSourceMessage[] = [];
      await nextWith((message) => {
        events.push(message);
        return message.event === wanted;
      });
      return events;
    },
    untilEnd: async () => {
      const events: EventSourceMessage[] = [];
      for (;;) {
        const { value } = await reader.read();
        if (value === undefined) return events;
        events.push(value);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await reader.cancel().catch(() => undefined);
      controller.abort();
    },
  };
}
