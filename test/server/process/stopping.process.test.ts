import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'stopping-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const preload = path.join(import.meta.dirname, '../../support/driverFaults.ts');
const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };

/** Begins a request. `sent` resolves when the operating system has received its bytes. */
function begin(server: ServerProcess, agent: http.Agent, method: string, target: string, body?: object) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const request = http.request(`${server.origin}${target}`, {
    agent,
    method,
    headers: { ...headers, 'Content-Length': Buffer.byteLength(text) },
  });
  const sent = once(request, 'finish');
  const answered = new Promise<{
    readonly status: number | undefined;
    readonly connection: string | undefined;
    readonly text: string;
  }>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection, text: received }),
      );
    });
  });
  answered.catch(() => undefined);
  request.end(text);
  return { sent, answered };
}

function controlOf(server: ServerProcess): Socket {
  return server.child.stdio[3] as Socket;
}

/** Starts a server with a project that can be stopped in the middle of a commit. */
async function holdable(folder: string) {
  const armed = path.join(folder, 'armed');
  const server = await spawnServer(['serve', '--data', path.join(folder, 'data')], {
    env: { ...env, SIGNALBOX_TEST_HOLD: armed },
    preload,
    control: true,
  });
  await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'p' });
  return {
    server,
    /** Resolves when the server is paused in a commit. */
    hold: async () => {
      const held = once(controlOf(server), 'data');
      writeFileSync(armed, '');
      return held;
    },
    goOn: () => controlOf(server).write('.'),
  };
}

const issues = '/api/v4/projects/1/issues';

describe('a server that is asked to terminate', function () {
  it('a server that is asked to terminate responds to every request that reached the machine, on busy, idle and pending connections, and closes them', async () => {
    using folder = temporaryFolder();
    const { server, hold, goOn } = await holdable(folder.path);
    await using _ = server;
    const idle = Array.from({ length: 10 }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
    for (const agent of idle) assert.equal((await begin(server, agent, 'GET', '/api/v4/version').answered).status, 200);
    const held = hold();
    const first = begin(server, new http.Agent({ keepAlive: true }), 'POST', issues, { title: 'held' });
    await held;
    const known = idle.map((agent, n) => begin(server, agent, 'POST', issues, { title: `idle ${n}` }));
    const unknown = Array.from({ length: 20 }, (_, n) =>
      begin(server, new http.Agent({ keepAlive: true }), 'POST', issues, { title: `new ${n}` }),
    );
    await Promise.all([...known, ...unknown].map(({ sent }) => sent));
    server.child.kill('SIGTERM');
    goOn();
    for (const { answered } of [first, ...known, ...unknown]) assert.equal((await answered).status, 201);
    // The operating system passes on one new connection per turn of the event loop, and the signal is handled in the first.
    for (const { answered } of unknown.slice(1)) assert.equal((await answered).connection, 'close');
    assert.equal(await server.ended, 0);
    assert.doesNotMatch(server.stderr(), /aborted/);
    assert.ok(!existsSync(path.join(folder.path, 'data', 'server.json')));
    await using again = await spawnServer(['serve', '--data', path.join(folder.path, 'data')], { env });
    const stored = await requestOf(again, token, 'GET', `${issues}?per_page=100`);
    assert.ok(Array.isArray(stored));
    assert.equal(stored.length, 31);
  });

  it('a server that is asked to terminate responds to pipelined requests in order, and announces the close only in the last response', async () => {
    using folder = temporaryFolder();
    const { server, hold, goOn } = await holdable(folder.path);
    await using _ = server;
    const held = hold();
    const first = begin(server, new http.Agent(), 'POST', issues, { title: 'held' });
    await held;
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const closed = once(socket, 'close');
    const head = `GET /api/v4/version HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\nPRIVATE-TOKEN: ${token}\r\n\r\n`;
    await new Promise((resolve) => socket.write(head.repeat(3), resolve));
    server.child.kill('SIGTERM');
    goOn();
    assert.equal((await first.answered).status, 201);
    await closed;
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+|Connection: \S+/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'Connection: close',
    ]);
    assert.equal(await server.ended, 0);
  });

  it('a server that is asked to terminate closes event streams and silent connections immediately', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env });
    const silent = connect(Number(new URL(server.origin).port), '127.0.0.1');
    await once(silent, 'connect');
    const silentClosed = once(silent.resume(), 'close');
    const stream = await fetch(`${server.origin}/_local/stream`, { headers: { ...headers, Accept: 'text/event-stream' } });
    assert.equal(stream.status, 200);
    server.child.kill('SIGTERM');
    await silentClosed;
    await stream.text();
    assert.equal(await server.ended, 0);
    assert.doesNotMatch(server.stderr(), /aborted/);
  });

  it('a server that is asked to terminate exits immediately on a second signal', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env });
    // The server waits for a request whose body never arrives.
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /api/v4/projects HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\nContent-Length: 10\r\n\r\n`;
    await new Promise((resolve) => socket.write(head, resolve));
    await fetch(`${server.origin}/_local/health`);
    const stopping = new Promise<void>((resolve) => {
      server.child.stderr?.on('data', () => {
        if (server.stderr().includes('stopping')) resolve();
      });
    });
    server.child.kill('SIGTERM');
    await stopping;
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 1);
    assert.match(server.stderr(), /a second signal/);
  });
});
