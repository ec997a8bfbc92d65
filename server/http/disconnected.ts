import type { IncomingMessage, ServerResponse } from 'node:http';

/** Time after which a client that neither sends nor receives anything is disconnected, in milliseconds. */
export const IDLE_LIMIT = 300_000;

/**
 * Returns a signal that is aborted if the client disconnects before it has received the response. A client that neither sends nor receives
 * anything for `idleLimit` milliseconds is disconnected.
 */
export function disconnectedSignal(request: IncomingMessage, response: ServerResponse, idleLimit: number): AbortSignal {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  // Node destroys the connection, because nothing else listens to its timeout. It removes the limit at the end of the response.
  response.setTimeout(idleLimit);
  return controller.signal;
}
