// An instance as in a company network: https, with a certificate of an authority that no system trusts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { programPath, testEnvironment } from '../environment.ts';
import { type RunningPlatform, startPlatform } from './platform.ts';

/** Public address of the instance, which is not this machine. */
export const PUBLIC_URL = 'https://gitlab.example.test';

export type SecuredInstance = SecureFront & Pick<RunningPlatform, 'adminToken'>;

/** Starts a server whose only address is a secured one. Skips the tests if openssl is not installed. */
export async function startSecured(test: Context): Promise<SecuredInstance> {
  if (programPath('openssl') === undefined) {
    console.log('skipped: openssl is not installed');
    return test.skip();
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-secured-'));
  const platform = await startPlatform('demo', ['--public-url', PUBLIC_URL]);
  const front = await openSecureFront(platform.origin, folder);
  return {
    ...front,
    adminToken: platform.adminToken,
    close: async () => {
      await front.close();
      await platform.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type SecureFront = {
  readonly origin: string;
  /** Label of the instance in the extension. */
  readonly label: string;
  /** File with the certificate of the authority. */
  readonly ca: string;
  close(): Promise<void>;
};

/** Creates an authority and a certificate for 127.0.0.1 in `folder`, and forwards https requests to the server at `target`. */
async function openSecureFront(target: string, folder: string): Promise<SecureFront> {
  const file = (name: string): string => path.join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8', env: testEnvironment(['openssl']) });
    assert.equal(status, 0, stderr);
  };
  const ca = file('ca.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', ca, '-subj', '/CN=Test authority', '-days', '2');
  openssl('req', ...key, '-keyout', file('host.key'), '-out', file('host.csr'), '-subj', '/CN=127.0.0.1');
  writeFileSync(file('host.ext'), 'subjectAltName=IP:127.0.0.1\n');
  const signed = ['-CA', ca, '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file('host.ext')];
  openssl('x509', '-req', '-in', file('host.csr'), '-out', file('host.pem'), ...signed);

  const server = https.createServer(
    { key: readFileSync(file('host.key')), cert: readFileSync(file('host.pem')) },
    (request, response) => {
      const { method, headers, url = '/' } = request;
      const { host } = new URL(target);
      const onwards = http.request(
        new URL(url, target),
        { method: method ?? 'GET', headers: { ...headers, host } },
        (received) => {
          response.writeHead(received.statusCode ?? 502, received.headers);
          received.pipe(response);
        },
      );
      onwards.on('error', () => response.destroy());
      request.pipe(onwards);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const label = `127.0.0.1:${address.port}`;
  return {
    origin: `https://${label}`,
    label,
    ca,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
