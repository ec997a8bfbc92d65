import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Secret, TOTP } from 'otpauth';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { checkError, token } from '../oauth/support.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer, type TestServerOptions } from '../../support/server.ts';

const MINUTE = 60_000;
const STEP = 30_000;
const password = 'a long pass phrase';
const settings = '/user_settings/two_factor_auth';
const codePage = '/users/sign_in/two_factor';
/** Start of a time step, in milliseconds. */
const START = Date.UTC(2030, 0, 1, 12);

/** Authenticator app that generates codes by the server's clock. */
class App {
  readonly #totp: TOTP;
  readonly #server: TestServer;
  readonly secret: string;

  constructor(server: TestServer, secret: string) {
    this.#server = server;
    this.secret = secret;
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  code(steps = 0): string {
    return this.#totp.generate({ timestamp: this.#server.platform.clock.now() + steps * STEP });
  }
}

interface Enrolled {
  readonly app: App;
  readonly recoveryCodes: readonly string[];
}

const secretIn = (page: TestResponse): string =>
  (/<dt>Key<\/dt><dd class="mono">([A-Z2-7 ]+)<\/dd>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
const recoveryCodesIn = (page: TestResponse): readonly string[] =>
  [...page.text.matchAll(/<li>([0-9a-f]{16})<\/li>/g)].map(([, code]) => code ?? '');

/** Signs in with a link in a new browser and enables two-factor authentication of a user. */
async function enrol(server: TestServer, username = 'ada', secret = password): Promise<Enrolled> {
  const browser = new PageClient(server);
  await browser.signIn(username);
  const page = await browser.open(settings);
  const app = new App(server, secretIn(page));
  const done = await browser.submit(page, settings, { current_password: secret, code: app.code() });
  assert.equal(done.status, 200, textOf(done.text));
  // The setup has used the code of this time step.
  server.platform.clock.advance(STEP);
  return { app, recoveryCodes: recoveryCodesIn(done) };
}

describe('two-factor authentication', () => {
  let server: TestServer;
  let hash: string;
  let ada: User;
  let browser: PageClient;
  before(() => {
    hash = cheapHash(password);
  });

  async function start(options: TestServerOptions = {}): Promise<TestServer> {
    server = await startTestServer(options);
    server.platform.clock.freeze(START);
    const made = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@example.com', passwordHash: hash });
    assert.ok(typeof made === 'object');
    ada = made;
    browser = new PageClient(server);
    return server;
  }
  beforeEach(() => start());
  afterEach(() => server.close());

  const signIn = async (client = browser, secret = password, goOn = '/'): Promise<TestResponse> => {
    const page = await client.open(`/users/sign_in?return_to=${encodeURIComponent(goOn)}`);
    return client.submit(page, '/users/sign_in', { login: 'ada', password: secret });
  };
  const sendCode = async (code: string, client = browser): Promise<TestResponse> =>
    client.submit(await client.open(codePage), codePage, { code });
  const isSignedIn = async (client = browser): Promise<boolean> =>
    textOf((await client.open('/')).text).includes('signed in as @ada');
  const rule = (): string | undefined => server.platform.requestLog.list(1)[0]?.refusal?.rule;
  const enabled = async (user = ada): Promise<unknown> => {
    const response = await server.request('GET', `/api/v4/users/${user.id}`, { token: server.adminToken });
    return (response.json() as Record<string, unknown>)['two_factor_enabled'];
  };

  describe('setting up two-factor authentication', () => {
    beforeEach(() => browser.signIn('ada'));

    it('the setup page shows the key also as a QR code and a URL, unchanged until it is confirmed', async () => {
      const page = await browser.open(settings);
      const secret = secretIn(page);
      assert.match(secret, /^[A-Z2-7]{32}$/);
      const inApp = new URL(/href="(otpauth:[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '');
      assert.equal(decodeURIComponent(inApp.pathname.split(':').at(-1) ?? ''), 'ada');
      assert.deepEqual(Object.fromEntries(inApp.searchParams), {
        issuer: 'Signalbox 127.0.0.1',
        secret,
        algorithm: 'SHA1',
        digits: '6',
        period: '30',
      });
      assert.match(page.text, /<svg [^>]*viewBox/);
      assert.equal(secretIn(await browser.open(settings)), secret);
      server.platform.clock.advance(61 * MINUTE);
      assert.notEqual(secretIn(await browser.open(settings)), secret, 'a page that was left open is not good for ever');
    });

    it('two-factor authentication is enabled with a code and the password, which ends all other sessions', async () => {
      const other = new PageClient(server);
      await other.signIn('ada');
      const page = await browser.open(settings);
      const app = new App(server, secretIn(page));
      const done = await browser.submit(page, settings, { current_password: password, code: app.code() });
      assert.match(textOf(done.text), /Two-factor authentication enabled\. All other sessions were signed out\./);
      const codes = recoveryCodesIn(done);
      assert.equal(new Set(codes).size, 10);
      assert.equal(await isSignedIn(), true);
      assert.equal(await isSignedIn(other), false);
      assert.equal(await enabled(), true);
      const after = await browser.open(settings);
      assert.match(textOf(after.text), /was enabled less than a minute ago \. 10 recovery codes left\./);
      assert.ok(!after.text.includes(codes[0] ?? ''), 'they are shown once');
      assert.equal(secretIn(after), '');
    });

    it('two-factor authentication is not enabled with a wrong code, a wrong password or an expired setup', async () => {
      const page = await browser.open(settings);
      const app = new App(server, secretIn(page));
      for (const [fields, text] of [
        [
          { current_password: password, code: app.code(9) },
          /The code is incorrect\. Enter the current code from your authenticator app\./,
        ],
        [{ current_password: password, code: '' }, /The code is incorrect/],
        [{ current_password: password, code: 'ßßßßßß' }, /The code is incorrect/],
        [{ current_password: 'wrong', code: app.code() }, /The password is incorrect\./],
      ] as const) {
        const refused = await browser.submit(page, settings, fields);
        assert.equal(refused.status, 422);
        assert.match(textOf(refused.text), text);
        assert.equal(secretIn(refused), app.secret, 'the key is still the same');
      }
      assert.equal(await enabled(), false);
      assert.equal((await signIn(new PageClient(server))).headers.get('location'), '/');
    });

    it('two-factor authentication is enabled once if the form is sent twice', async () => {
      const page = await browser.open(settings);
      const app = new App(server, secretIn(page));
      const first = await browser.submit(page, settings, { current_password: password, code: app.code() });
      const again = await browser.post(settings, {
        authenticity_token: formsOf((await browser.open(settings)).text)[0]?.fields['authenticity_token'] ?? '',
        current_password: password,
        code: app.code(),
      });
      assert.equal(recoveryCodesIn(first).length, 10);
      assert.equal(again.headers.get('location'), settings);
    });

    it('users without a password enable two-factor authentication without one', async () => {
      createUser(server.platform, { username: 'bob', name: 'Bob', email: 'bob@example.com' });
      const bob = new PageClient(server);
      await bob.signIn('bob');
      const page = await bob.open(settings);
      assert.ok(!page.text.includes('current_password'));
      const code = new App(server, secretIn(page)).code();
      assert.equal(recoveryCodesIn(await bob.submit(page, settings, { code })).length, 10);
    });
  });

  describe('signing in with a code', () => {
    let app: App;
    let recoveryCodes: readonly string[];
    beforeEach(async () => {
      ({ app, recoveryCodes } = await enrol(server));
    });

    it('signing in with a code continues to the requested page', async () => {
      const half = await signIn(browser, password, '/oauth/device');
      assert.equal(half.headers.get('location'), `${codePage}?return_to=%2Foauth%2Fdevice`);
      assert.equal(await isSignedIn(), false);
      assert.equal((await browser.open('/user_settings/profile')).status, 303, 'nothing is open yet');
      const page = await browser.follow(half);
      assert.match(textOf(page.text), /Signing in as @ada \. Enter a code to continue\./);
      const cookie = browser.cookie() ?? '';
      const done = await browser.submit(page, codePage, { code: app.code() });
      assert.equal(done.headers.get('location'), '/oauth/device');
      assert.equal(await isSignedIn(), true);
      const thief = new PageClient(server);
      thief.setCookie(cookie);
      assert.equal(await isSignedIn(thief), false, 'the session of the first step is dead');
    });

    it('signing in with a code continues to a URL of any length', async () => {
      const goOn = `/oauth/authorize?state=${'%2F'.repeat(1200)}`;
      const page = await browser.open(`/users/sign_in?return_to=${encodeURIComponent(goOn)}`);
      const asked = await browser.submit(page, '/users/sign_in', { login: 'ada', password });
      assert.equal(asked.status, 200);
      const done = await browser.submit(asked, codePage, { code: app.code() });
      assert.equal(done.headers.get('location'), goOn);
    });

    it('signing in with a code starts a new session, which prevents session fixation', async () => {
      await browser.open('/users/sign_in');
      const applied = browser.cookie() ?? '';
      await signIn();
      assert.notEqual(browser.cookie(), applied);
      const thief = new PageClient(server);
      thief.setCookie(applied);
      assert.equal((await thief.open(codePage)).headers.get('location'), '/users/sign_in?return_to=%2F');
    });

    it('codes of the current time step, the previous and the next one are accepted', async () => {
      server.platform.clock.advance(10 * STEP);
      for (const [steps, status] of [
        [-2, 422],
        [2, 422],
        [-1, 303],
        [0, 303],
        [1, 303],
      ] as const) {
        const client = new PageClient(server);
        await signIn(client);
        assert.equal((await sendCode(app.code(steps), client)).status, status, `${steps} steps away`);
      }
    });

    it('each code is accepted once', async () => {
      const code = app.code();
      await signIn();
      assert.equal((await sendCode(`${code.slice(0, 3)} ${code.slice(3)}`)).status, 303, 'spaces do not matter');
      const second = new PageClient(server);
      await signIn(second);
      const replayed = await sendCode(code, second);
      assert.equal(replayed.status, 422);
      assert.match(textOf(replayed.text), /This code has already been used\. Wait for the next one\./);
      assert.equal(rule(), 'second-factor.used-before');
      server.platform.clock.advance(STEP);
      assert.equal((await sendCode(code, second)).status, 422, 'also while its step is the one before');
      assert.equal((await sendCode(app.code(), second)).status, 303);
    });

    it('each code is accepted once even with concurrent requests', async () => {
      const clients = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const client = new PageClient(server);
          await signIn(client);
          return { client, page: await client.open(codePage) };
        }),
      );
      const responses = await Promise.all(clients.map(({ client, page }) => client.submit(page, codePage, { code: app.code() })));
      assert.deepEqual(responses.map(({ status }) => status).toSorted(), [303, 422, 422, 422, 422]);
    });

    it('each recovery code is accepted once', async () => {
      const [first = '', second = ''] = recoveryCodes;
      await signIn();
      assert.equal((await sendCode(first.toUpperCase().replaceAll(/(.{4})(?=.)/g, '$1-'))).status, 303, 'however it is typed');
      const other = new PageClient(server);
      await signIn(other);
      const again = await sendCode(first, other);
      assert.equal(again.status, 422);
      assert.match(textOf(again.text), /Incorrect code\./);
      assert.equal((await sendCode(second, other)).status, 303);
      assert.match(textOf((await other.open(settings)).text), /8 recovery codes left/);
    });

    it('the code must be entered within ten minutes', async () => {
      await signIn();
      const page = await browser.open(codePage);
      server.platform.clock.advance(10 * MINUTE);
      const late = await browser.submit(page, codePage, { code: app.code() });
      assert.equal(late.status, 422);
      assert.match(textOf(late.text), /within ten minutes of the password\. Sign in again\./);
      assert.equal(rule(), 'second-factor.session');
      assert.equal((await browser.open(codePage)).headers.get('location'), '/users/sign_in?return_to=%2F');
      assert.equal(await isSignedIn(), false);
    });

    it('no code is requested after a wrong password, with the same message for all users', async () => {
      const refused = await signIn(browser, 'wrong');
      assert.equal(refused.status, 422);
      assert.match(textOf(refused.text), /Incorrect username or password\./);
      assert.equal((await browser.open(codePage)).status, 303);
    });

    it('the code of a user who was blocked or got a new password meanwhile is refused', async () => {
      await signIn();
      await server.request('POST', `/api/v4/users/${ada.id}/block`, { token: server.adminToken });
      assert.equal((await browser.open(codePage)).status, 303);
      await server.request('POST', `/api/v4/users/${ada.id}/unblock`, { token: server.adminToken });
      const owner = new PageClient(server);
      await owner.signIn('ada');
      await signIn();
      const fields = { current_password: password, password: `${password}!`, password_confirmation: `${password}!` };
      const page = '/user_settings/password';
      assert.equal((await owner.submit(await owner.open(page), page, fields)).status, 303);
      assert.equal((await browser.open(codePage)).status, 303);
    });

    it('no code is requested after a one-time sign-in link', async () => {
      await browser.signIn('ada');
      assert.equal(await isSignedIn(), true);
    });
  });

  describe('wrong codes', () => {
    let app: App;
    beforeEach(async () => {
      ({ app } = await enrol(server));
    });

    it('ten wrong codes lock the account for ten minutes, also for passwords', async () => {
      await signIn();
      const page = await browser.open(codePage);
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await browser.submit(page, codePage, { code: 'abcdef' })).status, 422);
      }
      const locked = await browser.submit(page, codePage, { code: app.code() });
      assert.equal(locked.status, 429);
      assert.equal(locked.headers.get('retry-after'), '600');
      assert.match(textOf(locked.text), /Too many failed sign-in attempts\. Try again in 10 minutes\./);
      assert.equal((await signIn(new PageClient(server))).status, 429);
      server.platform.clock.advance(10 * MINUTE);
      await signIn();
      assert.equal((await sendCode(app.code())).status, 303);
    });

