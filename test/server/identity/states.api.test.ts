import assert from 'node:assert/strict';
import { accountSubject } from '../../../server/features/attempts/accountLock.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { recordAttempt } from '../../../server/features/attempts/failedAttempts.ts';
import { refusalOf } from '../oauth/codes.ts';
import {
  checkError,
  confidentialClient,
  decide,
  deviceCodes,
  extension,
  poll,
  refresh,
  token,
  type Tokens,
} from '../oauth/support.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const password = 'a long pass phrase';

describe('states of users', () => {
  let hash: string;
  let server: TestServer;
  let ada: User;
  let own: string;
  before(() => {
    hash = cheapHash(password);
  });
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1, 12));
    const made = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@example.com', passwordHash: hash });
    assert.ok(typeof made === 'object');
    ada = made;
    own = issuePersonalToken(server.platform, ada, { name: 'own', scopes: ['api'], expiresAt: null }).token;
  });
  afterEach(() => server.close());

  const act = (action: string, id = ada.id): Promise<TestResponse> =>
    server.request('POST', `/api/v4/users/${id}/${action}`, { token: server.adminToken });
  const done = async (action: string): Promise<void> => {
    const response = await act(action);
    assert.deepEqual([response.status, response.text], [201, 'true'], action);
  };
  const member = async (name: string): Promise<unknown> =>
    ((await server.request('GET', `/api/v4/users/${ada.id}`, { token: server.adminToken })).json() as Record<string, unknown>)[
      name
    ];
  const me = (): Promise<TestResponse> => server.request('GET', '/api/v4/user', { token: own });
  const signIn = async (client = new PageClient(server), secret = password): Promise<TestResponse> =>
    client.submit(await client.open('/users/sign_in'), '/users/sign_in', { login: 'ada', password: secret });

  it('the state of a user changes as on GitLab, with the same messages', async () => {
    const refusal = async (action: string, message: string): Promise<void> => {
      const response = await act(action);
      assert.deepEqual([response.status, response.json()], [403, { message }], `${action}: ${response.text}`);
    };
    const nothing = async (action: string, body: string): Promise<void> => {
      const response = await act(action);
      assert.deepEqual([response.status, response.text], [201, body], action);
    };
    await refusal('unban', 'You cannot unban active users.');
    await done('activate');
    await done('unblock');
    assert.equal(await member('state'), 'active');

    await done('deactivate');
    assert.equal(await member('state'), 'deactivated');
    await nothing('deactivate', 'null');
    await refusal('ban', 'You cannot ban deactivated users.');
    await refusal('unblock', '403 Forbidden - Deactivated users cannot be unblocked by the API');
    await done('activate');
    assert.equal(await member('state'), 'active');

    await done('deactivate');
    await done('block');
    assert.equal(await member('state'), 'blocked');
    await nothing('block', 'null');
    await refusal('ban', 'You cannot ban blocked users.');
    await refusal('deactivate', 'Error occurred. A blocked user cannot be deactivated');
    await refusal('activate', '403 Forbidden - A blocked user must be unblocked to be activated');
    await done('unblock');

    await done('ban');
    assert.equal(await member('state'), 'banned');
    await nothing('block', 'null');
    await nothing('unblock', 'false');
    await refusal('deactivate', 'Error occurred. A blocked user cannot be deactivated');
    await refusal('activate', '403 Forbidden - A blocked user must be unblocked to be activated');
    await done('unban');
    assert.equal(await member('state'), 'active');
  });

  it('only administrators can change the state of users, and they cannot block themselves', async () => {
    for (const action of ['block', 'unblock', 'ban', 'unban', 'deactivate', 'activate', 'unlock']) {
      const response = await server.request('POST', `/api/v4/users/${ada.id}/${action}`, { token: own });
      assert.deepEqual([response.status, response.json()], [403, { message: '403 Forbidden' }], action);
      const unknown = await act(action, 999);
      assert.deepEqual([unknown.status, unknown.json()], [404, { message: '404 User Not Found' }], action);
    }
    const response = await act('block', 1);
    assert.deepEqual(response.json(), { message: '403 Forbidden - The API initiating user cannot be blocked by the API' });
    assert.equal((await act('ban', 1)).status, 403);
  });

  it('users cannot be deactivated within 90 days of their last activity or sign-in', async () => {
    const text = 'The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated';
    await me();
    server.platform.clock.advance(89 * DAY);
    const refused = await act('deactivate');
    assert.deepEqual([refused.status, refused.json()], [403, { message: text }]);
    server.platform.clock.advance(DAY);
    await signIn();
    assert.equal((await act('deactivate')).status, 403, 'the sign-in counts');
    server.platform.clock.advance(90 * DAY);
    await done('deactivate');
  });

  describe('deactivated users', () => {
    const message = (): string =>
      `403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${server.origin}`;

    it('tokens of a deactivated user are refused until the account is active again', async () => {
      await done('deactivate');
      const refused = await me();
      assert.deepEqual([refused.status, refused.json()], [403, { message: message() }]);
      assert.equal(refusalOf(server).rule, 'credentials.active');
      await done('activate');
      assert.equal((await me()).status, 200);
    });

    it('signing in with a password reactivates a user', async () => {
      await done('deactivate');
      const browser = new PageClient(server);
      assert.equal((await signIn(browser, 'wrong')).status, 422);
      assert.equal(await member('state'), 'deactivated');
      assert.equal((await signIn(browser)).status, 303);
      assert.match(textOf((await browser.open('/')).text), /signed in as @ada/);
      assert.equal(await member('state'), 'active');
      assert.equal((await me()).status, 200);
    });

    it('a one-time sign-in link reactivates a user', async () => {
      await done('deactivate');
      const json = { username: 'ada' };
      const made = await server.request('POST', '/_local/sign-in-links', { token: server.adminToken, json });
      assert.equal(made.status, 201, made.text);
      const browser = new PageClient(server);
      await browser.open((made.json() as { url: string }).url);
      assert.match(textOf((await browser.open('/')).text), /signed in as @ada/);
      assert.equal(await member('state'), 'active');
    });

    it('deactivation ends browser sessions permanently', async () => {
      const browser = new PageClient(server);
      await browser.signIn('ada');
      server.platform.clock.advance(91 * DAY);
      await browser.signIn('ada');
      server.platform.store.run('UPDATE users SET current_sign_in_at = 0 WHERE id = $id', { id: ada.id });
      await done('deactivate');
      assert.match(textOf((await browser.open('/')).text), /You are not signed in/);
      await done('activate');
      assert.match(textOf((await browser.open('/')).text), /You are not signed in/);
    });

    it('a deactivated user cannot use any grant', async () => {
      const client = confidentialClient(server);
      const byPassword = { grant_type: 'password', username: 'ada', password };
      const before = (await token(server, byPassword)).json() as Tokens;
      const codes = await deviceCodes(server);
      await decide(server, codes, 'approve', 'ada');
      server.platform.store.run('UPDATE users SET current_sign_in_at = NULL, last_activity_at = NULL');
      await done('deactivate');
      checkError(await token(server, byPassword), 400, 'invalid_grant');
      assert.equal(refusalOf(server).rule, 'user');
      assert.match(refusalOf(server).reason, /deactivated/);
      checkError(await token(server, { grant_type: 'refresh_token', refresh_token: before.refresh_token }), 400, 'invalid_grant');
      checkError(await poll(server, codes), 400, 'invalid_grant');
      const asked = await server.request('POST', '/oauth/introspect', { form: { ...client, token: before.access_token } });
      assert.deepEqual(asked.json(), { active: false });
      assert.equal(await member('state'), 'deactivated', 'a grant is no sign-in');
    });
  });

  for (const action of ['block', 'ban'] as const) {
    it(`after ${action}, the tokens, password, sign-in links and refresh tokens of a user are refused`, async () => {
      const codes = await deviceCodes(server);
      await decide(server, codes, 'approve', 'ada');
      const { refresh_token } = (await poll(server, codes)).json() as Tokens;
      await done(action);
      const refused = await me();
      assert.deepEqual([refused.status, refused.json()], [403, { message: '403 Forbidden - Your account has been blocked.' }]);
      assert.equal((await signIn()).status, 422);
      const json = { username: 'ada' };
      assert.equal((await server.request('POST', '/_local/sign-in-links', { token: server.adminToken, json })).status, 403);
      checkError(await refresh(server, refresh_token, extension), 400, 'invalid_grant');
      assert.notEqual(await member('state'), 'active');
    });
  }

  describe('locked accounts', () => {
    const locked = (): Promise<unknown> => member('locked');
    const lock = (): void => {
      for (let count = 0; count < 10; count += 1) recordAttempt(server.platform, 'password', accountSubject(ada));
    };

    it('the lock of an account is included in every form of the user while it lasts', async () => {
      assert.equal(await locked(), false);
      lock();
      assert.equal(await locked(), true);
      const [listed] = (await server.request('GET', '/api/v4/users?username=ada')).json() as { locked: boolean }[];
      assert.equal(listed?.locked, true);
      server.platform.clock.advance(10 * MINUTE);
      assert.equal(await locked(), false);
    });

    it('administrators can unlock an account', async () => {
      lock();
      assert.equal((await signIn()).status, 429);
      await done('unlock');
      assert.equal(await locked(), false);
      assert.equal((await signIn()).status, 303);
      await done('unlock');
    });
  });

  it('the list of users can be filtered by state', async () => {
    for (const [username, action] of [
      ['bob', 'block'],
      ['cat', 'deactivate'],
      ['dan', 'ban'],
    ] as const) {
      createUser(server.platform, { username, name: username, email: `${username}@example.com` });
      await act(action, findUserByName(server.platform, username)?.id);
    }
    const names = async (filter: string): Promise<readonly string[]> => {
      const response = await server.request('GET', `/api/v4/users?${filter}=true&sort=asc`, { token: server.adminToken });
      return (response.json() as { username: string }[]).map(({ username }) => username);
    };
    assert.deepEqual(await names('active'), ['root', 'ada']);
    assert.deepEqual(await names('blocked'), ['bob']);
  });
});
