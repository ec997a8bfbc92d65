import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { hashPassword } from '../../../server/core/secrets.ts';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { mintSetUpLink, mintSignInLink } from '../../../server/features/signIn/links.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const password = 'correct horse battery';

describe('setting up a server', () => {
  let server: TestServer;
  let person: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    person = new PageClient(server);
  });
  afterEach(() => server.close());

  it('setup starts with a one-time link to a page that sets the password of root', async () => {
    const page = await person.openSetUp();
    assert.match(textOf(page.text), /Choose one for the administrator, root/);
    const byLink = person.cookie();
    const done = await person.submit(page, '/users/set_up', { password, password_confirmation: password });
    assert.equal(done.status, 303);
    assert.equal(done.headers.get('location'), '/');
    assert.notEqual(person.cookie(), byLink, 'the session is a new one');
    assert.match(textOf((await person.open('/')).text), /Hello, Administrator/);
    const other = new PageClient(server);
    assert.match(textOf((await other.open('/users/sign_in')).text), /^Sign in/);
    assert.equal((await other.open('/users/set_up')).headers.get('location'), '/users/sign_in');
  });

  it('setup works with a link created with the admin token and continues at its target page', async () => {
    const link = await server.request('POST', '/_local/sign-in-links', {
      token: server.adminToken,
      json: { username: 'root', return_to: '/users/set_up?return_to=/oauth/device' },
    });
    const { url } = link.json() as { readonly url: string };
    const page = await person.follow(await person.open(new URL(url).pathname));
    const done = await person.submit(page, '/users/set_up', { password, password_confirmation: password });
    assert.equal(done.headers.get('location'), '/oauth/device');
  });

  it('setup is refused in browsers without a link, with instructions for getting one', async () => {
    for (const [target, status] of [
      ['/users/set_up', 403],
      ['/users/sign_in', 200],
    ] as const) {
      const page = await person.open(target);
      assert.equal(page.status, status);
      assert.match(textOf(page.text), /Set up this server.*prints a link.*admin token.*POST \/_local\/sign-in-links/);
      assert.ok(!page.text.includes(server.adminToken) && !/sign_in_links\/[0-9a-f]{16}/.test(page.text));
      assert.deepEqual(formsOf(page.text), []);
    }
    assert.equal(server.platform.requestLog.list(2)[1]?.refusal?.rule, 'setup.link');
    // The form token of another page is valid for the whole session.
    const device = await person.open('/oauth/device?user_code=x');
    const token = formsOf(device.text)[0]?.fields['authenticity_token'] ?? '';
    const fields = { authenticity_token: token, password, password_confirmation: password };
    assert.equal((await person.post('/users/set_up', fields)).status, 403);
    assert.match(textOf((await person.open('/users/sign_in')).text), /No user of this server has a password/);
  });

  it('setup is refused for another signed-in user, even while no user has a password', async () => {
    assert.ok(typeof createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' }) === 'object');
    await person.signIn('ada');
    assert.equal((await person.open('/users/set_up')).status, 403);
    const settings = await person.open('/user_settings/profile');
    const token = formsOf(settings.text)[0]?.fields['authenticity_token'] ?? '';
    const fields = { authenticity_token: token, password, password_confirmation: password };
    const refused = await person.post('/users/set_up', fields);
    assert.equal(refused.status, 403);
    assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'setup.link');
  });

  it('a setup link works once, for an hour, and not after the password is set', async () => {
    const [used, old, left] = [mintSetUpLink(server.platform), mintSetUpLink(server.platform), mintSetUpLink(server.platform)];
    assert.equal((await new PageClient(server).open(used)).status, 303);
    assert.equal((await person.open(used)).status, 410);
    server.platform.clock.advance(59 * MINUTE);
    assert.equal((await person.open(left)).status, 303);
    const late = mintSetUpLink(server.platform);
    server.platform.clock.advance(MINUTE);
    assert.equal((await new PageClient(server).open(old)).status, 410);
    await person.setUp(password);
    assert.equal((await new PageClient(server).open(late)).status, 410);
  });

  it('setup signs out other browsers that used a link', async () => {
    const other = new PageClient(server);
    await other.openSetUp();
    await person.setUp(password);
    assert.match(textOf((await other.open('/')).text), /You are not signed in/);
  });

  it('setup shows validation errors at the password field and sets no password', async () => {
    const page = await person.openSetUp();
    for (const [fields, text, name] of [
      [{ password: 'short', password_confirmation: 'short' }, /too short \(minimum is 8 characters\)/, 'password'],
      [{ password: 'x'.repeat(129), password_confirmation: 'x'.repeat(129) }, /too long/, 'password'],
      [{ password, password_confirmation: `${password}!` }, /passwords do not match/, 'password_confirmation'],
      [{}, /too short/, 'password'],
    ] as const) {
      const response = await person.submit(page, '/users/set_up', fields);
      assert.equal(response.status, 422);
      assert.match(textOf(response.text), text);
      assert.match(response.text, new RegExp(`aria-describedby="${name}-error`));
      assert.ok(!response.text.includes(password));
    }
    assert.match(textOf((await new PageClient(server).open('/users/sign_in')).text), /Set up this server/);
  });

  it('only one of several concurrent setup requests sets the password', async () => {
    const clients = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const client = new PageClient(server);
        const page = await client.openSetUp();
        const own = `${password} ${index}`;
        return {
          client,
          response: () => client.submit(page, '/users/set_up', { password: own, password_confirmation: own }),
          own,
        };
      }),
    );
    const responses = await Promise.all(clients.map(({ response }) => response()));
    const homePages = await Promise.all(clients.map(async ({ client }) => textOf((await client.open('/')).text)));
    const winners = clients.filter((_, index) => homePages[index]?.includes('signed in as @root'));
    assert.equal(winners.length, 1);
    // A form that arrives after the password was set belongs to an ended session, so it gets 403.
    const expected = [303, 403, 409];
    assert.deepEqual(
      responses.map(({ status }) => status).filter((status) => !expected.includes(status)),
      [],
    );
    const signedIn = new PageClient(server);
    const page = await signedIn.open('/users/sign_in');
    const response = await signedIn.submit(page, '/users/sign_in', { login: 'root', password: winners[0]?.own ?? '' });
    assert.equal(response.status, 303);
  });

  it('setup is refused once a user has a password', async () => {
    const early = await person.openSetUp();
    const other = new PageClient(server);
    await other.setUp(password);
    const input = { password: 'another password', password_confirmation: 'another password' };
    assert.equal((await person.submit(early, '/users/set_up', input)).status, 403, 'the session of the link has ended');
    const token = formsOf((await other.open('/')).text)[0]?.fields['authenticity_token'] ?? '';
    const late = await other.post('/users/set_up', { authenticity_token: token, ...input });
    assert.equal(late.headers.get('location'), '/users/sign_in');
    assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'setup.unclaimed');
    const page = await person.open('/users/sign_in');
    assert.equal((await person.submit(page, '/users/sign_in', { login: 'root', password: input.password })).status, 422);
  });
});

