import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createBodyBudget } from '../../../server/http/bodyBudget.ts';
import { receiveBody } from '../../../server/http/bodyReceiver.ts';
import { WireFailure } from '../../../server/http/wireFailure.ts';

describe('the body of a request', () => {
  it('is refused if it does not arrive in time', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const received = new Promise<Buffer>((resolve, reject) => {
      server.once('request', (request) => {
        receiveBody(request, 100, createBodyBudget().open(), 30).all().then(resolve, reject);
      });
    });
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab');
    await assert.rejects(received, (error) => error instanceof WireFailure && error.status === 408);
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
});
