import { connect } from 'node:net';

/** What is sent to a server: the same address and headers, and a body each time. */
export interface Sending {
  readonly origin: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly Buffer[];
  readonly connections: number;
  /** So many requests, with the bodies from the first one again and again; and none after so many milliseconds. */
  readonly requests: number;
  readonly milliseconds?: number;
}

/**
 * Sends requests on kept connections, on each one after the answer to the one before. They are composed beforehand, so that not the one who
 * sends is measured but the server, which always has as many before it as there are connections. Answers how many were answered 200; throws
 * for anything else.
 */
export async function send({ origin, target, headers, bodies, connections, requests, milliseconds }: Sending): Promise<number> {
  const { hostname, port, host } = new URL(origin);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const composed = bodies.map((body) =>
    Buffer.concat([Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`), body]),
  );
  const end = performance.now() + (milliseconds ?? Number.POSITIVE_INFINITY);
  let sent = 0;
  let answered = 0;
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
      socket.once('close', () => reject(new Error('the server has closed a connection')));
      socket.on('data', (data: string) => {
        received += data;
        const head = received.indexOf('\r\n\r\n');
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
        if (head === -1 || length === undefined || received.length < head + 4 + Number(length)) return;
        if (!received.startsWith('HTTP/1.1 200 ')) {
          reject(new Error(`a request was answered ${received}`));
          socket.destroy();
          return;
        }
        answered += 1;
        received = '';
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return answered;
}