describe('signing in', () => {
  let server: TestServer;
  let hash: string;
  let person: PageClient;
  before(() => {
    hash = cheapHash(password);
  });
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
    const ada = { username: 'ada', name: 'Ada Lovelace', email: 'Ada@signalbox.example', passwordHash: hash };
    assert.ok(typeof createUser(server.platform, ada) === 'object');
    person = new PageClient(server);
  });
  afterEach(() => server.close());

  const signIn = async (login: string, secret: string, client = person): Promise<TestResponse> =>
    client.submit(await client.open('/users/sign_in'), '/users/sign_in', { login, password: secret });

  it('sign-in accepts username and email in any case', async () => {
    for (const login of ['ada', 'ADA', ' ada ', 'ada@signalbox.example', 'ADA@SIGNALBOX.EXAMPLE']) {
      const client = new PageClient(server);
      const response = await signIn(login, password, client);
      assert.equal(response.status, 303, login);
      assert.equal(response.headers.get('location'), '/');
      assert.match(textOf((await client.open('/')).text), /signed in as @ada/);
    }
  });

  it('sign-in redirects only to paths of this server', async () => {
    for (const [input, goal] of [
      ['/oauth/device?user_code=A', '/oauth/device?user_code=A'],
      ['https://elsewhere.example/', '/'],
      ['//elsewhere.example/', '/'],
      ['/\\elsewhere.example', '/'],
      ['javascript:alert(1)', '/'],
      ['/a\r\nSet-Cookie: a=b', '/'],
      ['', '/'],
    ] as const) {
      const client = new PageClient(server);
      const page = await client.open(`/users/sign_in?return_to=${encodeURIComponent(input)}`);
      assert.equal(formsOf(page.text).find(({ action }) => action === '/users/sign_in')?.fields['return_to'], goal);
      const response = await client.submit(page, '/users/sign_in', { login: 'ada', password, return_to: input });
      assert.equal(response.headers.get('location'), goal, input);
    }
  });

  it('sign-in shows the same message for a wrong username, a wrong password and a blocked account', async () => {
    const ada = findUserByName(server.platform, 'ada');
    const texts = [await signIn('ada', 'wrong'), await signIn('nobody', password), await signIn('root', password)];
    await server.request('POST', `/api/v4/users/${ada?.id}/block`, { token: server.adminToken });
    texts.push(await signIn('ada', password));
    for (const response of texts) {
      assert.equal(response.status, 422);
      assert.match(textOf(response.text), /Incorrect username or password\./);
      assert.match(response.text, /role="alert"/);
      assert.ok(!response.text.includes(password));
    }
    assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'password');
  });

  it('a wrong username is shown again as escaped text', async () => {
    const login = '"><img src=x onerror=alert(1)>';
    const { text } = await signIn(login, 'wrong');
    assert.ok(!text.includes('<img src=x'));
    assert.equal(formsOf(text).find(({ action }) => action === '/users/sign_in')?.fields['login'], login);
  });

  it('an account is locked for ten minutes after ten wrong passwords in ten minutes', async () => {
    for (let count = 0; count < 10; count += 1) {
      const login = ['ada', 'ADA', 'ada@signalbox.example'][count % 3] ?? '';
      assert.equal((await signIn(login, 'wrong')).status, 422);
      server.platform.clock.advance(1000);
    }
    const locked = await signIn('Ada', password);
    assert.equal(locked.status, 429);
    assert.equal(locked.headers.get('retry-after'), '599');
    assert.match(textOf(locked.text), /Too many failed sign-in attempts for this username\. Try again in 10 minutes\./);
    assert.equal((await signIn('root', 'wrong')).status, 422, 'another name is not locked');
    server.platform.clock.advance(598_000);
    assert.equal((await signIn('ada', password)).status, 429);
    server.platform.clock.advance(1000);
    assert.equal((await signIn('ada', password)).status, 303);
  });

  it('an unknown username is locked in the same way', async () => {
    for (let count = 0; count < 10; count += 1) assert.equal((await signIn('nobody', 'wrong')).status, 422);
    const locked = await signIn('NOBODY', 'wrong');
    assert.equal(locked.status, 429);
    assert.equal((await signIn('ada', password)).status, 303);
  });

  it('wrong passwords that are further apart do not lock the account', async () => {
    for (let count = 0; count < 12; count += 1) {
      assert.equal((await signIn('ada', 'wrong')).status, 422);
      server.platform.clock.advance(70_000);
    }
    assert.equal((await signIn('ada', password)).status, 303);
  });

  it('sign-in hashes exactly once at the normal cost, whatever the username, the error and the cost of the stored hash', async () => {
    const blocked = createUser(server.platform, { username: 'bob', name: 'Bob', email: 'bob@example.com', passwordHash: hash });
    assert.ok(typeof blocked === 'object');
    await server.request('POST', `/api/v4/users/${blocked.id}/block`, { token: server.adminToken });
    const normalHash = await hashPassword(password);
    const normal = { username: 'cy', name: 'Cy', email: 'cy@example.com', passwordHash: normalHash };
    assert.ok(typeof createUser(server.platform, normal) === 'object');
    const page = await person.open('/users/sign_in');
    const real = crypto.scrypt;
    let operations = 0;
    const counted = mock.method(crypto, 'scrypt', (...sent: Parameters<typeof real>) => {
      if (typeof sent[3] === 'object' && sent[3].N === 16_384) operations += 1;
      real(...sent);
    });
    syncBuiltinESMExports();
    try {
      for (const [login, secret] of [
        ['nobody', 'wrong'],
        ['ada', 'wrong'],
        ['nobody@example.com', 'wrong'],
        ['ada@signalbox.example', 'wrong'],
        ['root', 'wrong'],
        ['bob', password],
        ['bob', 'wrong'],
        ['cy', 'wrong'],
        ['', ''],
      ] as const) {
        operations = 0;
        assert.equal((await person.submit(page, '/users/sign_in', { login, password: secret })).status, 422);
        assert.equal(operations, 1, `${login} ${secret}`);
      }
    } finally {
      counted.mock.restore();
      syncBuiltinESMExports();
    }
  });

  it('concurrent sign-in attempts are counted and cannot evade the lock', async () => {
    const page = await person.open('/users/sign_in');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => person.submit(page, '/users/sign_in', { login: 'ada', password: 'wrong' })),
    );
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [...Array<number>(10).fill(422), ...Array<number>(10).fill(429)]);
  });

  it('a correct password resets the counter of wrong ones', async function () {
    // This test computes twenty password hashes one after another.
    for (let count = 0; count < 9; count += 1) await signIn('ada', 'wrong');
    assert.equal((await signIn('ada', password)).status, 303);
    const other = new PageClient(server);
    for (let count = 0; count < 9; count += 1) assert.equal((await signIn('ada', 'wrong', other)).status, 422);
    assert.equal((await signIn('ada', password, other)).status, 303);
  });

  it('sign-in creates a new session and ends the previous one', async () => {
    const page = await person.open('/users/sign_in');
    const before = person.cookie() ?? '';
    assert.match(before, /^[0-9a-f]{64}$/);
    const done = await person.submit(page, '/users/sign_in', { login: 'ada', password });
    const [line = ''] = done.headers.getSetCookie();
    assert.match(line, /^_signalbox_session_[0-9a-f]{8}=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.notEqual(person.cookie(), before);
    const thief = new PageClient(server);
    thief.setCookie(before);
    assert.match(textOf((await thief.open('/')).text), /You are not signed in/);
  });

  it('session cookies are secure if the public URL uses HTTPS', async () => {
    await using behind = await startTestServer({ publicUrl: 'https://signalbox.example' });
    const page = await behind.request('GET', mintSetUpLink(behind.platform));
    assert.match(page.headers.getSetCookie()[0] ?? '', /; Secure$/);
  });

  it('signing out ends the session', async () => {
    await person.signIn('ada');
    const cookie = person.cookie() ?? '';
    const page = await person.open('/');
    const out = await person.submit(page, '/users/sign_out');
    assert.equal(out.headers.get('location'), '/');
    assert.equal(person.cookie(), undefined);
    person.setCookie(cookie);
    assert.match(textOf((await person.open('/')).text), /You are not signed in/);
  });

  it('a session ends after fourteen days, and when the account is blocked', async () => {
    await person.signIn('ada');
    server.platform.clock.advance(14 * DAY - 1);
    const page = await person.open('/oauth/device');
    assert.match(textOf(page.text), /Connect an application/);
    server.platform.clock.advance(1);
    assert.match(textOf((await person.open('/')).text), /You are not signed in/);
    assert.equal(
      (await person.submit(page, '/oauth/device', { user_code: 'BBBB-BBBB' })).status,
      403,
      'the forms of the session end, too',
    );
    await person.signIn('ada');
    const ada = findUserByName(server.platform, 'ada');
    await server.request('POST', `/api/v4/users/${ada?.id}/block`, { token: server.adminToken });
    assert.match(textOf((await person.open('/')).text), /You are not signed in/);
  });

  it('the sign-in page redirects a user who is already signed in', async () => {
    await person.signIn('ada');
    assert.equal((await person.open('/users/sign_in?return_to=/oauth/device')).headers.get('location'), '/oauth/device');
  });

  it('a session is created only when a form is shown', async () => {
    for (const path of ['/', '/nothing/here', '/oauth/device/approved']) {
      assert.deepEqual((await server.request('GET', path)).headers.getSetCookie(), [], path);
    }
    assert.equal((await server.request('GET', '/users/sign_in')).headers.getSetCookie().length, 1);
  });

  it('the request log names the signed-in user', async () => {
    await person.signIn('ada');
    await person.open('/');
    assert.equal(server.platform.requestLog.list(1)[0]?.user, 'ada');
  });
});

