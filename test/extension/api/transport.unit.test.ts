import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createTransport, isLoopback, type Send, TransportFailure } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { json, networkWithResponses } from '../../support/extension/fakes.ts';

const dispatcherSlots = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

describe('the transport of the API client', () => {
  let server: http.Server;
  let origin: string;
  let handle: http.RequestListener;

  beforeEach(async () => {
    server = http.createServer((request, response) => handle(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const ways: readonly (readonly [string, () => Send])[] = [
    ['by fetch', () => sendByFetch],
    ['by the loopback agent', createLoopbackSend],
  ];
  for (const [way, make] of ways) {
    describe(way, () => {
      const transport = (timeout = 5_000): Send =>
        createTransport({ userAgent: 'Signalbox/1', timeout, loadLoopback: async () => make(), sendByHost: make() });

      it('the transport sends method, headers and body, and returns status, headers and body', async () => {
        handle = async (request, response) => {
          let body = '';
          for await (const chunk of request) body += String(chunk);
          response.writeHead(201, { 'X-Request-Id': 'req-1', Link: ['<a>; rel="next"', '<b>; rel="last"'] });
          response.end(
            `${request.method} ${request.url} ${request.headers['user-agent']} ${request.headers['x-one']} ${body} čšž`,
          );
        };
        const received = await transport()({
          method: 'POST',
          url: `${origin}/a%2Fb?c=%2B`,
          headers: { 'x-one': '1' },
          body: 'ž=1',
        });
        assert.equal(received.status, 201);
        assert.equal(received.headers.get('x-request-id'), 'req-1');
        assert.equal(received.headers.get('link'), '<a>; rel="next", <b>; rel="last"');
        assert.equal(received.body, 'POST /a%2Fb?c=%2B Signalbox/1 1 ž=1 čšž');
      });

      it('the transport returns redirects without following them', async () => {
        handle = (_, response) => response.writeHead(301, { location: '/elsewhere' }).end();
        const received = await transport()({ method: 'GET', url: `${origin}/`, headers: {} });
        assert.deepEqual([received.status, received.headers.get('location')], [301, '/elsewhere']);
      });

      it('the transport times out when no response arrives', async () => {
        handle = () => undefined;
        await assert.rejects(
          transport(50)({ method: 'GET', url: `${origin}/`, headers: {} }),
          (thrown) =>
            thrown instanceof TransportFailure && thrown.kind === 'timedOut' && thrown.message.includes('did not respond within'),
        );
      });

      it('the transport times out when a response does not end', async () => {
        handle = (_, response) => void response.write('{');
        await assert.rejects(
          transport(50)({ method: 'GET', url: `${origin}/`, headers: {} }),
          (thrown) => thrown instanceof TransportFailure && thrown.kind === 'timedOut',
        );
      });

      it('the transport distinguishes an interrupted connection from an unreachable server', async () => {
        handle = (request) => request.socket.destroy();
        await assert.rejects(
          transport()({ method: 'GET', url: `${origin}/`, headers: {} }),
          (thrown) => thrown instanceof TransportFailure && thrown.kind === 'interrupted',
        );
        const unused = http.createServer();
        unused.listen(0, '127.0.0.1');
        await once(unused, 'listening');
        const { port } = unused.address() as AddressInfo;
        unused.close();
        await once(unused, 'close');
        await assert.rejects(
          transport()({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }),
          (thrown) =>
            thrown instanceof TransportFailure &&
            thrown.kind === 'unreachable' &&
            thrown.message.includes('connection was refused'),
        );
      });

      it('the transport can be aborted, with the reason of the caller', async () => {
        handle = () => undefined;
        const caller = new AbortController();
        const sending = transport()({ method: 'GET', url: `${origin}/`, headers: {} }, caller.signal);
        caller.abort(new Error('enough'));
        await assert.rejects(sending, /^Error: enough$/);
      });

      it('the transport limits the size of a response', async () => {
        const chunk = 'x'.repeat(1024 * 1024);
        handle = (_, response) => {
          const more = (): void => {
            while (!response.destroyed && response.write(chunk));
          };
          response.on('drain', more);
          more();
        };
        await assert.rejects(
          transport()({ method: 'GET', url: `${origin}/`, headers: {} }),
          (thrown) => thrown instanceof TransportFailure && thrown.kind === 'tooLarge',
        );
      });
    });
  }

  it('the transport does not change the dispatcher of the global fetch', async () => {
    handle = (_, response) => response.end('ok');
    await fetch(`${origin}/`);
    const slots = (): unknown[] => dispatcherSlots.map((slot): unknown => Reflect.get(globalThis, slot));
    const before = slots();
    assert.ok(before.some((slot) => slot !== undefined));
    await createLoopbackSend()({ method: 'GET', url: `${origin}/`, headers: {} });
    for (const [index, slot] of slots().entries()) assert.equal(slot, before[index]);
  });

  it('the transport uses the agent for this machine and fetch for every other host, and loads the agent once', async () => {
    const near = networkWithResponses(json(200, 'near'), json(200, 'near'));
    const far = networkWithResponses(json(200, 'far'));
    let loads = 0;
    const send = createTransport({
      userAgent: 'Signalbox/1',
      timeout: 1_000,
      loadLoopback: async () => {
        loads += 1;
        return near.send;
      },
      sendByHost: far.send,
    });
    const bodyOf = async (url: string): Promise<string> => (await send({ method: 'GET', url, headers: {} })).body;
    assert.deepEqual(
      [await bodyOf('http://127.0.0.1:1/'), await bodyOf('https://gitlab.example.com/'), await bodyOf('http://localhost:1/')],
      ['"near"', '"far"', '"near"'],
    );
    assert.equal(loads, 1);
  });
});

describe('loopback addresses', () => {
  for (const url of [
    'http://127.0.0.1:80/',
    'http://127.9.9.9/',
    'http://[::1]:3000/x',
    'http://localhost/',
    'http://app.localhost:1/',
    'http://localhost.:1/',
    'http://[::ffff:127.0.0.1]/',
  ]) {
    it(`loopback addresses include ${url}`, () => assert.ok(isLoopback(url)));
  }
  for (const url of [
    'http://127.0.0.1.example.com/',
    'http://127.corp.example/',
    'http://128.0.0.1/',
    'https://localhost.example.com/',
    'http://[::2]/',
  ]) {
    it(`loopback addresses do not include ${url}`, () => assert.ok(!isLoopback(url)));
  }
});
