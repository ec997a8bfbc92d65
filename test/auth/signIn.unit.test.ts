import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { WireAnswer, WireRequest } from '../../src/api/transport.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { createSignIn, type SignInDialogs } from '../../src/auth/signIn.ts';
import { EXTENSION_CLIENT_ID } from '../../src/contract/product.ts';
import type { Instance } from '../../src/instances/instances.ts';
import { createMask } from '../../src/support/log.ts';
import { answering, cut, fakeClock, fakeLog, fakeMemento, fakeSecrets, formOf, json } from '../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const instance: Instance = { key: BASE, kind: 'remote', label: 'gitlab.example.com', clientId: 'the-client' };
const secretParts = /access-\d|refresh-\d|device-\d|CODE-\d/;

/** A platform that gives code after code; `approval` answers the polls of each round. */
function platform(approval: (round: number) => WireAnswer) {
  let round = 0;
  return answering(({ url }) => {
    switch (url.slice(BASE.length)) {
      case '/oauth/authorize_device':
        round += 1;
        return json(200, {
          device_code: `device-${round}`,
          user_code: `CODE-${round}`,
          verification_uri: `${BASE}/oauth/device`,
          verification_uri_complete: `${BASE}/oauth/device?user_code=CODE-${round}`,
          expires_in: 300,
          interval: 1,
        });
      case '/oauth/token':
        return approval(round);
      case '/api/v4/user':
        return json(200, { id: 7, username: 'ana', name: 'Ana Novak', state: 'active' });
      case '/oauth/revoke':
        return json(200, {});
      default:
        return json(404, { error: '404 Not Found' });
    }
  });
}

const tokens = (round: number): WireAnswer =>
  json(200, {
    access_token: `access-${round}`,
    refresh_token: `refresh-${round}`,
    token_type: 'Bearer',
    expires_in: 7200,
    scope: 'api',
  });
const refusal = (error: string, status = 400): WireAnswer => json(status, { error });

/** A person who opens the page, and answers questions as told. */
function person(changes: Partial<SignInDialogs> = {}) {
  const saw: string[] = [];
  const told = (what: string): void => {
    saw.push(what);
  };
  const dialogs: SignInDialogs = {
    showCode: async (_, { user_code: code }) => {
      told(`code ${code}`);
      return 'open';
    },
    openPage: async (_, { verification_uri_complete: page }) => {
      told(`page ${page}`);
      return true;
    },
    wait: (_, _deadline, work) => work(new AbortController().signal),
    expired: async () => {
      told('expired');
      return false;
    },
    denied: async () => {
      told('denied');
      return false;
    },
    failed: (words) => told(`failed: ${words}`),
    ...changes,
  };
  return { dialogs, saw };
}

function world(network: ReturnType<typeof answering>, dialogs: SignInDialogs) {
  const log = fakeLog();
  const mask = createMask();
  const secrets = fakeSecrets();
  const { now, sleep } = fakeClock();
  const sessions = createSessions({ secrets, memory: fakeMemento(), mask, log, sleep });
  const signIn = createSignIn({
    sessions,
    send: network.send,
    dialogs,
    address: async () => BASE,
    addresses: () => BASE,
    now,
    sleep,
    mask,
    log,
  });
  return { signIn, sessions, secrets, log, mask };
}

const pathsOf = (requests: readonly WireRequest[]): readonly string[] => requests.map(({ url }) => url.slice(BASE.length));

