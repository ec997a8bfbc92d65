import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { WireResponse, WireRequest } from '../../../src/api/transport.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import type { Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { createMask } from '../../../src/support/log.ts';
import { LockBusy } from '../../../src/support/machineLock.ts';
import {
  networkWithRule,
  connectionFailure,
  fakeClock,
  fakeLog,
  fakeMemento,
  fakeSecrets,
  formOf,
  json,
  page,
} from '../../support/extension/fakes.ts';

const INSTANCE = 'https://gitlab.example.com';
/** Account key of the signed-in user. */
const ANA = `${INSTANCE}#7`;
const HOUR = 3_600_000;

type Rule = (request: WireRequest) => WireResponse | Error | Promise<WireResponse>;

async function world(rule: Rule, changes: Partial<Session> = {}) {
  const clock = fakeClock();
  const secrets = fakeSecrets();
  const log = fakeLog();
  const sessions = createSessions({
    secrets,
    memory: fakeMemento(),
    window: fakeMemento(),
    mask: createMask(),
    log,
    sleep: clock.sleep,
  });
  const session: Session = {
    id: 'session-1',
    instance: INSTANCE,
    credential: 'oauth',
    clientId: 'the-client',
    account: { id: 7, username: 'ana', name: 'Ana Novak' },
    scopes: ['api'],
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    expiry: { at: clock.now() + 2 * HOUR, lifetime: 2 * HOUR },
    ...changes,
  };
  await sessions.write(session);
  const network = networkWithRule(rule);
  const lockedBy: string[] = [];
  const refresh = createRefresh({
    sessions,
    send: network.send,
    addresses: () => INSTANCE,
    lock: async (name, work) => {
      if (lockedBy.length > 0) throw new LockBusy(name);
      return work();
    },
    now: clock.now,
    sleep: clock.sleep,
    log,
  });
  const storeElsewhere = (next: Partial<Session>): void =>
    secrets.storeElsewhere(`session/${ANA}`, JSON.stringify({ ...session, ...next }));
  return { clock, secrets, sessions, session, refresh, log, requests: network.requests, storeElsewhere, lockedBy };
}

const respond = (round: number): WireResponse =>
  json(200, {
    access_token: `access-${round}`,
    refresh_token: `refresh-${round}`,
    token_type: 'bearer',
    expires_in: 7200,
    created_at: 1,
  });

describe('refresh before the token expires', () => {
  it('the extension does not refresh a token that is still valid for long enough', async () => {
    const { refresh, requests } = await world(() => respond(2));
    assert.equal((await refresh.fresh(ANA))?.accessToken, 'access-1');
    assert.equal(requests.length, 0);
  });

  it('the extension refreshes a token five minutes before it expires, with the client ID and the refresh token', async () => {
    const { refresh, requests, clock, sessions } = await world(() => respond(2));
    clock.advance(2 * HOUR - 5 * 60_000);
    assert.equal((await refresh.fresh(ANA))?.accessToken, 'access-2');
    assert.deepEqual(formOf(requests[0]), { grant_type: 'refresh_token', client_id: 'the-client', refresh_token: 'refresh-1' });
    assert.equal((await sessions.read(ANA))?.refreshToken, 'refresh-2');
    assert.deepEqual(sessions.get(ANA)?.expiry, { at: clock.now() + 2 * HOUR, lifetime: 2 * HOUR });
  });

  it('the extension does not refresh a token that does not expire', async () => {
    const clock = fakeClock();
    const { refresh, requests } = await world(() => respond(2), { expiry: { at: clock.now() + 1e12, lifetime: 1e12 } });
    await refresh.fresh(ANA);
    assert.equal(requests.length, 0);
  });

  it('the extension continues with the old token while the server is unreachable', async () => {
    const { refresh, clock } = await world(() => connectionFailure('unreachable'));
    clock.advance(2 * HOUR - 60_000);
    assert.equal((await refresh.fresh(ANA))?.accessToken, 'access-1');
  });

  it('the extension keeps the refresh token if the response contains no new one', async () => {
    const { refresh, clock, sessions } = await world(() => json(200, { access_token: 'access-2', token_type: 'Bearer' }));
    clock.advance(2 * HOUR);
    await refresh.fresh(ANA);
    const { accessToken, refreshToken, expiry } = sessions.get(ANA) ?? {};
    assert.deepEqual([accessToken, refreshToken, expiry], ['access-2', 'refresh-1', undefined]);
  });
});

