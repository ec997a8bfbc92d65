import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Badge, badgeOf } from '../../../src/activity/badge.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createTransport } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf, type Session, tokensOf } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import type { TokenResponse } from '../../../src/contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { createConnection } from '../../../src/instances/connection.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { createMachineLock } from '../../../src/support/machineLock.ts';
import { fakeLog, fakeMemento, fakeSecrets, noSupervisor } from '../../support/extension/fakes.ts';
import { type ServerProcess, temporaryFolder } from '../../support/serverProcess.ts';
import { AFTER_GRACE, control, type points, serve, serveUntil, signIn, verdicts } from '../../server/oauth/refreshKills.ts';

/** Slightly more than the lifetime of an access token, in seconds. */
const LIFETIME = 7_201;
const CALLS = 20;

/** Creates a window of the extension that is signed in on an instance whose address may change. */
async function windowOn(address: () => string, now: () => number, lockFolder: string, tokens: TokenResponse) {
  const [log, memory] = [fakeLog(), fakeMemento()];
  const sleep = async (): Promise<void> => undefined;
  const instances = createInstances(
    () => [{ url: 'https://platform.example' }],
    memory,
    () => undefined,
  );
  const sessions = createSessions({ secrets: fakeSecrets(), window: fakeMemento(), memory, mask: createMask(), log, sleep });
  const session: Session = {
    id: 'session-1',
    instance: instances.current().key,
    credential: 'oauth',
    clientId: EXTENSION_CLIENT_ID,
    account: { id: 1, username: 'root', name: 'Administrator' },
    scopes: ['api'],
    ...tokensOf(tokens, now()),
  };
  await sessions.write(session);
  const send = createTransport({
    userAgent: 'test',
    timeout: 30_000,
    loadLoopback: async () => createLoopbackSend(),
    sendByHost: () => Promise.reject(new Error('unexpected request to a remote host')),
  });
  const lock = createMachineLock({ folder: lockFolder, limit: 30_000, report: (line) => log.error(line) });
  const refresh = createRefresh({ sessions, send, addresses: address, lock, now, sleep, log });
  const limits = createRateLimits(now);
  const connection = createConnection({
    instances,
    supervisor: noSupervisor,
    sessions,
    refresh,
    addresses: address,
    limits,
    send,
    log,
  });
  /** Badges of both views after each change. */
  const badges: (Badge | undefined)[][] = [];
  const follow = (): void => {
    const both = [true, false].map((warns) => badgeOf(connection.state(), 0, warns));
    if (JSON.stringify(both) !== JSON.stringify(badges.at(-1))) badges.push(both);
  };
  follow();
  connection.onDidChange(follow);
  return { connection, badges, renew: () => refresh.fresh(keyOf(session)) };
}

/** Declares a test for each of the points. */
export function describeExtensionKills(chosen: typeof points): void {
  describe('the extension when the server is killed during a refresh', () => {
    for (const [point, text, outcome] of chosen) {
      const does = { stored: 'refreshes once', lost: 'requests a new sign-in once', received: 'continues' }[outcome];
      it(`the extension ${does} when the server is killed ${text}`, async () => {
        using container = temporaryFolder();
        const folder = `${container.path}/data`;
        await using killed = await serveUntil(point, folder);
        let origin = killed.origin;
        let time = Date.now();
        const pass = async (server: ServerProcess, seconds: number): Promise<void> => {
          await control(server, 'POST', 'clock', { advance_seconds: seconds });
          time += seconds * 1000;
        };
        const now = (): number => time;
        const { connection, badges, renew } = await windowOn(() => origin, now, `${container.path}/locks`, await signIn(killed));
        await pass(killed, LIFETIME);
        killed.arm();
        await Promise.all(Array.from({ length: CALLS }, renew));
        assert.equal(await killed.ended, 'SIGKILL');

        await using server = await serve(folder);
        origin = server.origin;
        const client = connection.client() ?? assert.fail('signed out');
        /** Returns the outcomes of concurrent calls, and the token requests since the restart. */
        const call = async () => {
          const calls = await Promise.allSettled(Array.from({ length: CALLS }, () => client.get('/user', readUserBasic)));
          const kinds = calls.map((one) => (one.status === 'rejected' ? failureOfError(one.reason)?.kind : one.value.username));
          return { responses: [...new Set(kinds)], refreshes: await verdicts(server) };
        };
        const afterKill = { stored: 'timedOut', lost: 'timedOut', received: 'root' }[outcome];
        assert.deepEqual(await call(), { responses: [afterKill], refreshes: [] }, 'a refresh without a response is not repeated');
        assert.equal(badges.length, 1);
        await pass(server, AFTER_GRACE);
        const later = {
          stored: { responses: ['root'], refreshes: [null] },
          lost: { responses: ['signedOut'], refreshes: ['refresh_token.replay'] },
          received: { responses: ['root'], refreshes: [] },
        }[outcome];
        assert.deepEqual(await call(), later);
        await pass(server, 3_600);
        assert.deepEqual(await call(), later, 'no second request');
        const none = [undefined, undefined];
        const tooltip = 'Sign in again: platform.example no longer accepts the sign-in of @root';
        assert.deepEqual(badges, outcome === 'lost' ? [none, [{ value: 1, tooltip }, undefined]] : [none]);
      });
    }
  });
}