describe('sign-in', () => {
  it('shows the code, opens its page, waits, learns who it is, and keeps the session', async () => {
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn, sessions, log, mask } = world(network, dialogs);
    const session = await signIn.signIn(instance);
    assert.equal(mask.apply('device-1 CODE-1 access-1'), '••• ••• •••');
    assert.deepEqual(saw, ['code CODE-1', `page ${BASE}/oauth/device?user_code=CODE-1`]);
    assert.deepEqual(session?.account, { id: 7, username: 'ana', name: 'Ana Novak' });
    assert.deepEqual(sessions.current(BASE), session);
    assert.deepEqual(formOf(network.requests[0]), { client_id: 'the-client', scope: 'api' });
    assert.equal(network.requests.at(-1)?.headers.authorization, 'Bearer access-1');
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('opens no page for a code that is meant for another device', async () => {
    const { dialogs, saw } = person({ showCode: async () => 'copied' });
    await world(platform(tokens), dialogs).signIn.signIn(instance);
    assert.deepEqual(saw, []);
  });

  for (const [when, changes] of [
    ['at the code', { showCode: async () => undefined }],
    ['before the page opens', { openPage: async () => false }],
    ['while waiting', { wait: async () => ({ kind: 'cancelled' }) }],
  ] as const satisfies readonly (readonly [string, Partial<SignInDialogs>])[]) {
    it(`ends without a word when the person steps back ${when}`, async () => {
      const network = platform(tokens);
      const { dialogs, saw } = person(changes);
      const { signIn, sessions } = world(network, dialogs);
      assert.equal(await signIn.signIn(instance), undefined);
      assert.deepEqual(sessions.all(), []);
      assert.deepEqual(
        saw.filter((words) => /expired|denied|failed/.test(words)),
        [],
      );
      assert.ok(!pathsOf(network.requests).includes('/oauth/token'));
    });
  }

  it('gives a new code after one that expired, when the person wants it', async () => {
    const network = platform((round) => (round === 1 ? refusal('expired_token') : tokens(round)));
    const { dialogs, saw } = person({ expired: async () => true });
    const session = await world(network, dialogs).signIn.signIn(instance);
    assert.deepEqual(
      saw.filter((words) => words.startsWith('code')),
      ['code CODE-1', 'code CODE-2'],
    );
    assert.equal(session?.accessToken, 'access-2');
  });

  it('says that the code was denied, and signs nobody in', async () => {
    const { dialogs, saw } = person();
    const { signIn, sessions } = world(
      platform(() => refusal('access_denied')),
      dialogs,
    );
    assert.equal(await signIn.signIn(instance), undefined);
    assert.equal(saw.at(-1), 'denied');
    assert.deepEqual(sessions.all(), []);
  });

  it('starts anew when asked again while the question after a denial stays unanswered', async () => {
    const network = platform((round) => (round === 1 ? refusal('access_denied') : tokens(round)));
    const asked = Promise.withResolvers<void>();
    const { dialogs } = person({
      denied: () => {
        asked.resolve();
        return new Promise<boolean>(() => undefined);
      },
    });
    const { signIn } = world(network, dialogs);
    void signIn.signIn(instance);
    await asked.promise;
    assert.equal((await signIn.signIn(instance))?.accessToken, 'access-2');
  });

  it('says what to register where the platform does not know the extension', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      answering(() => refusal('invalid_client', 401)),
      dialogs,
    );
    await signIn.signIn({ ...instance, clientId: EXTENSION_CLIENT_ID });
    assert.match(
      saw[0] ?? '',
      /^failed: gitlab\.example\.com does not know this extension\. Register an application .*signalbox\.instances/,
    );
  });

  it('says to check the Application ID where the person gave one', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      answering(() => refusal('invalid_client', 401)),
      dialogs,
    );
    await signIn.signIn(instance);
    assert.match(saw[0] ?? '', /^failed: gitlab\.example\.com does not know the application the-client\./);
  });

  it('says in words that the platform cannot be reached', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      answering(() => cut('unreachable')),
      dialogs,
    );
    assert.equal(await signIn.signIn(instance), undefined);
    assert.deepEqual(saw, ['failed: gitlab.example.com cannot be reached: the connection was cut']);
  });

  it('runs once for one instance, however often it is asked for', async () => {
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn } = world(network, dialogs);
    const [first, second] = await Promise.all([signIn.signIn(instance), signIn.signIn(instance)]);
    assert.equal(first, second);
    assert.equal(saw.length, 2);
  });

  it('revokes the tokens that a new sign-in replaces', async () => {
    const network = platform(tokens);
    const { signIn } = world(network, person().dialogs);
    await signIn.signIn(instance);
    await signIn.signIn(instance);
    const revoked = network.requests.filter(({ url }) => url.endsWith('/oauth/revoke')).map(formOf);
    assert.deepEqual(revoked, [
      { client_id: 'the-client', token: 'access-1' },
      { client_id: 'the-client', token: 'refresh-1' },
    ]);
  });
});

describe('sign-out', () => {
  it('deletes the session and revokes its tokens', async () => {
    const network = platform(tokens);
    const { signIn, sessions, secrets, log } = world(network, person().dialogs);
    const session = await signIn.signIn(instance);
    assert.ok(session !== undefined);
    await signIn.signOut(session);
    assert.deepEqual(sessions.all(), []);
    assert.equal(secrets.values.size, 0);
    assert.deepEqual(pathsOf(network.requests).slice(-2), ['/oauth/revoke', '/oauth/revoke']);
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('deletes the session all the same when the platform cannot be reached, and says so in the log', async () => {
    const online = platform(tokens);
    let isOnline = true;
    const network = answering((request) => (isOnline ? online.send(request) : cut('unreachable')));
    const { signIn, sessions, log } = world(network, person().dialogs);
    const session = await signIn.signIn(instance);
    assert.ok(session !== undefined);
    isOnline = false;
    await signIn.signOut(session);
    assert.deepEqual(sessions.all(), []);
    assert.match(log.lines.join('\n'), /Could not revoke the tokens of @ana/);
  });
});