describe('refresh after a 401', () => {
  it('a token refresh sends one request for concurrent callers', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { refresh, requests } = await world(async () => {
      await gate;
      return respond(2);
    });
    const callers = Array.from({ length: 8 }, () => refresh.renewed(ANA, 'access-1'));
    release();
    assert.deepEqual(
      (await Promise.all(callers)).map((session) => session?.accessToken),
      Array.from({ length: 8 }, () => 'access-2'),
    );
    assert.equal(requests.length, 1);
  });

  it('a token refresh sends one request for a hundred calls with a revoked token, and ends the session once', async () => {
    const { refresh, sessions, requests } = await world(() => json(400, { error: 'invalid_grant' }));
    let ended = 0;
    sessions.onDidChange(() => {
      ended += 1;
    });
    const responses = await Promise.all(Array.from({ length: 100 }, () => refresh.renewed(ANA, 'access-1')));
    assert.ok(responses.every((session) => session === undefined));
    await refresh.renewed(ANA, 'access-1');
    assert.equal(await refresh.fresh(ANA), undefined);
    assert.deepEqual([requests.length, ended], [1, 1]);
    assert.equal(sessions.ended(INSTANCE)?.username, 'ana');
  });

  it('a token refresh pauses for a minute and notifies once if the new token is rejected, too', async () => {
    let round = 1;
    const { refresh, requests, clock } = await world(() => respond((round += 1)));
    const notifications: string[] = [];
    refresh.onDidChange((account) => notifications.push(`${account} ${refresh.isRefused(account)}`));
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
    for (let call = 0; call < 100; call += 1) assert.equal(await refresh.renewed(ANA, 'access-2'), undefined);
    assert.deepEqual([requests.length, notifications], [1, [`${ANA} true`]]);
    clock.advance(60_000);
    assert.equal((await refresh.renewed(ANA, 'access-2'))?.accessToken, 'access-3');
    assert.equal(requests.length, 2);
    assert.equal(refresh.isRefused(ANA), false);
  });

  it('a token refresh sends at most one request a minute after a server error', async () => {
    const { refresh, requests, clock, sessions } = await world(() => json(503, { error: 'later' }));
    for (let call = 0; call < 20; call += 1) await assert.rejects(refresh.renewed(ANA, 'access-1'), ApiFailure);
    clock.advance(2 * HOUR);
    await refresh.fresh(ANA);
    await refresh.fresh(ANA);
    assert.equal(requests.length, 2);
    assert.equal(sessions.get(ANA)?.accessToken, 'access-1');
  });

  it('a token refresh holds the lock of the account, and fails with a message if another window holds it', async () => {
    const { refresh, requests, lockedBy } = await world(() => respond(2));
    lockedBy.push('another window');
    await assert.rejects(
      refresh.renewed(ANA, 'access-1'),
      (thrown) => thrown instanceof ApiFailure && thrown.kind === 'timedOut' && thrown.message.includes('another window'),
    );
    assert.equal(requests.length, 0);
    lockedBy.pop();
    await refresh.renewed(ANA, 'access-1');
    assert.equal(requests.length, 1);
  });

  it('a token refresh uses tokens that another window has stored, without a request', async () => {
    const { refresh, requests, storeElsewhere } = await world(() => respond(3));
    storeElsewhere({ accessToken: 'access-2', refreshToken: 'refresh-2' });
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
    assert.equal(requests.length, 0);
  });

  it('a token refresh uses tokens that another window stores while the server rejects the old refresh token', async () => {
    const { refresh, sessions, storeElsewhere } = await world(() => {
      storeElsewhere({ accessToken: 'access-2', refreshToken: 'refresh-2' });
      return json(400, { error: 'invalid_grant' });
    });
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
    assert.equal(sessions.get(ANA)?.refreshToken, 'refresh-2');
  });

  it('a token refresh ends the session when the refresh token is no longer valid', async () => {
    const { refresh, sessions, secrets, requests } = await world(() => json(400, { error: 'invalid_grant' }));
    assert.equal(await refresh.renewed(ANA, 'access-1'), undefined);
    assert.equal(sessions.get(ANA), undefined);
    assert.equal(secrets.values.size, 0);
    assert.equal(requests.length, 1);
  });

  it('a token refresh keeps tokens of an application that the instance does not know, and asks to sign in again until that is done', async () => {
    const { refresh, sessions, session, secrets } = await world(() => json(401, { error: 'invalid_client' }));
    const notifications: string[] = [];
    refresh.onDidChange((account) => notifications.push(`${account} ${refresh.isFailing(account)}`));
    await assert.rejects(refresh.renewed(ANA, 'access-1'), ApiFailure);
    assert.deepEqual([notifications, sessions.get(ANA), secrets.values.size], [[`${ANA} true`], session, 1]);
    await sessions.write({ ...session, id: 'session-2', accessToken: 'access-9' });
    assert.equal(refresh.isFailing(ANA), false);
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-9');
  });

  it('a token refresh asks to sign in again after three refused renewals, until one succeeds', async () => {
    let isBack = false;
    const { refresh, clock } = await world(() => (isBack ? respond(2) : json(403, { error: 'Forbidden' })));
    const seen: boolean[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(refresh.renewed(ANA, 'access-1'), /could not be renewed: Forbidden/);
      seen.push(refresh.isFailing(ANA));
      clock.advance(60_000);
    }
    isBack = true;
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
    assert.deepEqual([...seen, refresh.isFailing(ANA)], [false, false, true, false]);
  });

  it('a token refresh waits as long as the instance asks for', async () => {
    let isBack = false;
    const busy = json(429, { error: 'slow_down' }, { 'retry-after': '300' });
    const { refresh, clock, requests } = await world(() => (isBack ? respond(2) : busy));
    await assert.rejects(
      refresh.renewed(ANA, 'access-1'),
      (thrown) => thrown instanceof ApiFailure && thrown.retryAfter === 300_000,
    );
    isBack = true;
    clock.advance(299_000);
    await assert.rejects(refresh.renewed(ANA, 'access-1'), ApiFailure);
    clock.advance(1_000);
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
    assert.equal(requests.length, 2);
  });

  describe('without a refresh token', () => {
    const ownRefusals = [
      json(401, { message: '401 Unauthorized' }),
      json(401, { error: 'invalid_token', error_description: 'Token was revoked.' }),
    ];
    for (const own of ownRefusals) {
      it(`a token without a refresh token ends when the instance confirms that it rejects it (${own.body})`, async () => {
        const { refresh, sessions, requests } = await withoutRefreshToken(() => own);
        assert.equal(await refresh.renewed(ANA, 'access-1'), undefined);
        assert.deepEqual([sessions.get(ANA), sessions.ended(INSTANCE)?.username], [undefined, 'ana']);
        assert.deepEqual(
          requests.map(({ method, url, headers }) => `${method} ${url} ${headers.authorization}`),
          [`GET ${INSTANCE}/api/v4/user Bearer access-1`],
        );
      });
    }

    for (const [what, response] of [
      ['the instance accepts it', json(200, { id: 7 })],
      ['its scopes do not suffice', json(403, { error: 'insufficient_scope' })],
      ['a gateway answers 401 with JSON', json(401, { message: 'Unauthorized' })],
      ['a gateway answers 401 with a page', page(401)],
      ['a gateway answers 401 with nothing', { ...page(401), body: '' }],
      ['a gateway answers 403', json(403, { message: 'Forbidden' })],
      ['requests are limited', json(429, { message: 'Retry later' })],
      ['a gateway redirects', page(302, { location: '/login' })],
      ['there is no connection', connectionFailure('unreachable')],
      ['the connection is cut', connectionFailure('interrupted')],
    ] as const) {
      it(`a token without a refresh token is kept when ${what}`, async () => {
        const { refresh, sessions, secrets } = await withoutRefreshToken(() => response);
        assert.equal(await refresh.renewed(ANA, 'access-1'), undefined);
        assert.deepEqual([sessions.get(ANA)?.accessToken, secrets.values.size], ['access-1', 1]);
      });
    }

    async function withoutRefreshToken(rule: Rule) {
      const made = await world(rule);
      const { refreshToken: _, ...without } = made.session;
      await made.sessions.write(without);
      return made;
    }
  });

  for (const kind of ['timedOut', 'interrupted'] as const) {
    it(`a token refresh does not immediately send the same refresh token again if the request was ${kind}`, async () => {
      let isBack = false;
      const { refresh, requests, clock, sessions } = await world(() => (isBack ? respond(2) : connectionFailure(kind)));
      await assert.rejects(refresh.renewed(ANA, 'access-1'), ApiFailure);
      isBack = true;
      await assert.rejects(
        refresh.renewed(ANA, 'access-1'),
        (thrown) => thrown instanceof ApiFailure && thrown.kind === 'timedOut',
      );
      assert.equal(requests.length, 1);
      assert.equal(sessions.get(ANA)?.accessToken, 'access-1', 'the session is kept');
      clock.advance(10_000);
      assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
      assert.equal(requests.length, 2);
    });
  }

  it('a token refresh can immediately send the refresh token again if it was never sent', async () => {
    let isBack = false;
    const { refresh } = await world(() => (isBack ? respond(2) : connectionFailure('unreachable')));
    await assert.rejects(
      refresh.renewed(ANA, 'access-1'),
      (thrown) => thrown instanceof ApiFailure && thrown.kind === 'unreachable',
    );
    isBack = true;
    assert.equal((await refresh.renewed(ANA, 'access-1'))?.accessToken, 'access-2');
  });

  for (const fault of [
    json(500, { error: 'server_error' }),
    json(500, { error: 'invalid_grant' }),
    json(429, { error: 'invalid_grant' }),
    json(400, { error: 'server_error' }),
    json(400, { error: 'temporarily_unavailable' }),
    json(400, { error: 'invalid_request' }),
    json(400, { error: 'unauthorized_client' }),
    json(401, { message: '401 Unauthorized' }),
    json(403, { error: '403 Forbidden - terms of service' }),
    json(404, { error: 'Not Found' }),
    json(407, { error: 'Proxy Authentication Required' }),
    json(408, { error: 'Request Timeout' }),
    json(429, { error: 'rate limit exceeded' }),
    json(503, { error: 'temporarily_unavailable' }),
    json(200, {}),
    ...[200, 302, 401, 403, 404, 407, 408, 429, 502].map((status) => page(status)),
  ]) {
    it(`a token refresh keeps the session after any other response (${fault.status} ${fault.body})`, async () => {
      const { refresh, sessions } = await world(() => fault);
      await assert.rejects(
        refresh.renewed(ANA, 'access-1'),
        (thrown) => thrown instanceof ApiFailure && thrown.kind === 'unavailable',
      );
      assert.equal(sessions.get(ANA)?.refreshToken, 'refresh-1');
    });
  }

  it('a token refresh logs no tokens', async () => {
    const { refresh, log } = await world(() => respond(2));
    await refresh.renewed(ANA, 'access-1');
    assert.doesNotMatch(log.lines.join('\n'), /access-|refresh-/);
    assert.match(log.lines.join('\n'), /@ana/);
  });
});
