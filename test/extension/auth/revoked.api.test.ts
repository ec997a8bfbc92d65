import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Badge, badgeOf } from '../../../src/activity/badge.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import { revokeRequest } from '../../../src/auth/tokenEndpoint.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { createConnection } from '../../../src/instances/connection.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { createMachineLock } from '../../../src/support/machineLock.ts';
import { decide } from '../../server/oauth/support.ts';
import { fakeLog, fakeMemento, fakeSecrets, noSupervisor } from '../../support/extension/fakes.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('a sign-in that another client revoked', () => {
  let server: TestServer;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(async () => {
    server = await startTestServer();
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });

  /** Creates a window that is signed in with a code. `shown` contains the dialogs that were shown. */
  async function window() {
    const shown: string[] = [];
    const commentable = (name: string): Promise<undefined> => {
      shown.push(name);
      return Promise.resolve(undefined);
    };
    const dialogs: SignInDialogs = {
      chooseWay: async () => 'code',
      chooseOtherWay: () => commentable('chooseOtherWay'),
      askToken: () => commentable('askToken'),
      choosePersona: () => commentable('choosePersona'),
      keepForNow: async () => (await commentable('keepForNow')) !== undefined,
      showCode: async () => (await commentable('showCode')) ?? 'open',
      openPage: async (_, { verification_uri_complete: page = '', ...authorization }) => {
        await decide(server, { ...authorization, verification_uri_complete: page });
        return true;
      },
      wait: (_, _deadline, work) => work(new AbortController().signal),
      showPage: async () => (await commentable('showPage')) !== undefined,
      waitForRedirect: () => assert.fail('nobody waits for a redirect'),
      expired: async () => (await commentable('expired')) !== undefined,
      denied: async () => (await commentable('denied')) !== undefined,
      failed: () => void commentable('failed'),
    };
    const [log, mask, secrets, memory, send] = [fakeLog(), createMask(), fakeSecrets(), fakeMemento(), createLoopbackSend()];
    const sleep = async (): Promise<void> => undefined;
    const now = (): number => server.platform.clock.now();
    const instances = createInstances(
      () => [{ url: server.origin }],
      memory,
      () => undefined,
    );
    const sessions = createSessions({ secrets, window: fakeMemento(), memory, mask, log, sleep });
    const addresses = (key: string): string => key;
    const lock = createMachineLock({ folder: folder.path, limit: 30_000, report: (line) => log.error(line) });
    const refresh = createRefresh({ sessions, send, addresses, lock, now, sleep, log });
    const limits = createRateLimits(now);
    const connection = createConnection({ instances, supervisor: noSupervisor, sessions, refresh, addresses, limits, send, log });
    const signIn = createSignIn({
      sessions,
      pendingCodes: createPendingCodes({ secrets, window: fakeMemento(), mask, log, now }),
      redirects: undefined,
      send,
      dialogs,
      reach: async (instance) => ({ instance, baseUrl: server.origin }),
      addresses,
      now,
      sleep: async (milliseconds) => server.platform.clock.advance(milliseconds),
      mask,
      log,
    });
    /** Badges of both views, in the order in which they changed. */
    const badges: (Badge | undefined)[][] = [];
    const follow = (): void => {
      const both = [true, false].map((warns) => badgeOf(connection.state(), 0, warns));
      if (JSON.stringify(both) !== JSON.stringify(badges.at(-1))) badges.push(both);
    };
    follow();
    connection.onDidChange(follow);
    const session = (await signIn.signIn(instances.current())) ?? assert.fail('nobody was signed in');
    shown.length = 0;
    return { connection, instances, signIn, session, send, badges, shown };
  }

  const refreshes = (): number => server.platform.requestLog.list(500).filter(({ path }) => path === '/oauth/token').length;

  it('a sign-in that another client revoked causes one refresh for a hundred calls and one badge, which the next sign-in removes, and no dialog', async () => {
    const { connection, instances, signIn, session, send, badges, shown } = await window();
    assert.equal((await send(revokeRequest(server.origin, session.clientId, session.refreshToken ?? ''))).status, 200);
    const before = refreshes();
    const client = connection.client() ?? assert.fail('nobody is signed in');
    const calls = Array.from({ length: 100 }, () => client.get('/user', readUserBasic));
    const kinds = (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' ? failureOfError(call.reason)?.kind : 'succeeded',
    );
    assert.deepEqual(new Set(kinds), new Set(['signedOut']));
    assert.equal(refreshes() - before, 1);
    const { label } = instances.current();
    const badge = { value: 1, tooltip: `Sign in again: ${label} no longer accepts the sign-in of @root` };
    const none = [undefined, undefined];
    assert.deepEqual(badges, [none, [badge, undefined]]);
    assert.deepEqual(shown, []);
    assert.ok((await signIn.signIn(instances.current())) !== undefined);
    assert.deepEqual(badges, [none, [badge, undefined], none]);
    assert.deepEqual(shown, ['showCode'], 'only the dialog of the sign-in');
  });
});

describe('the badge of a view', () => {
  const instance = { key: 'https://a.example.com', kind: 'remote', label: 'a.example.com', clientId: 'c' } as const;
  const account = { id: 7, username: 'ana', name: 'Ana' };
  it('the badge of a view shows the number of unread events unless the sign-in is rejected', () => {
    const signedIn = { instance, kind: 'signedIn', account, sessionId: 's' } as const;
    assert.equal(badgeOf(signedIn, 0, true), undefined);
    assert.deepEqual(badgeOf(signedIn, 3, false), { value: 3, tooltip: '3 unread events' });
    const refused = { ...signedIn, isRefused: true } as const;
    assert.deepEqual(badgeOf(refused, 3, true), {
      value: 1,
      tooltip: 'Sign in again: a.example.com no longer accepts the sign-in of @ana',
    });
    assert.equal(badgeOf(refused, 3, false), undefined);
    assert.deepEqual(badgeOf({ ...signedIn, isFailing: true }, 3, true), {
      value: 1,
      tooltip: 'Sign in again: the sign-in of @ana on a.example.com cannot be renewed at present',
    });
    assert.equal(badgeOf({ instance, kind: 'signedOut' }, 0, true), undefined);
  });
});
