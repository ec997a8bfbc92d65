import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Log } from '../log.ts';

/** Milliseconds that requests which have arrived completely have to be answered after the server was asked to stop. */
const GRACE = 8_000;
/** Milliseconds that clients have to send the rest of a request that they have begun. */
const INGEST_GRACE = 1_000;
/** Connections that the system may have accepted for us before we were asked to stop: the default backlog of `listen`. */
const MAX_BACKLOG = 511;
/** Turns of the event loop without a new connection after which nobody is left in the backlog. */
const QUIET_TURNS = 2;

/** Follows the connections and requests of a server, so that it can be stopped without losing a request that has arrived. */
export interface Connections {
  /**
   * Stops accepting connections, answers every request that has arrived, closes connections as they become idle, and resolves when the last
   * one is closed. Requests that take longer than the grace period are cut off.
   */
  drain(log: Log): Promise<void>;
  /** Stops listening and closes every connection, whatever is under way. */
  abort(): void;
}

/** To be called before the server listens. */
export function followConnections(server: Server): Connections {
  /** Unanswered requests of each open connection, in the order in which they came. */
  const pending = new Map<Socket, ServerResponse[]>();
  let accepted = 0;
  let isDraining = false;
  /** Before that, a connection that looks idle may have a request that was not read yet. */
  let isEveryoneRead = false;

  /** Clients that are told in time do not send another request into a connection that is about to be closed. */
  const announceClose = (responses: readonly ServerResponse[] | undefined): void => {
    for (const [index, response] of responses?.entries() ?? []) {
      if (response.headersSent) continue;
      // Node ends a connection behind the response that says so, also where a pipelined request waits behind it.
      if (index === (responses?.length ?? 0) - 1) response.setHeader('Connection', 'close');
      else response.removeHeader('Connection');
    }
  };
  const closeIdle = (): void => {
    // Connections on which nothing was ever received are not among those that Node calls idle.
    for (const socket of pending.keys()) if (socket.bytesRead === 0) socket.destroy();
    // Node also takes those for idle that have a response to send of which the last bytes are not with the system yet.
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
      // A response whose head was sent before the stop could not announce it.
      if (isEveryoneRead) setImmediate(closeIdle);
    });
  });

  /** Resolves when everybody who was connected at the call has been accepted, and what they had sent by then has been read. */
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

  const cutOff = (log: Log, sockets: readonly Socket[], reason: string): void => {
    if (sockets.length === 0) return;
    log.warn(`${sockets.length} ${sockets.length === 1 ? 'connection is' : 'connections are'} cut off: ${reason}`);
    for (const socket of sockets) socket.destroy();
  };

  return {
    drain: async (log) => {
      isDraining = true;
      for (const responses of pending.values()) announceClose(responses);
      await acceptBacklog();
      // `server.close` of node:http also closes idle connections, which may have been accepted a moment ago.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      // Whoever was accepted last is read in the next turns.
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      isEveryoneRead = true;
      closeIdle();
      const impatience = setTimeout(() => {
        const unread = [...pending]
          .filter(
            ([, responses]) =>
              responses.length === 0 || responses.some(({ req }) => !req.complete && req.readableFlowing === true),
          )
          .map(([socket]) => socket);
        cutOff(log, unread, `their requests did not arrive completely within ${INGEST_GRACE / 1000} s`);
      }, INGEST_GRACE);
      const end = setTimeout(() => {
        cutOff(log, [...pending.keys()], `their requests could not be answered within ${GRACE / 1000} s`);
      }, GRACE);
      await closed;
      clearTimeout(impatience);
      clearTimeout(end);
    },
    abort: () => {
      server.close();
      server.closeAllConnections();
      for (const socket of pending.keys()) socket.destroy();
    },
  };
}
