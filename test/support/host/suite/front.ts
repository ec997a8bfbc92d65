// A proxy in front of a server, for instances that respond differently from the bundled server.
import http from 'node:http';
import { type RunningPlatform, startPlatform } from '../platform.ts';
import { listen } from './listen.ts';

/** Responds to a request itself and returns true, or returns false to let the server respond, once a promise is resolved. */
export type FrontHandler = (request: http.IncomingMessage, response: http.ServerResponse) => boolean | Promise<boolean>;

/** Starts a server with demo data that is only known by the address of its proxy. */
export async function startBehindFront(
  handle: FrontHandler,
  options: readonly string[] = [],
  folder?: string,
): Promise<RunningPlatform> {
  let inner = '';
  const front = http.createServer(async (request, response) => {
    if (await handle(request, response)) return;
    const { url, method, headers } = request;
    const onward = http.request(new URL(url ?? '/', inner), { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const origin = await listen(front);
  const server = await startPlatform('demo', ['--public-url', origin, ...options], folder);
  inner = server.origin;
  return {
    ...server,
    origin,
    label: new URL(origin).host,
    close: async () => {
      front.closeAllConnections();
      front.close();
      await server.close();
    },
  };
}
