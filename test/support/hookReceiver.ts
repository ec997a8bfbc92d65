import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { insertDelivery, insertPayload, writeResult } from '../../server/features/hooks/deliveryStore.ts';
import type { Platform } from '../../server/platform.ts';

/** A request of a hook as a receiver got it. */
export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A receiver of hooks on this machine. */
export interface HookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedHook[];
  /** Resolves to the requests when there are at least so many. */
  next(count: number): Promise<readonly ReceivedHook[]>;
  close(): Promise<void>;
}

export interface HookReceiverOptions {
  readonly at?: number;
  /** Responds to a request; by default with 200. Without a response, the sender waits. */
  readonly respond?: (response: ServerResponse, request: IncomingMessage) => void;
  /** True if the process can end while the receiver listens. */
  readonly isShared?: boolean;
}

const accept = (response: ServerResponse): void => {
  response.end('received');
};

export async function startHookReceiver({
  at = 0,
  respond = accept,
  isShared = false,
}: HookReceiverOptions = {}): Promise<HookReceiver> {
  const received: ReceivedHook[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) as ReceivedHook['body'] });
      respond(response, request);
      for (const check of [...waiting]) check();
    });
  });
  if (isShared) server.unref();
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    next: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve(received.slice());
        };
        waiting.add(check);
        check();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Stores a delivery that a receiver has accepted. Returns its ID. */
export function addSentDelivery({ store, clock }: Platform, hookId: number, url: string): number {
  const now = clock.now();
  const id = insertDelivery(store, {
    hook_id: hookId,
    event: 'issues_events',
    event_uuid: randomUUID(),
    idempotency_key: randomUUID(),
    payload_id: insertPayload(store, { project_id: null, payload: JSON.stringify({ object_kind: 'issue' }), completion: null }),
    created_at: now,
  });
  const result = {
    url,
    request_headers: JSON.stringify({ 'Content-Type': 'application/json' }),
    response_status: '200',
    response_headers: JSON.stringify({ Connection: 'close' }),
    response_body: 'received',
    execution_duration: 0.004,
  };
  writeResult(store, id, result, now);
  return id;
}
