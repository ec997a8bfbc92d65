import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { keyOf, type Session, tokensOf } from '../../../src/auth/session.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { testEnvironment } from '../../support/environment.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const ADMIN_TOKEN = 'fedcba9876543210'.repeat(4);
const PROGRAM = path.join(import.meta.dirname, '../../support/extension/windowProcess.ts');
const WINDOWS = 4;
/** Seconds between refreshes. The token is valid for 7200 seconds. */
const LIFETIME = 7_201;

/** Declares a test of windows whose token expires so many times. */
export function describeWindows(expiries: number): void {
  describe('four windows with one account', () => {
    let server: ServerProcess;
    let folder: ReturnType<typeof temporaryFolder>;
    const windows: Window[] = [];

    beforeEach(async () => {
      folder = temporaryFolder();
      server = await spawnServer(['serve', '--port', '0', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
      assert.equal(server.line['event'], 'listening', server.stderr());
    });
    afterEach(async () => {
      await Promise.all(windows.splice(0).map((window) => window.end()));
      await server.stop();
      folder[Symbol.dispose]();
    });

    it(`four windows with one account refresh its token ${expiries} times with ${expiries} requests, without revoking the token family`, async function () {
      const secrets = path.join(folder.path, 'secrets');
      mkdirSync(secrets);
      const start = Date.now();
      const tokens = tokensOf(await tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root'), start);
      storeSession(secrets, {
        id: 'session-1',
        instance: server.origin,
        credential: 'oauth',
        clientId: EXTENSION_CLIENT_ID,
        account: { id: 1, username: 'root', name: 'Administrator' },
        scopes: ['api'],
        ...tokens,
      });
      for (let number = 0; number < WINDOWS; number += 1) {
        windows.push(await openWindow([server.origin, secrets, path.join(folder.path, 'locks')]));
      }
      await tokenRequests();
      let requests = 0;
      for (let round = 1; round <= expiries; round += 1) {
        await control('POST', 'clock', { advance_seconds: LIFETIME });
        const time = start + round * LIFETIME * 1000;
        const responses = await Promise.all(windows.map((window) => window.ask(String(time))));
        assert.deepEqual(
          responses,
          windows.map(() => '200 root'),
          `expiry ${round}\n${windows.map((window) => window.errors()).join('')}`,
        );
        // The request log contains only the latest requests, so it is read regularly.
        if (round % 20 === 0) requests += await tokenRequests();
      }
      assert.equal(requests, expiries);
      assert.deepEqual(
        windows.map((window) => window.errors()),
        windows.map(() => ''),
      );
    });

    let lastSeen = '';
    /** Returns the number of requests to the token endpoint since the last call. */
    async function tokenRequests(): Promise<number> {
      const requestLog = await control('GET', 'requests?limit=500');
      assert.ok(Array.isArray(requestLog));
      const entries: readonly unknown[] = requestLog;
      const textOf = (entry: unknown, name: string): string =>
        typeof entry === 'object' && entry !== null ? String(Reflect.get(entry, name)) : '';
      const seen = entries.findIndex((entry) => textOf(entry, 'id') === lastSeen);
      assert.ok(lastSeen === '' || seen !== -1, 'the request log does not reach back far enough');
      lastSeen = textOf(entries[0], 'id');
      return entries.slice(0, seen).filter((entry) => textOf(entry, 'path') === '/oauth/token').length;
    }

    async function control(method: string, route: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
      const response = await fetch(`${server.origin}/_local/${route}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.ok(response.ok, `${method} ${route}: ${response.status}`);
      return response.json();
    }
  });
}

interface Window {
  readonly ask: (line: string) => Promise<string>;
  readonly errors: () => string;
  readonly end: () => Promise<void>;
}

async function openWindow(args: readonly string[]): Promise<Window> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: testEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    return line.done === true ? `ended: ${errors}` : line.value;
  };
  assert.equal(await next(), 'ready');
  return {
    ask: async (line) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
    errors: () => errors,
    end: async () => {
      child.stdin.end();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Stores the session in the format of windowProcess.ts. */
function storeSession(folder: string, session: Session): void {
  const key = `session/${keyOf(session)}`;
  writeFileSync(path.join(folder, createHash('sha256').update(key).digest('hex')), `${key}\n${JSON.stringify(session)}`);
}
