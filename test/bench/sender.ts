import { connect } from 'node:net';

/** Requests to a server: the same address and headers, with one body each. */
export interface Sending {
  readonly origin: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly Buffer[];
  readonly connections: number;
  /** Number of requests, cycling through the bodies; none is sent after `milliseconds`. */
  readonly requests: number;
  readonly milliseconds?: number;
}

/**
 * Sends requests on kept-alive connections, on each one after the response to the one before. The requests are composed in advance, so that
 * the server is measured and not the sender; the server always has as many requests to handle as there are connections. Returns the number
 * of responses with status 200.
 *
 * @throws Error for any other response.
 */
export async function send({ origin, target, headers, bodies, connections, requests, milliseconds }: Sending): Promise<number> {
  const { hostname, port, host } = new URL(origin);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const composed = bodies.map((body) =>
    Buffer.concat([Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`), body]),
  );
  const end = performance.now() + (milliseconds ?? Number.POSITIVE_INFINITY);
  let sent = 0;
  let succeeded = 0;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let received = '';
      const next = (): void => {
        const request = composed[sent % composed.length];
        if (sent >= requests || performance.now() >= end || request === undefined) {
          socket.end();
          resolve();
          return;
        }
        sent += 1;
        socket.write(request);
      };
      socket.setNoDelay(true).setEncoding('latin1').once('connect', next).once('error', reject);
      socket.once('close', () => reject(new Error('the server closed a connection')));
      socket.on('data', (data: string) => {
        received += data;
        const head = received.indexOf('\r\n\r\n');
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
        if (head === -1 || length === undefined || received.length < head + 4 + Number(length)) return;
        if (!received.startsWith('HTTP/1.1 200 ')) {
          reject(new Error(`unexpected response: ${received}`));
          socket.destroy();
          return;
        }
        succeeded += 1;
        received = '';
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return succeeded;
}