    it('a correct password alone does not reset the count of wrong codes', async () => {
      await signIn();
      for (let count = 0; count < 9; count += 1) assert.equal((await sendCode('abcdef')).status, 422);
      assert.equal((await signIn()).status, 303, 'the right password is no failure');
      assert.equal((await sendCode('abcdef')).status, 422);
      assert.equal((await sendCode(app.code())).status, 429);
    });

    it('a correct code resets the count of wrong codes', async () => {
      await signIn();
      for (let count = 0; count < 9; count += 1) await sendCode('abcdef');
      assert.equal((await sendCode(app.code())).status, 303);
      const other = new PageClient(server);
      await signIn(other);
      server.platform.clock.advance(STEP);
      assert.equal((await sendCode('abcdef', other)).status, 422);
      assert.equal((await sendCode(app.code(), other)).status, 303);
    });
  });

  describe('two-factor authentication and the password grant', () => {
    const grant = (secret: string): Promise<TestResponse> =>
      token(server, { grant_type: 'password', username: 'ada', password: secret });

    it('the password grant of a user with two-factor authentication is refused like a wrong password, and the request log says why', async () => {
      assert.equal((await grant(password)).status, 200);
      await enrol(server);
      const [right, wrong] = [await grant(password), await grant('wrong')];
      checkError(right, 400, 'invalid_grant');
      assert.equal(right.text, wrong.text);
      await grant(password);
      assert.equal(rule(), 'password.second-factor');
      assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', /personal access token/);
    });

    it('the password grant of a user with two-factor authentication counts only wrong passwords', async () => {
      const { app } = await enrol(server);
      for (let count = 0; count < 9; count += 1) await grant('wrong');
      for (let count = 0; count < 3; count += 1) await grant(password);
      assert.equal(rule(), 'password.second-factor', 'twelve were sent, nine of them wrong');
      await grant('wrong');
      await grant(password);
      assert.equal(rule(), 'password.attempts');
      server.platform.clock.advance(10 * MINUTE);
      await signIn();
      assert.equal((await sendCode(app.code())).status, 303);
    });
  });

  describe('changing two-factor authentication', () => {
    let enrolled: Enrolled;
    beforeEach(async () => {
      enrolled = await enrol(server);
      await browser.signIn('ada');
    });
    const press = async (action: string, secret: string): Promise<TestResponse> => {
      const [form] = formsOf((await browser.open(settings)).text).filter((one) => one.action === `${settings}/codes`);
      return browser.post(`${settings}/${action}`, { ...form?.fields, current_password: secret });
    };

    it('new recovery codes require the password, and invalidate the old ones', async () => {
      assert.match(textOf((await press('codes', 'wrong')).text), /The password is incorrect\./);
      const codes = recoveryCodesIn(await press('codes', password));
      assert.equal(codes.length, 10);
      const other = new PageClient(server);
      await signIn(other);
      assert.equal((await sendCode(enrolled.recoveryCodes[0] ?? '', other)).status, 422);
      assert.equal((await sendCode(codes[0] ?? '', other)).status, 303);
    });

    it('two-factor authentication is disabled with the password, and has another key when enabled again', async () => {
      assert.equal((await press('disable', 'wrong')).status, 422);
      assert.equal(await enabled(), true);
      const done = await press('disable', password);
      const page = await browser.follow(done);
      assert.match(textOf(page.text), /Two-factor authentication disabled\./);
      assert.equal(await enabled(), false);
      assert.notEqual(secretIn(page), enrolled.app.secret);
      const other = new PageClient(server);
      assert.equal((await signIn(other)).headers.get('location'), '/');
      const late = await browser.post(
        `${settings}/disable`,
        formsOf(page.text).find((one) => one.action === settings)?.fields ?? {},
      );
      assert.equal(late.headers.get('location'), settings);
    });
  });

  describe('PATCH /users/:id/disable_two_factor', () => {
    const disable = (user: User, bearer = server.adminToken): Promise<TestResponse> =>
      server.request('PATCH', `/api/v4/users/${user.id}/disable_two_factor`, { token: bearer });

    it('PATCH /users/:id/disable_two_factor responds with 204, and the password is enough, also in a browser that waited for the code', async () => {
      await enrol(server);
      await signIn();
      assert.equal((await disable(ada)).status, 204);
      assert.equal(await enabled(), false);
      assert.equal((await browser.open(codePage)).status, 303);
      assert.equal((await signIn()).headers.get('location'), '/');
    });

    it('PATCH /users/:id/disable_two_factor is refused with the same messages as on GitLab', async () => {
      for (const [response, status, message] of [
        [await disable(ada), 400, '400 Bad request - Two-factor authentication is not enabled for this user'],
        [
          await server.request('PATCH', '/api/v4/users/1/disable_two_factor', { token: server.adminToken }),
          403,
          '403 Forbidden - Two-factor authentication for admins cannot be disabled via the API. Use the Rails console',
        ],
        [
          await server.request('PATCH', '/api/v4/users/999/disable_two_factor', { token: server.adminToken }),
          404,
          '404 User Not Found',
        ],
      ] as const) {
        assert.equal(response.status, status);
        assert.deepEqual(response.json(), { message });
      }
    });

    it('PATCH /users/:id/disable_two_factor requires an administrator', async () => {
      const json = { name: 'own', scopes: ['api'], expires_at: '2030-02-01' };
      const made = await server.request('POST', `/api/v4/users/${ada.id}/personal_access_tokens`, {
        token: server.adminToken,
        json,
      });
      const own = (made.json() as { token: string }).token;
      assert.deepEqual((await disable(ada, own)).json(), { message: '403 Forbidden' });
      assert.equal((await server.request('PATCH', `/api/v4/users/${ada.id}/disable_two_factor`)).status, 401);
    });
  });

  describe('storage of two-factor authentication', () => {
    let folder: string;
    let lines: string[];
    beforeEach(async () => {
      await server.close();
      folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-two-factor-'));
      lines = [];
      await start({ file: path.join(folder, 'signalbox.sqlite'), dataFolder: folder, log: (line) => lines.push(line) });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('no secret of two-factor authentication is in plain text in the data folder, the request log or the log', async () => {
      const { app, recoveryCodes } = await enrol(server);
      await signIn();
      const code = app.code();
      await sendCode(code);
      await signIn(new PageClient(server));
      const spent = recoveryCodes[0] ?? '';
      const other = new PageClient(server);
      await signIn(other);
      await sendCode(spent, other);
      const bytes = Buffer.from(Secret.fromBase32(app.secret).bytes);
      const files = readdirSync(folder).filter((name) => statSync(path.join(folder, name)).isFile());
      const stored = {
        ...Object.fromEntries(files.map((name) => [name, readFileSync(path.join(folder, name), 'latin1')])),
        requestLog: JSON.stringify(server.platform.requestLog.list(500)),
        log: lines.join('\n'),
      };
      assert.ok(files.includes('signalbox.sqlite') && files.includes('sealing.key'));
      const secrets = {
        secret: app.secret,
        'secret in hex': bytes.toString('hex'),
        'secret in base64': bytes.toString('base64url'),
        'secret in bytes': bytes.toString('latin1'),
        ...Object.fromEntries(recoveryCodes.map((value, index) => [`recovery code ${index}`, value])),
      };
      for (const [location, text] of Object.entries(stored)) {
        for (const [name, value] of Object.entries(secrets)) assert.ok(!text.includes(value), `${location} holds the ${name}`);
      }
      assert.equal(statSync(path.join(folder, 'sealing.key')).mode & 0o077, 0, 'the key is its owner’s only');
    });

    it('two-factor authentication works after a restart; without its key only recovery codes work', async () => {
      const { app, recoveryCodes } = await enrol(server);
      const restart = async (): Promise<void> => {
        await server.close();
        server = await startTestServer({ file: path.join(folder, 'signalbox.sqlite'), dataFolder: folder });
        browser = new PageClient(server);
      };
      await restart();
      const again = new App(server, app.secret);
      await signIn();
      assert.equal((await sendCode(again.code())).status, 303);
      rmSync(path.join(folder, 'sealing.key'));
      await restart();
      server.platform.clock.advance(STEP);
      await signIn();
      const refused = await sendCode(new App(server, app.secret).code());
      assert.equal(refused.status, 422);
      assert.match(textOf(refused.text), /can no longer verify codes from your app\. Use a recovery code/);
      assert.equal((await sendCode(recoveryCodes[0] ?? '')).status, 303);
    });
  });

  it('used time steps are deleted after a day', async () => {
    const { app } = await enrol(server);
    await signIn();
    await sendCode(app.code());
    const count = (): unknown => server.platform.store.get('SELECT count(*) AS n FROM spent_time_steps');
    assert.deepEqual(count(), { n: 2 });
    server.platform.clock.advance(24 * 60 * MINUTE);
    assert.deepEqual(count(), { n: 0 });
  });
});
