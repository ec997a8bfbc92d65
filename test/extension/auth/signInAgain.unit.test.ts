import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'mocha';
import type { WireResponse } from '../../../src/api/transport.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { keyOf, type Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import type { WantedSession } from '../../../src/auth/wantedSession.ts';
import type { Instance } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeClock, fakeLog, fakeMemento, fakeSecrets, formOf, json, networkWithRule } from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const instance: Instance = { key: BASE, kind: 'remote', label: 'gitlab.example.com', clientId: 'the-client' };
const wanted: WantedSession = { id: 7, username: 'ana', scope: 'api' };

function sessionOf(id: number, username: string): Session {
  return {
    ...{ id: `session of ${username}`, instance: BASE, clientId: 'the-client', scopes: ['read_api'] },
    ...{ credential: 'oauth', account: { id, username, name: username }, accessToken: `old token of ${username}` },
  };
}

/** Instance with sign-in by code, unless `hasCodes` is false, that issues tokens of a user with scopes. */
function platform({ id = 7, username = 'ana', scope = 'api', hasCodes = true } = {}) {
  return networkWithRule(({ url }): WireResponse => {
    switch (url.slice(BASE.length)) {
      case '/oauth/authorize_device':
        if (!hasCodes) return json(404, { error: '404 Not Found' });
        return json(200, {
          ...{ device_code: 'the device code', user_code: 'ABCD-EFGH', verification_uri: `${BASE}/oauth/device` },
          ...{ expires_in: 300, interval: 1 },
        });
      case '/oauth/token':
        return json(200, { access_token: 'new token', token_type: 'Bearer', scope });
      case '/api/v4/personal_access_tokens/self':
        return json(200, { id: 1, scopes: scope.split(' ') });
      case '/api/v4/user':
        return json(200, { id, username, name: username });
      default:
        return json(200, {});
    }
  });
}

/** Returns a window in which @ana and @ben are signed in, and @ben is current. */
async function window(
  network: ReturnType<typeof platform>,
  changes: Partial<SignInDialogs> = {},
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void> = async () => undefined,
) {
  const log = fakeLog();
  const mask = createMask();
  const { now } = fakeClock();
  const [secrets, state] = [fakeSecrets(), fakeMemento()];
  const sessions = createSessions({ secrets, memory: fakeMemento(), window: fakeMemento(), mask, log, sleep });
  await sessions.write(sessionOf(7, 'ana'));
  await sessions.write(sessionOf(8, 'ben'));
  await sessions.use(`${BASE}#8`);
  const failures: string[] = [];
  const dialogs: SignInDialogs = {
    chooseWay: async () => assert.fail('asked for a way'),
    chooseOtherWay: async () => assert.fail('asked for another way'),
    askToken: async () => assert.fail('asked for a token'),
    choosePersona: async () => assert.fail('asked for a user'),
    keepForNow: async () => true,
    showCode: async () => 'copied',
    openPage: async () => true,
    wait: (_, _deadline, work) => work(new AbortController().signal),
    showPage: async () => assert.fail('opened a page'),
    waitForRedirect: () => assert.fail('waited for a redirect'),
    expired: async () => false,
    denied: async () => false,
    failed: (text) => failures.push(text),
    ...changes,
  };
  const signIn = (): ReturnType<typeof createSignIn> =>
    createSignIn({
      ...{ sessions, dialogs, now, sleep, mask, log },
      pendingCodes: createPendingCodes({ secrets, window: state, mask, log, now }),
      redirects: undefined,
      send: network.send,
      reach: async (target) => ({ instance: target, baseUrl: BASE }),
      addresses: () => BASE,
    });
  const tokens = (): readonly string[] =>
    sessions
      .all()
      .map(({ accessToken }) => accessToken)
      .toSorted();
  return { signIn, sessions, failures, tokens };
}

const OLD = ['old token of ana', 'old token of ben'];
const revoked = (network: ReturnType<typeof platform>): readonly (string | undefined)[] =>
  network.requests.filter(({ url }) => url.endsWith('/oauth/revoke')).map((request) => formOf(request)['token']);

