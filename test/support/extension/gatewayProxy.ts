import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What something between a client and a server does in place of the server. */
export type Interference =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** Cuts the connection, before the server gets the request or before the client gets the response. */
  | 'cut before'
  | 'cut after';

export interface GatewayProxy extends AsyncDisposable {
  readonly origin: string;
  /** Interferes with the next request that matches. */
  readonly interfere: (interference: Interference, matches: (method: string, path: string) => boolean) => void;
  /** Returns true if the interference has happened. */
  readonly hasInterfered: () => boolean;
}

/** Starts a proxy in front of a server, which passes everything on unless it has to interfere. */
export async function startGatewayProxy(target: string): Promise<GatewayProxy> {
  let next: { readonly interference: Interference; readonly matches: (method: string, path: string) => boolean } | undefined;
  const upstream = new URL(target);

  const server = createServer((request, response) => {
    const current = next?.matches(request.method ?? '', request.url ?? '') === true ? next.interference : undefined;
    if (current !== undefined) next = undefined;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (current === 'cut before') request.socket.destroy();
      else if (current === undefined || current === 'cut after')
        pass(request, Buffer.concat(chunks), response, current === 'cut after');
      else response.writeHead(current.status, current.headers).end(current.body);
    });
  });

  function pass(request: IncomingMessage, body: Buffer, response: ServerResponse, isCut: boolean): void {
    const headers = { ...request.headers, host: upstream.host };
    const options = {
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: request.url,
      headers,
      agent: false,
    };
    const passed = send(options, (received) => {
      const chunks: Buffer[] = [];
      received.on('data', (chunk: Buffer) => chunks.push(chunk));
      received.on('end', () => {
        if (isCut) request.socket.destroy();
        else response.writeHead(received.statusCode ?? 500, received.headers).end(Buffer.concat(chunks));
      });
    });
    passed.on('error', () => request.socket.destroy());
    passed.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    interfere: (interference, matches) => {
      next = { interference, matches };
    },
    hasInterfered: () => next === undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
