import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Log } from '../core/log.ts';

/** Time for completely received requests to get a response after the stop was requested, in milliseconds. */
const GRACE = 8_000;
/** Time for clients to send the rest of a request that they have begun, in milliseconds. */
const INGEST_GRACE = 1_000;
/** Maximum number of connections in the backlog of the operating system: the default of `listen`. */
const MAX_BACKLOG = 511;
/** Turns of the event loop without a new connection after which the backlog counts as empty. */
const QUIET_TURNS = 2;

/** Connections and requests of a server, so that it can stop without losing a request that has arrived. */
export interface Connections {
  /**
   * Stops accepting connections, responds to every request that has arrived, closes idle connections, and resolves when the last connection
   * is closed. Requests that take longer than the grace period are aborted.
   */
  drain(log: Log): Promise<void>;
  /** Stops listening and closes every connection immediately. */
  abort(): void;
}

/** Must be called before the server listens. */
export function followConnections(server: Server): Connections {
  /** Pending responses of each open connection, in the order of their requests. */
  const pending = new Map<Socket, ServerResponse[]>();
  let accepted = 0;
  let isDraining = false;
  /** True once everything received has been read. Before that, a connection that looks idle may have an unread request. */
  let isEverythingRead = false;

  /** Announces the end of the connection, so that clients do not send another request on it. */
  const announceClose = (responses: readonly ServerResponse[] | undefined): void => {
    for (const [index, response] of responses?.entries() ?? []) {
      if (response.headersSent) continue;
      // Node closes a connection after the response with this header, even if a pipelined request is waiting.
      if (index === (responses?.length ?? 0) - 1) response.setHeader('Connection', 'close');
      else response.removeHeader('Connection');
    }
  };
  const closeIdle = (): void => {
    // Node does not count connections without any received data as idle.
    for (const socket of pending.keys()) if (socket.bytesRead === 0) socket.destroy();
    // Node counts a connection as idle although the last bytes of its response may not have reached the operating system.
    const isSending = [...pending.values()].some((responses) => responses.some((response) => response.writableEnded));
    if (!isSending) server.closeIdleConnections();
  };

  server.on('connection', (socket) => {
    accepted += 1;
    pending.set(socket, []);
    socket.once('close', () => pending.delete(socket));
  });
  server.prependListener('request', (request, response) => {
    const responses = pending.get(request.socket) ?? [];
    responses.push(response);
    if (isDraining) announceClose(responses);
    response.once('close', () => {
      responses.splice(responses.indexOf(response), 1);
      // A response whose headers were sent before the stop could not announce it.
      if (isEverythingRead) setImmediate(closeIdle);
    });
  });

  /** Resolves when every connection of the backlog has been accepted, and the data received on it has been read. */
  const acceptBacklog = async (): Promise<void> => {
    let waited = 0;
    for (let quiet = 0; quiet < QUIET_TURNS && waited < MAX_BACKLOG; ) {
      const before = accepted;
      await new Promise((resolve) => setImmediate(resolve));
      const isQuiet = accepted === before;
      quiet = isQuiet ? quiet + 1 : 0;
      if (!isQuiet) waited += 1;
    }
  };

  const abortConnections = (log: Log, sockets: readonly Socket[], reason: string): void => {
    if (sockets.length === 0) return;
    log.warn(`aborted ${sockets.length} ${sockets.length === 1 ? 'connection' : 'connections'}: ${reason}`);
    for (const socket of sockets) socket.destroy();
  };

  return {
    drain: async (log) => {
      isDraining = true;
      for (const responses of pending.values()) announceClose(responses);
      await acceptBacklog();
      // `server.close` of node:http also closes idle connections, which may have been accepted only now.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      // Data of the connection accepted last is read in the next turns.
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      isEverythingRead = true;
      closeIdle();
      const ingestTimer = setTimeout(() => {
        const unread = [...pending]
          .filter(
            ([, responses]) =>
              responses.length === 0 || responses.some(({ req }) => !req.complete && req.readableFlowing === true),
          )
          .map(([socket]) => socket);
        abortConnections(log, unread, `requests did not arrive completely within ${INGEST_GRACE / 1000} s`);
      }, INGEST_GRACE);
      const graceTimer = setTimeout(() => {
        abortConnections(log, [...pending.keys()], `requests took longer than ${GRACE / 1000} s`);
      }, GRACE);
      await closed;
      clearTimeout(ingestTimer);
      clearTimeout(graceTimer);
    },
    abort: () => {
      server.close();
      server.closeAllConnections();
      for (const socket of pending.keys()) socket.destroy();
    },
  };
}
