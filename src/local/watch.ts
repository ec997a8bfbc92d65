import net from 'node:net';

/**
 * Calls `gone` once, as soon as nothing listens at the origin any more, by keeping a connection open on which nothing is said: so it is
 * known at once, and the server's journal holds no questions of ours. Returns what ends the watch.
 */
export function watchServer(origin: string, gone: () => void): () => void {
  const { hostname, port } = new URL(origin);
  let socket: net.Socket | undefined;
  let isEnded = false;

  function connect(): void {
    if (isEnded) return;
    let stood = false;
    socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    // The editor may end while this is open.
    socket.unref();
    socket.once('connect', () => {
      stood = true;
    });
    // The close that follows says what is to be done.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (isEnded) return;
      // A server closes connections that say nothing for long; one that takes a new connection is still there.
      if (stood) {
        connect();
        return;
      }
      isEnded = true;
      gone();
    });
    socket.resume();
  }

  connect();
  return () => {
    isEnded = true;
    socket?.destroy();
  };
}