describe('one-time sign-in links', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
  });
  afterEach(() => server.close());

  async function mint(returnTo = '/oauth/device'): Promise<string> {
    const json = { username: 'root', return_to: returnTo };
    const response = await server.request('POST', '/_local/sign-in-links', { token: server.adminToken, json });
    assert.equal(response.status, 201, response.text);
    return (response.json() as { url: string }).url;
  }

  it('a sign-in link works once and redirects', async () => {
    const person = new PageClient(server);
    const link = await mint('/oauth/device?user_code=BCDF-GHJK');
    const response = await person.open(link);
    assert.equal(response.status, 303);
    assert.equal(response.headers.get('location'), '/oauth/device?user_code=BCDF-GHJK');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.match(textOf((await person.open('/')).text), /signed in as @root/);
    const again = await new PageClient(server).open(link);
    assert.equal(again.status, 410);
    assert.match(textOf(again.text), /no longer works/);
    assert.deepEqual(again.headers.getSetCookie(), []);
  });

  it('HEAD does not use up a sign-in link', async () => {
    const link = await mint();
    const looked = await server.request('HEAD', link);
    assert.equal(looked.status, 200);
    assert.deepEqual(looked.headers.getSetCookie(), []);
    assert.equal((await server.request('GET', link)).status, 303);
  });

  it('a sign-in link works for five minutes', async () => {
    const [early, late] = [await mint(), await mint()];
    server.platform.clock.advance(5 * MINUTE - 1);
    assert.equal((await server.request('GET', early)).status, 303);
    server.platform.clock.advance(1);
    assert.equal((await server.request('GET', late)).status, 410);
  });

  it('a sign-in link does not sign in a blocked user', async () => {
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    const link = mintSignInLink(server.platform, user, '/');
    await server.request('POST', `/api/v4/users/${user.id}/block`, { token: server.adminToken });
    assert.equal((await server.request('GET', link?.path ?? '')).status, 410);
  });

  it('only one of many concurrent requests with a sign-in link signs in', async () => {
    const link = await mint();
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.request('GET', link)));
    assert.equal(responses.filter(({ status }) => status === 303).length, 1);
    assert.equal(responses.filter(({ status }) => status === 410).length, 19);
  });

  it('a sign-in link replaces the signed-in user of the browser', async () => {
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    const person = new PageClient(server);
    await person.signIn('ada');
    const before = person.cookie();
    await person.open(await mint('/'));
    assert.notEqual(person.cookie(), before);
    assert.match(textOf((await person.open('/')).text), /signed in as @root/);
    const thief = new PageClient(server);
    thief.setCookie(before ?? '');
    assert.match(textOf((await thief.open('/')).text), /You are not signed in/);
  });
});
