import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const password = 'a long pass phrase';
const profile = '/user_settings/profile';
const emails = '/user_settings/emails';
const passwords = '/user_settings/password';

describe('account settings pages', () => {
  let server: TestServer;
  let hash: string;
  let person: PageClient;
  before(() => {
    hash = cheapHash(password);
  });
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1, 12));
    for (const [username, passwordHash] of [
      ['ada', hash],
      ['bob', null],
    ] as const) {
      const made = createUser(server.platform, { username, name: username, email: `${username}@example.com`, passwordHash });
      assert.ok(typeof made === 'object');
    }
    person = new PageClient(server);
    await person.signIn('ada');
  });
  afterEach(() => server.close());

  const send = async (page: string, fields: Readonly<Record<string, string>>, client = person): Promise<TestResponse> =>
    client.submit(await client.open(page), page, fields);
  const stored = (username = 'ada'): User => {
    const user = findUserByName(server.platform, username);
    assert.ok(user);
    return user;
  };
  const signIn = async (login: string, secret: string): Promise<number> => {
    const client = new PageClient(server);
    return (await client.submit(await client.open('/users/sign_in'), '/users/sign_in', { login, password: secret })).status;
  };

  it('account settings pages redirect to the sign-in page without a session', async () => {
    for (const page of [profile, emails, passwords]) {
      const response = await new PageClient(server).open(page);
      assert.equal(response.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(page)}`);
    }
  });

  describe('profile', () => {
    it('the profile is shown on the profile page', async () => {
      const done = await send(profile, { name: ' Ada <Lovelace> ', bio: 'Engines' });
      assert.match(textOf((await person.follow(done)).text), /Profile saved\./);
      assert.match(textOf((await server.request('GET', '/ada')).text), /Ada <Lovelace> Username @ada Bio Engines/);
      assert.equal(stored().email, 'ada@example.com');
    });

    it('the profile can be made private and public again', async () => {
      await send(profile, { bio: 'Engines', private_profile: '1' });
      assert.match(textOf((await server.request('GET', '/ada')).text), /This profile is private\./);
      const page = await person.open(profile);
      const form = formsOf(page.text).find(({ action }) => action === profile)?.fields ?? {};
      assert.equal(form['private_profile'], '1');
      const { private_profile: _, ...open } = form;
      await person.post(profile, open);
      assert.match(textOf((await server.request('GET', '/ada')).text), /Bio Engines/);
    });

    it('the profile shows validation errors and saves nothing', async () => {
      const wrong = await send(profile, { name: ' ', bio: 'x'.repeat(256) });
      assert.equal(wrong.status, 422);
      assert.match(textOf(wrong.text), /Enter a name\./);
      assert.match(textOf(wrong.text), /Enter at most 255 characters\./);
      assert.equal(stored().name, 'ada');
    });
  });

  describe('email address', () => {
    it('the email address can be changed with the password and then be used to sign in', async () => {
      const done = await send(emails, { email: 'countess@example.com', current_password: password });
      assert.match(textOf((await person.follow(done)).text), /Email address saved\./);
      assert.equal(await signIn('countess@example.com', password), 303);
      assert.equal(await signIn('ada@example.com', password), 422);
      assert.equal(stored().public_email, '');
    });

    it('the email address stays public when an administrator changes it', async () => {
      await send(emails, { public_email: '1', current_password: password });
      assert.equal(stored().public_email, 'ada@example.com');
      const json = { email: 'new@example.com' };
      await server.request('PUT', `/api/v4/users/${stored().id}`, { token: server.adminToken, json });
      assert.equal(stored().public_email, 'new@example.com');
    });

    it('the email address is not saved with a wrong password, if it is invalid, or if another user has it', async () => {
      for (const [fields, text] of [
        [{ email: 'new@example.com', current_password: 'wrong' }, /The password is incorrect\./],
        [{ email: 'new', current_password: password }, /Enter a valid email address\./],
        [{ email: 'BOB@example.com', current_password: password }, /This email address is already in use\./],
      ] as const) {
        const response = await send(emails, fields);
        assert.equal(response.status, 422);
        assert.match(textOf(response.text), text);
        assert.ok(!response.text.includes(password));
      }
      assert.equal(stored().email, 'ada@example.com');
    });
  });

  describe('password', () => {
    const input = { password: 'another pass phrase', password_confirmation: 'another pass phrase' };

    it('the password can be changed with the current password, which ends all other sessions', async () => {
      const other = new PageClient(server);
      await other.signIn('ada');
      const before = person.cookie() ?? '';
      const done = await send(passwords, { ...input, current_password: password });
      assert.match(textOf((await person.follow(done)).text), /Password saved\. All other sessions were signed out\./);
      assert.match(textOf((await other.open('/')).text), /You are not signed in/);
      assert.notEqual(person.cookie(), before);
      assert.equal(await signIn('ada', password), 422);
      assert.equal(await signIn('ada', input.password), 303);
    });

    it('the password is not saved if the current password is wrong, the new one is too short or the confirmation differs', async () => {
      for (const [fields, text] of [
        [{ ...input, current_password: 'wrong' }, /The password is incorrect\./],
        [{ password: 'short', password_confirmation: 'short', current_password: password }, /too short/],
        [{ ...input, password_confirmation: 'else', current_password: password }, /passwords do not match/],
      ] as const) {
        const response = await send(passwords, fields);
        assert.equal(response.status, 422);
        assert.match(textOf(response.text), text);
        assert.ok(!response.text.includes(input.password));
      }
      assert.equal(stored().password_hash, hash);
    });

    it('an account is locked after ten wrong current passwords', async () => {
      for (let count = 0; count < 10; count += 1) await send(passwords, { ...input, current_password: 'wrong' });
      const locked = await send(passwords, { ...input, current_password: password });
      assert.equal(locked.status, 429);
      assert.equal(locked.headers.get('retry-after'), '600');
      assert.match(textOf(locked.text), /Too many incorrect passwords\. Try again in 10 minutes\./);
      assert.equal(await signIn('ada', password), 429);
    });

    it('the password can be set without a current password if the user has none', async () => {
      const bob = new PageClient(server);
      await bob.signIn('bob');
      assert.ok(!(await bob.open(passwords)).text.includes('current_password'));
      assert.equal((await send(passwords, input, bob)).status, 303);
      assert.equal(await signIn('bob', input.password), 303);
      assert.ok((await bob.open(passwords)).text.includes('current_password'));
    });
  });
});
