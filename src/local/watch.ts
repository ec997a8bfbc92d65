import net from 'node:net';

/**
 * Calls `onEnd` once, as soon as nothing listens at the origin any more. Keeps an idle connection open, which detects it immediately and
 * adds nothing to the request log of the server. Returns a function that ends the watch.
 */
export function watchServer(origin: string, onEnd: () => void): () => void {
  const { hostname, port } = new URL(origin);
  let socket: net.Socket | undefined;
  let isEnded = false;

  function connect(): void {
    if (isEnded) return;
    let isConnected = false;
    socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    // The socket must not keep the process running.
    socket.unref();
    socket.once('connect', () => {
      isConnected = true;
    });
    // Handled by the close event that follows.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (isEnded) return;
      // Servers close idle connections. If a new connection succeeds, the server is still running.
      if (isConnected) {
        connect();
        return;
      }
      isEnded = true;
      onEnd();
    });
    socket.resume();
  }

  connect();
  return () => {
    isEnded = true;
    socket?.destroy();
  };
}
