import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { Send } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf, type Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import {
  awaitApproval,
  type Approval,
  deviceAuthorizationRequest,
  isWithoutDeviceGrant,
  processDeviceAuthorizationResponse,
} from '../../../src/auth/deviceFlow.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import type { Instance } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { decide, type DeviceCodes } from '../../server/oauth/support.ts';
import { fakeLog, fakeMemento, fakeSecrets, noLock } from '../../support/extension/fakes.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

// Modules of the extension with the real endpoints. Sleeping advances the clock of the server, so the tests do not wait.
for (const dialect of ['documented', 'observed'] as const) {
  describe(`sign-in on a server in the ${dialect} dialect`, () => {
    let server: TestServer;
    let send: Send;
    beforeEach(async () => {
      server = await startTestServer({ profile: { dialect } });
      send = createLoopbackSend();
    });
    afterEach(() => server.close());

    /** Requests a code and polls for the approval. `act` runs before the poll with this number. */
    async function codeFlow(act: Readonly<Record<number, (codes: DeviceCodes) => Promise<void> | void>>) {
      const client = { baseUrl: server.origin, clientId: EXTENSION_CLIENT_ID };
      const authorization = processDeviceAuthorizationResponse(await send(deviceAuthorizationRequest(client, 'api')));
      const codes: DeviceCodes = { ...authorization, verification_uri_complete: authorization.verification_uri_complete ?? '' };
      const pauses: number[] = [];
      const sleep = async (milliseconds: number): Promise<void> => {
        pauses.push(milliseconds);
        server.platform.clock.advance(milliseconds);
        await act[pauses.length]?.(codes);
      };
      const { signal } = new AbortController();
      const now = (): number => server.platform.clock.now();
      const approval: Approval = await awaitApproval(client, authorization, { send, now, sleep, signal });
      return { approval, pauses, codes };
    }

    const clientOf = (token: string) => {
      const credentials = { token: async () => token, renewed: async () => undefined };
      return createClient({ baseUrl: server.origin, send, credentials, now: Date.now, sleep: async () => undefined });
    };

    it('the device flow on a server returns valid tokens when the code is approved', async () => {
      const { approval, pauses, codes } = await codeFlow({ 3: (sent) => decide(server, sent) });
      assert.ok(approval.kind === 'tokens');
      assert.deepEqual(pauses, [5_000, 5_000, 5_000]);
      assert.match(codes.user_code, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
      assert.equal((await clientOf(approval.tokens.access_token).get('/user', readUserBasic)).username, 'root');
    });

    it('the device flow on a server slows down after slow_down', async () => {
      const { approval, pauses } = await codeFlow({
        2: () => server.platform.clock.advance(-3_000),
        4: (sent) => decide(server, sent),
      });
      assert.equal(approval.kind, 'tokens');
      assert.deepEqual(pauses, [5_000, 5_000, 10_000, 10_000]);
    });

    it('the device flow on a server ends when the code is denied', async () => {
      const { approval } = await codeFlow({ 1: (sent) => decide(server, sent, 'deny') });
      assert.deepEqual(approval, { kind: 'denied' });
    });

    it('the device flow on a server ends when the server reports the code as expired earlier than the local clock', async () => {
      const client = { baseUrl: server.origin, clientId: EXTENSION_CLIENT_ID };
      const authorization = processDeviceAuthorizationResponse(await send(deviceAuthorizationRequest(client, 'api')));
      const sleep = async (): Promise<void> => server.platform.clock.advance(301_000);
      const { signal } = new AbortController();
      assert.deepEqual(await awaitApproval(client, authorization, { send, now: () => 0, sleep, signal }), { kind: 'expired' });
    });

    describe('with session, refresh and sign-out', () => {
      const instance: Instance = { key: 'local', kind: 'local', label: 'Managed server', clientId: EXTENSION_CLIENT_ID };
      function world() {
        const dialogs: SignInDialogs = {
          chooseWay: async () => 'code',
          chooseOtherWay: async () => assert.fail('asked for another way'),
          askToken: async () => assert.fail('asked for a token'),
          choosePersona: async () => assert.fail('asked for a user'),
          keepForNow: async () => assert.fail('asked to keep it'),
          showCode: async () => 'open',
          openPage: async (_, { verification_uri_complete: page = '', ...authorization }) => {
            await decide(server, { ...authorization, verification_uri_complete: page });
            return true;
          },
          wait: (_, _deadline, work) => work(new AbortController().signal),
          showPage: async () => assert.fail('showed a page that leads back'),
          waitForRedirect: () => assert.fail('waited for a redirect'),
          expired: async () => false,
          denied: async () => false,
          failed: (text) => assert.fail(text),
        };
        const log = fakeLog();
        const mask = createMask();
        const sleep = async (): Promise<void> => undefined;
        const secrets = fakeSecrets();
        const sessions = createSessions({ secrets, memory: fakeMemento(), window: fakeMemento(), mask, log, sleep });
        const addresses = (): string => server.origin;
        const now = (): number => server.platform.clock.now();
        const moveClock = async (milliseconds: number): Promise<void> => server.platform.clock.advance(milliseconds);
        const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now: Date.now, sleep, log });
        const signIn = createSignIn({
          sessions,
          pendingCodes: createPendingCodes({ secrets, window: fakeMemento(), mask, log, now }),
          redirects: undefined,
          send,
          dialogs,
          reach: async (target) => ({ instance: target, baseUrl: server.origin }),
          addresses,
          now,
          sleep: moveClock,
          mask,
          log,
        });
        const keyInUse = (): string => {
          const session = sessions.current('local');
          return session === undefined ? '' : keyOf(session);
        };
        const client = createClient({
          baseUrl: server.origin,
          send,
          credentials: {
            token: async () => (await refresh.fresh(keyInUse()))?.accessToken,
            renewed: async (refused) => (await refresh.renewed(keyInUse(), refused))?.accessToken,
          },
          now: Date.now,
          sleep,
        });
        return { signIn, sessions, refresh, client, log };
      }

      async function signedIn(): Promise<ReturnType<typeof world> & { session: Session }> {
        const created = world();
        const session = await created.signIn.signIn(instance);
        assert.ok(session !== undefined);
        return { ...created, session };
      }

      it('a sign-in on a server returns the user who signed in', async () => {
        const { session } = await signedIn();
        assert.deepEqual([session.account.username, session.scopes, session.expiry?.lifetime], ['root', ['api'], 7_200_000]);
      });

      it('a sign-in on a server refreshes an expired token once and replaces the refresh token', async () => {
        const { client, sessions, session } = await signedIn();
        server.platform.clock.advance(7_201_000);
        const users = await Promise.all([1, 2, 3].map(() => client.get('/user', readUserBasic)));
        assert.deepEqual(
          users.map(({ username }) => username),
          ['root', 'root', 'root'],
        );
        const renewed = sessions.current('local');
        assert.notEqual(renewed?.accessToken, session.accessToken);
        assert.notEqual(renewed?.refreshToken, session.refreshToken);
        assert.equal(renewed?.id, session.id);
      });

      it('a sign-in on a server revokes both tokens on sign-out', async () => {
        const { signIn, session, log } = await signedIn();
        await signIn.signOut(session);
        await assert.rejects(
          clientOf(session.accessToken).get('/user', readUserBasic),
          (thrown) => thrown instanceof ApiFailure && thrown.kind === 'signedOut',
        );
        assert.doesNotMatch(log.lines.join('\n'), /refused to revoke|Could not revoke/);
        const again = await send({
          method: 'POST',
          url: `${server.origin}/oauth/token`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `grant_type=refresh_token&client_id=${EXTENSION_CLIENT_ID}&refresh_token=${session.refreshToken}`,
        });
        assert.equal(again.status, 400);
      });

      it('a sign-in on a server ends the session with a message when another client revoked the sign-in', async () => {
        const { signIn, client, sessions, session } = await signedIn();
        await signIn.signOut(session);
        await sessions.write(session);
        await assert.rejects(
          client.get('/user', readUserBasic),
          (thrown) => thrown instanceof ApiFailure && thrown.kind === 'signedOut',
        );
        assert.equal(sessions.current('local'), undefined);
      });
    });
  });
}

describe('sign-in with a code', () => {
  for (const release of ['15.1', '17.0'] as const) {
    it(`sign-in with a code on a server of release ${release} is not supported`, async () => {
      await using server = await startTestServer({ profile: { release } });
      const client = { baseUrl: server.origin, clientId: EXTENSION_CLIENT_ID };
      assert.ok(isWithoutDeviceGrant(await createLoopbackSend()(deviceAuthorizationRequest(client, 'api'))));
    });
  }

  for (const [what, id, release] of [
    ['release 17.1', EXTENSION_CLIENT_ID, '17.1'],
    ['the latest release with an unknown application', 'unknown', '18.11'],
  ] as const) {
    it(`sign-in with a code on a server of ${what} is supported`, async () => {
      await using server = await startTestServer({ profile: { release } });
      const client = { baseUrl: server.origin, clientId: id };
      assert.ok(!isWithoutDeviceGrant(await createLoopbackSend()(deviceAuthorizationRequest(client, 'api'))));
    });
  }
});
