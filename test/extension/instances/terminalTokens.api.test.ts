import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import type { Send } from '../../../src/api/transport.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf, type Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { localInstanceKey } from '../../../src/instances/accountKey.ts';
import { createTerminalTokenRecords } from '../../../src/instances/terminalTokenRecords.ts';
import { createTerminalTokens } from '../../../src/instances/terminalTokens.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { createMask } from '../../../src/support/log.ts';
import { actor, rootOf } from '../../server/projects/cast.ts';
import { connectionFailure, fakeLog, fakeMemento, fakeSecrets, json, noLock, page } from '../../support/extension/fakes.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const LOCAL = localInstanceKey('the-data');
/** Processes of two windows. */
const [ONE, TWO] = [4_000, 4_001];

describe('the token of a terminal', () => {
  let server: TestServer;
  let folder: ReturnType<typeof temporaryFolder>;
  /** Sends requests, or fails. */
  let network: Send;
  beforeEach(async () => {
    server = await startTestServer();
    folder = temporaryFolder();
    network = createLoopbackSend();
  });
  afterEach(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });

  /** Creates a window in which the session is signed in. `living`: processes that exist. */
  async function window(session: Session, process = ONE, living: readonly number[] = [ONE, TWO]) {
    const [log, mask] = [fakeLog(), createMask()];
    const sleep = async (): Promise<void> => undefined;
    const sessions = createSessions({ secrets: fakeSecrets(), memory: fakeMemento(), window: fakeMemento(), mask, log, sleep });
    await sessions.write(session);
    const addresses = (): string => server.origin;
    const send: Send = (request, signal) => network(request, signal);
    const now = Date.now;
    const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now, sleep, log });
    const control = async () => createLocalControl(server.origin, TEST_ADMIN_TOKEN, send, now);
    const records = createTerminalTokenRecords(path.join(folder.path, 'tokens'));
    const isAlive = (id: number): boolean => living.includes(id);
    const tokens = createTerminalTokens({
      records,
      sessions,
      refresh,
      addresses,
      control,
      send,
      now,
      process,
      isAlive,
      mask,
      log,
    });
    return { tokens, sessions, records, log, mask };
  }

  function sessionOf(person: { user: { id: number; username: string }; token: string }, instance = server.origin): Session {
    const { id, username } = person.user;
    const account = { id, username, name: username };
    const session = { id: 'session', instance, credential: 'oauth', clientId: 'c', account } as const;
    return { ...session, scopes: ['api'], accessToken: person.token };
  }

  const ada = () => actor(server.platform, 'ada');
  const administrator = () => ({ user: rootOf(server.platform), token: TEST_ADMIN_TOKEN });

  async function statusFor(token: string): Promise<number> {
    return (await server.request('GET', '/api/v4/user', { headers: { 'private-token': token } })).status;
  }

  it('the token of a terminal is a new personal access token of a user of the local server, which ends with the terminal', async () => {
    const session = sessionOf(ada(), LOCAL);
    const { tokens, records, mask } = await window(session);
    const created = await tokens.create(session, server.origin);
    assert.ok(created?.isPersonal === true);
    const own = await server.request('GET', '/api/v4/personal_access_tokens/self', { token: created.accessToken });
    assert.partialDeepStrictEqual(own.json(), { user_id: session.account.id, scopes: ['api'] });
    assert.equal(mask.apply(created.accessToken), '•••');
    assert.equal(await statusFor(created.accessToken), 200);
    await created.revoke();
    assert.equal(await statusFor(created.accessToken), 401);
    assert.deepEqual(await records.all(), []);
  });

  it('the token of a terminal has no more rights than the sign-in', async () => {
    const session: Session = { ...sessionOf(ada(), LOCAL), scopes: ['openid', 'read_api'] };
    const { tokens } = await window(session);
    const created = await tokens.create(session, server.origin);
    const own = await server.request('GET', '/api/v4/personal_access_tokens/self', { token: created?.accessToken ?? '' });
    assert.partialDeepStrictEqual(own.json(), { scopes: ['read_api'] });
    await tokens.revokeAll();
    assert.equal(await statusFor(created?.accessToken ?? ''), 401);
  });

  it('the token of a terminal on another instance is a new personal access token for administrators, and none for other users', async () => {
    const user = sessionOf(ada());
    assert.equal(await (await window(user)).tokens.create(user, server.origin), undefined);
    const session = sessionOf(administrator());
    const created = await (await window(session)).tokens.create(session, server.origin);
    assert.equal(await statusFor(created?.accessToken ?? ''), 200);
  });

  it('the token of a terminal is not created if the instance does not let an administrator create it', async () => {
    const session: Session = { ...sessionOf(administrator()), scopes: ['api'], accessToken: TEST_ADMIN_TOKEN };
    const { tokens, log } = await window(session);
    const real = network;
    network = async (request, signal) =>
      request.method === 'POST'
        ? { status: 403, headers: new Map(), body: '{"message":"403 Forbidden"}' }
        : real(request, signal);
    assert.equal(await tokens.create(session, server.origin), undefined);
    assert.match(log.lines.join('\n'), /403 Forbidden/);
  });

  it('the token of a terminal is revoked when its account signs out, and those of other accounts are not', async () => {
    const session = sessionOf(ada(), LOCAL);
    const other = sessionOf(actor(server.platform, 'mei'), LOCAL);
    const { tokens, sessions } = await window(session);
    const created = await tokens.create(session, server.origin);
    const remaining = await tokens.create(other, server.origin);
    let revoked: Promise<unknown> = Promise.resolve();
    const real = network;
    network = (request, signal) => {
      const response = real(request, signal);
      revoked = response;
      return response;
    };
    await sessions.remove(keyOf(session));
    await revoked;
    assert.deepEqual([await statusFor(created?.accessToken ?? ''), await statusFor(remaining?.accessToken ?? '')], [401, 200]);
  });

  it('the token of a terminal is remembered by its ID only, and revoked by the next window after a crash', async () => {
    for (const instance of [LOCAL, server.origin]) {
      const session = sessionOf(instance === LOCAL ? ada() : administrator(), instance);
      const crashed = await window(session);
      const created = await crashed.tokens.create(session, server.origin);
      const secret = created?.accessToken ?? '';
      const tokenFolder = path.join(folder.path, 'tokens');
      for (const name of readdirSync(tokenFolder))
        assert.doesNotMatch(readFileSync(path.join(tokenFolder, name), 'utf8'), new RegExp(secret));
      await (await window(session, TWO)).tokens.cleanUp();
      assert.equal(await statusFor(secret), 200, 'the terminal is still open');
      const next = await window(session, TWO, [TWO]);
      await next.tokens.cleanUp();
      assert.equal(await statusFor(secret), 401);
      assert.deepEqual(await next.records.all(), []);
    }
  });

  it('the token of a terminal of a process with the same ID as that of the next window is revoked, too', async () => {
    const session = sessionOf(ada(), LOCAL);
    const created = await (await window(session)).tokens.create(session, server.origin);
    await (await window(session)).tokens.cleanUp();
    assert.equal(await statusFor(created?.accessToken ?? ''), 401);
  });

  for (const [what, responses] of [
    ['the instance cannot be reached', [connectionFailure('unreachable')]],
    [
      'a gateway responds',
      [page(200), page(401), page(404), json(401, { message: 'Unauthorized' }), json(404, { error: 'Not Found' })],
    ],
  ] as const) {
    it(`the token of a terminal stays remembered while ${what}`, async () => {
      const session = sessionOf(administrator());
      const real = network;
      for (const response of responses) {
        network = real;
        const crashed = await window(session);
        const created = await crashed.tokens.create(session, server.origin);
        network = async () => {
          if (response instanceof Error) throw response;
          return response;
        };
        await created?.revoke();
        const next = await window(session, TWO, [TWO]);
        await next.tokens.cleanUp();
        assert.equal((await next.records.all()).length, 1);
        network = real;
        await next.tokens.cleanUp();
        assert.equal(await statusFor(created?.accessToken ?? ''), 401);
        assert.deepEqual(await next.records.all(), []);
      }
    });
  }
});
