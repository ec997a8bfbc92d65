import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { disconnectedSignal } from '../../../server/http/disconnected.ts';

/** Starts a server that never responds, connects to it, and returns the signal of the request. */
async function openRequest(idleLimit: number): Promise<{ signal: AbortSignal; client: Socket; close: () => void }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requested = new Promise<AbortSignal>((resolve) => {
    server.once('request', (request, response) => resolve(disconnectedSignal(request, response, idleLimit)));
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n');
  const signal = await requested;
  const close = (): void => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { signal, client, close };
}

describe('the signal of a disconnected client', () => {
  it('is aborted when the client disconnects', async () => {
    const { signal, client, close } = await openRequest(60_000);
    assert.equal(signal.aborted, false);
    const aborted = once(signal, 'abort');
    client.destroy();
    await aborted;
    close();
  });

  it('is aborted when the client neither sends nor receives anything, and the client is disconnected', async () => {
    const { signal, client, close } = await openRequest(30);
    await Promise.all([once(signal, 'abort'), once(client, 'close')]);
    close();
  });
});
