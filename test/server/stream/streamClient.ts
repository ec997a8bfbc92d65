import assert from 'node:assert/strict';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import type { TestServer } from '../../support/server.ts';

export interface StreamClient extends AsyncDisposable {
  /** Returns the next event, ignoring comments. */
  next(): Promise<EventSourceMessage>;
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
  return {
    next: async () => {
      const { value } = await reader.read();
      if (value === undefined) throw new Error('the stream has ended');
      return value;
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