describe('signing in again with a scope', () => {
  it('replaces the session of the account, revokes its old token, and keeps the current account', async () => {
    const network = platform();
    const { signIn, sessions, failures, tokens } = await window(network);
    const session = await signIn().signInAgain(instance, wanted);
    assert.equal(session && keyOf(session), `${BASE}#7`);
    assert.deepEqual(session?.scopes, ['api']);
    assert.deepEqual(tokens(), ['new token', 'old token of ben']);
    assert.equal(sessions.current(BASE)?.account.username, 'ben');
    assert.deepEqual([revoked(network), failures], [['old token of ana'], []]);
  });

  for (const [scope, requested] of [
    ['api', 'api'],
    ['read_api', 'api'],
    ['write_repository', 'api'],
    ['an_unknown_scope', 'api an_unknown_scope'],
    ['sudo', 'api sudo'],
  ] as const) {
    it(`requests ${requested} for the scope ${scope}`, async () => {
      const network = platform({ scope: requested });
      await (await window(network)).signIn().signInAgain(instance, { ...wanted, scope });
      assert.equal(formOf(network.requests[0])['scope'], requested);
    });
  }

  it('refuses another account, also one that is signed in already, and revokes its new token', async () => {
    for (const [id, username] of [
      [8, 'ben'],
      [9, 'cleo'],
    ] as const) {
      const network = platform({ id, username });
      const { signIn, sessions, failures, tokens } = await window(network);
      assert.equal(await signIn().signInAgain(instance, wanted), undefined);
      assert.deepEqual(failures, [`@${username} signed in, but this was the sign-in of @ana. Nothing was changed.`]);
      assert.deepEqual([tokens(), revoked(network)], [OLD, ['new token']]);
      assert.equal(sessions.current(BASE)?.account.username, 'ben');
    }
  });

  it('refuses a token that lacks the scope, too', async () => {
    const network = platform({ scope: 'read_api read_user' });
    const { signIn, failures, tokens } = await window(network);
    assert.equal(await signIn().signInAgain(instance, wanted), undefined);
    assert.deepEqual(failures, ['The new sign-in of @ana lacks the scope api, too. Nothing was changed.']);
    assert.deepEqual([tokens(), revoked(network)], [OLD, ['new token']]);
  });

  it('still refuses another account after the window was reloaded while the code waited for its approval', async () => {
    const network = platform({ id: 8, username: 'ben' });
    const waiting = Promise.withResolvers<void>();
    let waits = 0;
    const { signIn, failures, tokens } = await window(network, {
      wait: (_, _deadline, work) => {
        waits += 1;
        if (waits > 1) return work(new AbortController().signal);
        waiting.resolve();
        return new Promise(() => undefined);
      },
    });
    void signIn().signInAgain(instance, wanted);
    await waiting.promise;
    await signIn().resume([instance]);
    assert.deepEqual(failures, ['@ben signed in, but this was the sign-in of @ana. Nothing was changed.']);
    assert.deepEqual(tokens(), OLD);
  });

  it('takes a personal access token of the account only, where there is no sign-in with a code, and never revokes it', async () => {
    for (const [user, after] of [
      [{ id: 7, username: 'ana' }, ['entered token', 'old token of ben']],
      [{ id: 9, username: 'cleo' }, OLD],
    ] as const) {
      const network = platform({ ...user, hasCodes: false });
      const { signIn, tokens } = await window(network, {
        chooseOtherWay: async (_, hasRedirects) => (hasRedirects ? undefined : 'token'),
        askToken: async (_, check) => void (await check('entered token')),
      });
      await signIn().signInAgain(instance, wanted);
      assert.deepEqual(tokens(), after);
      assert.ok(!revoked(network).includes('entered token'));
    }
  });

  it('replaces a plain sign-in that waits for its approval, because anybody may approve that', async () => {
    const network = platform();
    const waiting = Promise.withResolvers<void>();
    let sleeps = 0;
    const sleep = async (_: number, signal?: AbortSignal): Promise<void> => {
      sleeps += 1;
      if (sleeps > 1 || signal === undefined) return;
      waiting.resolve();
      await once(signal, 'abort');
    };
    const { signIn, tokens } = await window(network, {}, sleep);
    const owner = signIn();
    const plain = owner.signIn(instance, 'code');
    await waiting.promise;
    const session = await owner.signInAgain(instance, wanted);
    assert.deepEqual([session?.account.username, await plain], ['ana', undefined]);
    assert.deepEqual(tokens(), ['new token', 'old token of ben']);
  });
});
