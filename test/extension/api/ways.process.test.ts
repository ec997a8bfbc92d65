import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAuthorities } from '../../../src/api/authorities.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { type Proxy, proxyFor } from '../../../src/api/proxy.ts';
import { createTransport, type Send, TransportFailure } from '../../../src/api/transport.ts';
import { createLoopbackSend, createTrustingSend } from '../../../src/api/undici.ts';
import { programPath, testEnvironment } from '../../support/environment.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const PROGRAM = path.join(import.meta.dirname, '../../support/extension/sendProcess.ts');
const hasOpenssl = programPath('openssl') !== undefined;

describe('connections to an instance', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const servers: net.Server[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function') server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
    folder[Symbol.dispose]();
  });

  async function listen(server: net.Server): Promise<number> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    return address.port;
  }

  it('connections never use a proxy for this machine, and use it for other hosts', async () => {
    const seen: string[] = [];
    const proxy = http.createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(418).end();
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      socket.end('HTTP/1.1 418 No\r\n\r\n');
    });
    const through = `http://127.0.0.1:${await listen(proxy)}`;
    const near = await listen(http.createServer((_, response) => response.end('near')));
    const urls = [`http://127.0.0.1:${near}/a`, `http://localhost:${near}/b`, 'http://platform.example.com/c'];
    // NODE_USE_ENV_PROXY stands for VS Code, which routes the global fetch of its extensions through the configured proxy.
    const child = spawn(process.execPath, [PROGRAM, ...urls], {
      env: testEnvironment([], { HTTP_PROXY: through, HTTPS_PROXY: through, NODE_USE_ENV_PROXY: '1', NO_PROXY: '' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [first, second, third] = (await text(child.stdout)).split('\n');
    assert.deepEqual([first, second], ['200', '200']);
    assert.ok(third !== undefined && third !== '200');
    assert.ok(seen.length > 0, 'the proxy was not in use at all');
    for (const line of seen) assert.match(line, /platform\.example\.com/);
  });

  describe('an instance with its own certificate authority', function () {
    before(function () {
      if (!hasOpenssl) {
        console.log('skipped: openssl is not installed');
        this.skip();
      }
    });

    let origin: string;
    let ca: string;
    beforeEach(async () => {
      ca = path.join(folder.path, 'ca.pem');
      const file = (name: string): string => path.join(folder.path, name);
      const openssl = (...args: readonly string[]): void => {
        const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8', env: testEnvironment(['openssl']) });
        assert.equal(status, 0, stderr);
      };
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', ca, '-subj', '/CN=Test authority', '-days', '2');
      openssl('req', ...key, '-keyout', file('host.key'), '-out', file('host.csr'), '-subj', '/CN=127.0.0.1');
      writeFileSync(file('host.ext'), 'subjectAltName=IP:127.0.0.1,DNS:instance.test\n');
      const signed = ['-CA', ca, '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file('host.ext')];
      openssl('x509', '-req', '-in', file('host.csr'), '-out', file('host.pem'), ...signed);
      const server = https.createServer(
        { key: readFileSync(file('host.key')), cert: readFileSync(file('host.pem')) },
        (_, response) => response.end('"safe"'),
      );
      origin = `https://127.0.0.1:${await listen(server)}`;
    });

    const transport = (
      fileOf: (url: string) => string | undefined,
      proxyOf: (url: string) => Proxy | undefined = () => undefined,
    ): Send =>
      createTransport({
        userAgent: 'test',
        timeout: 10_000,
        loadLoopback: async () => createLoopbackSend(),
        sendTrusting: createAuthorities(fileOf, proxyOf, async (certificates, proxy) => createTrustingSend(certificates, proxy)),
        sendByHost: sendByFetch,
      });
    const get = (send: Send) => send({ method: 'GET', url: `${origin}/x`, headers: {} });
    const refusal = async (send: Send): Promise<string> => {
      try {
        await get(send);
      } catch (error) {
        assert.ok(error instanceof TransportFailure);
        assert.equal(error.kind, 'unreachable');
        return error.message;
      }
      return assert.fail('it was reached');
    };

    it('an instance with its own certificate authority is reached with the configured file of its authority', async () => {
      const send = transport(() => ca);
      assert.deepEqual([(await get(send)).body, (await get(send)).body], ['"safe"', '"safe"']);
    });

    it('an instance with its own certificate authority is refused without the file, with an explanation', async () => {
      assert.match(await refusal(transport(() => undefined)), /certificate/);
    });

    it('an instance with its own certificate authority does not make its authority trusted for other instances', async () => {
      const send = transport((url) => (url.startsWith(origin) ? undefined : ca));
      assert.match(await refusal(send), /certificate/);
    });

    describe('an instance behind a proxy', () => {
      const PASSWORD = 'open-sesame';
      const NAME = 'instance.test';
      let seen: string[];
      let proxyUrl: string;
      let behind: string;
      /** Status of the proxy's responses; 200 opens the tunnel. */
      let responses: number;

      beforeEach(async () => {
        [seen, responses] = [[], 200];
        const proxy = http.createServer((request, response) => {
          seen.push(`${request.method} ${request.url}`);
          response.writeHead(418).end();
        });
        const tunnels = new Set<net.Socket>();
        proxy.on('connect', (request, socket) => {
          const given = request.headers['proxy-authorization'];
          const user = given === undefined ? 'nobody' : Buffer.from(given.replace('Basic ', ''), 'base64').toString();
          seen.push(`CONNECT ${request.url} by ${user}`);
          if (responses !== 200) {
            socket.end(`HTTP/1.1 ${responses} No\r\n\r\n`);
            return;
          }
          // Only the proxy resolves this name.
          const target = net.connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
            socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
            socket.pipe(target).pipe(socket);
          });
          for (const end of [target, socket]) {
            tunnels.add(target);
            end.on('error', () => target.destroy());
            end.on('close', () => target.destroy());
          }
        });
        proxy.on('close', () => {
          for (const tunnel of tunnels) tunnel.destroy();
        });
        proxyUrl = `http://ana:${PASSWORD}@127.0.0.1:${await listen(proxy)}`;
        behind = `https://${NAME}:${new URL(origin).port}`;
      });

      const through = (
        settings: Partial<Parameters<typeof proxyFor>[1]>,
        environment: Parameters<typeof proxyFor>[2] = {},
      ): Send =>
        transport(
          () => ca,
          (url) =>
            proxyFor(
              url,
              { proxy: '', proxySupport: 'override', noProxy: [], proxyAuthorization: undefined, ...settings },
              environment,
            ),
        );
      const ask = async (send: Send, at: string): Promise<string> => {
        try {
          return (await send({ method: 'GET', url: `${at}/x`, headers: {} })).body;
        } catch (error) {
          assert.ok(error instanceof TransportFailure);
          assert.equal(error.kind, 'unreachable');
          return error.message;
        }
      };

      it('an instance behind a proxy is reached through the tunnel of the proxy and verified with its authority', async () => {
        const send = through({ proxy: proxyUrl });
        assert.deepEqual([await ask(send, behind), await ask(send, behind)], ['"safe"', '"safe"']);
        assert.deepEqual(new Set(seen), new Set([`CONNECT ${behind.slice('https://'.length)} by ana:${PASSWORD}`]));
      });

      it('an instance behind a proxy is reached through the proxy of the environment if no setting names one', async () => {
        assert.equal(await ask(through({}, { https_proxy: proxyUrl }), behind), '"safe"');
        assert.equal(seen.length, 1);
      });

      it('connections through a proxy send the credentials of the setting', async () => {
        const proxyAuthorization = `Basic ${Buffer.from('bo:secret').toString('base64')}`;
        const send = through({ proxy: proxyUrl.replace(`ana:${PASSWORD}@`, ''), proxyAuthorization });
        assert.equal(await ask(send, behind), '"safe"');
        assert.match(seen.join(), / by bo:secret$/);
      });

      it('an instance behind a proxy is reached directly if it is an exception', async () => {
        const text = await ask(through({ proxy: proxyUrl, noProxy: [`*.test:${new URL(origin).port}`] }), behind);
        assert.match(text, /instance\.test:\d+ cannot be reached: the host name/);
        assert.match(await ask(through({}, { HTTPS_PROXY: proxyUrl, NO_PROXY: NAME }), behind), /the host name/);
        assert.deepEqual(seen, []);
      });

      it('a proxy does not affect requests to this machine', async () => {
        const send = through({ proxy: proxyUrl }, { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl });
        assert.equal(await ask(send, origin), '"safe"');
        assert.match(await ask(send, origin.replace('127.0.0.1', 'localhost')), /its certificate is for another host name/);
        assert.deepEqual(seen, []);
      });

      it('an instance behind a proxy is refused with a certificate of another authority', async () => {
        const other = path.join(folder.path, 'other.pem');
        const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=Other', '-days', '2'];
        const files = ['-keyout', path.join(folder.path, 'other.key'), '-out', other];
        const result = spawnSync('openssl', ['req', '-x509', ...args, ...files], { env: testEnvironment(['openssl']) });
        assert.equal(result.status, 0);
        const send = transport(
          () => other,
          () => ({ url: proxyUrl }),
        );
        assert.match(await ask(send, behind), /instance\.test:\d+ cannot be reached: .*certificate/);
      });

      it('an instance behind a proxy has an error message that names the proxy, without its password', async () => {
        responses = 407;
        const refused = await ask(through({ proxy: proxyUrl }), behind);
        assert.match(refused, /^instance\.test:\d+ cannot be reached: the proxy 127\.0\.0\.1:\d+ responded with status 407$/);
        const gone = http.createServer();
        const dead = `http://ana:${PASSWORD}@127.0.0.1:${await listen(gone)}`;
        gone.close();
        const text = await ask(through({ proxy: dead }), behind);
        assert.match(text, /^instance\.test:\d+ cannot be reached: the proxy 127\.0\.0\.1:\d+ cannot be reached$/);
        assert.doesNotMatch(refused + text, /open-sesame/);
      });
    });

    it('an instance with its own certificate authority has an error message about an invalid file, and works as soon as the file is valid', async () => {
      const file = path.join(folder.path, 'given.pem');
      const send = transport(() => file);
      assert.match(await refusal(send), /given\.pem.*ENOENT/);
      writeFileSync(file, 'no certificate');
      assert.match(await refusal(send), /no PEM certificate/);
      writeFileSync(file, readFileSync(ca));
      assert.equal((await get(send)).status, 200);
    });
  });
});
