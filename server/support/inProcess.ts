import type { Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';

/** Properties of the far end of a connection that the server reads from its socket. */
export interface SocketAddresses {
  readonly remoteAddress?: string;
  readonly localAddress?: string;
  readonly localPort?: number;
}

/** Opens a connection to a server in this process, which need not listen. Returns the end of the client. */
export function connectTo(server: Server, addresses: SocketAddresses = {}): Duplex {
  const [near, far] = duplexPair();
  server.emit('connection', Object.assign(far, addresses));
  return near;
}
