import assert from 'node:assert/strict';
import { DAY, MINUTE } from '../../../server/core/clock.ts';
import { confirmEmail, MAX_EMAILS } from '../../../server/features/emails/manageEmails.ts';
import { confirmationPath } from '../../../server/features/mail/confirmationToken.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

interface Email {
  readonly id: number;
  readonly email: string;
  readonly confirmed_at: string | null;
}

describe('email addresses', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1, 12));
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
  });
  afterEach(() => server.close());

  const own = '/api/v4/user/emails';
  const add = (email: unknown, who: Actor = ada): Promise<TestResponse> =>
    server.request('POST', own, { token: who.token, json: { email } });
  const added = async (email: string, who: Actor = ada): Promise<Email> => {
    const response = await add(email, who);
    assert.equal(response.status, 201, response.text);
    return response.json() as Email;
  };
  const linkOf = ({ id, email }: Email): string => confirmationPath(server.platform, id, email);
  /** Opens a link and presses the button. */
  const follow = async (link: string): Promise<TestResponse> => {
    const visitor = new PageClient(server);
    const page = await visitor.open(link);
    assert.equal(page.status, 200, page.text);
    return visitor.submit(page, '/-/profile/emails/confirmation');
  };
  const confirm = async (email: Email): Promise<void> => {
    assert.equal((await follow(linkOf(email))).status, 200);
  };
  const addressesOf = async (who: Actor): Promise<string[]> =>
    ((await server.request('GET', own, { token: who.token })).json() as Email[]).map(({ email }) => email);
  const notify = (email: string, who: Actor = ada): Promise<TestResponse> =>
    server.request('PUT', '/api/v4/notification_settings', { token: who.token, json: { notification_email: email } });
  const notified = async (who: Actor = ada): Promise<unknown> =>
    (await server.request('GET', '/api/v4/notification_settings', { token: who.token })).json();

  describe('of the own account', () => {
    it('an address is added unconfirmed, listed, shown and removed', async () => {
      const email = await added('ada@work.example');
      assert.deepEqual(email, { id: email.id, email: 'ada@work.example', confirmed_at: null });
      const list = await server.request('GET', own, { token: ada.token });
      assert.deepEqual(list.json(), [email]);
      assert.equal(list.headers.get('x-total'), '1');
      const one = await server.request('GET', `${own}/${email.id}`, { token: ada.token });
      assert.deepEqual(one.json(), email);
      const removed = await server.request('DELETE', `${own}/${email.id}`, { token: ada.token });
      assert.equal(removed.status, 204);
      assert.deepEqual(await addressesOf(ada), []);
    });

    it('a token with the scope read_user lists addresses but adds none', async () => {
      const reader = actor(server.platform, 'reader', { scopes: ['read_user'] });
      assert.equal((await server.request('GET', own, { token: reader.token })).status, 200);
      assert.equal((await add('reader@work.example', reader)).status, 403);
      assert.equal((await server.request('GET', own)).status, 401);
    });

    it('an address of somebody else is not found', async () => {
      const { id } = await added('ada@work.example');
      for (const method of ['GET', 'DELETE']) {
        const response = await server.request(method, `${own}/${id}`, { token: rita.token });
        assert.equal(response.status, 404);
        assert.deepEqual(response.json(), { message: '404 Email Not Found' });
      }
    });

    for (const [name, email, body] of [
      ['missing', undefined, { error: 'email is missing' }],
      ['empty', '', { message: { email: ["can't be blank"] } }],
      ['no address', 'ada', { message: { email: ['is invalid'] } }],
      ['too long', `${'a'.repeat(256)}@b.example`, { message: { email: ['is too long (maximum is 255 characters)'] } }],
      ['the primary address', 'ADA@example.com', { message: { email: ['has already been taken'] } }],
      ['the primary address of somebody else', 'Rita@Example.com', { message: { email: ['has already been taken'] } }],
    ] as const) {
      it(`an address that is ${name} is refused`, async () => {
        const response = await add(email);
        assert.equal(response.status, 400);
        assert.deepEqual(response.json(), body);
      });
    }

    it('an additional address of somebody else is refused in every spelling', async () => {
      await added('shared@work.example', rita);
      const response = await add('Shared@WORK.example');
      assert.deepEqual(response.json(), { message: { email: ['has already been taken'] } });
    });

    it('an account has a limited number of addresses', async () => {
      for (let count = 0; count < MAX_EMAILS; count += 1) await added(`ada${count}@work.example`);
      const response = await add('one@more.example');
      assert.deepEqual(response.json(), {
        message: { email: ['cannot be added: an account has at most 100 additional addresses'] },
      });
      assert.equal((await add('one@more.example', rita)).status, 201);
    });
  });

  describe('of another account', () => {
    const path = (who: Actor): string => `/api/v4/users/${who.user.id}/emails`;

    it('an administrator adds an address with and without confirmation, lists and removes it', async () => {
      const token = server.adminToken;
      const first = await server.request('POST', path(ada), { token, json: { email: 'one@work.example' } });
      assert.equal(first.status, 201, first.text);
      assert.equal((first.json() as Email).confirmed_at, null);
      const second = await server.request('POST', path(ada), {
        token,
        json: { email: 'two@work.example', skip_confirmation: true },
      });
      assert.equal((second.json() as Email).confirmed_at, '2030-01-01T12:00:00.000Z');
      const list = await server.request('GET', path(ada), { token });
      assert.deepEqual(list.json(), [first.json(), second.json()]);
      const { id } = first.json() as Email;
      assert.equal((await server.request('DELETE', `${path(rita)}/${id}`, { token })).status, 404);
      assert.equal((await server.request('DELETE', `${path(ada)}/${id}`, { token })).status, 204);
      assert.deepEqual(await addressesOf(ada), ['two@work.example']);
    });

    it('other users are refused, and an unknown user is not found', async () => {
      assert.equal((await server.request('GET', path(ada), { token: ada.token })).status, 403);
      const unknown = await server.request('GET', '/api/v4/users/4711/emails', { token: server.adminToken });
      assert.deepEqual(unknown.json(), { message: '404 User Not Found' });
    });

    it('an additional address cannot become the primary one of somebody else', async () => {
      await added('ada@work.example');
      const token = server.adminToken;
      const json = { email: 'ADA@work.example', name: 'Eve', username: 'eve', force_random_password: true };
      const created = await server.request('POST', '/api/v4/users', { token, json });
      assert.deepEqual([created.status, created.json()], [409, { message: 'Email has already been taken' }]);
      const changed = await server.request('PUT', `/api/v4/users/${rita.user.id}`, { token, json: { email: json.email } });
      assert.deepEqual([changed.status, changed.json()], [409, { message: 'Email has already been taken' }]);
    });

    it('a former primary address becomes an additional one, and the new one is no longer additional', async () => {
      await confirm(await added('ada@work.example'));
      assert.equal((await notify('ada@work.example')).status, 200);
      const json = { email: 'ada@work.example' };
      const changed = await server.request('PUT', `/api/v4/users/${ada.user.id}`, { token: server.adminToken, json });
      assert.equal(changed.status, 200, changed.text);
      const [former, ...rest] = (await server.request('GET', own, { token: ada.token })).json() as Email[];
      assert.deepEqual(rest, []);
      assert.equal(former?.email, 'ada@example.com');
      assert.notEqual(former.confirmed_at, null);
      assert.deepEqual(await notified(), { level: 'participating', notification_email: 'ada@work.example' });
    });
  });

  describe('confirmation', () => {
    it('a mail to the new address has the confirmation link', async () => {
      const email = await added('ada@work.example');
      const mails = (await server.request('GET', '/api/v4/user/mails', { token: ada.token })).json() as Record<string, unknown>[];
      assert.deepEqual(
        mails.map(({ to, subject }) => [to, subject]),
        [['ada@work.example', 'Confirmation instructions']],
      );
      const mail = await server.request('GET', `/api/v4/mails/${String(mails[0]?.['id'])}`, { token: ada.token });
      const { text, html } = mail.json() as { text: string; html: string };
      const link = /http\S+confirmation_token=\S+/.exec(text)?.[0] ?? '';
      assert.equal(link, `${server.origin}${linkOf(email)}`);
      assert.ok(html.includes(link));
      await server.request('GET', link);
      const opened = (await server.request('GET', `${own}/${email.id}`, { token: ada.token })).json() as Email;
      assert.equal(opened.confirmed_at, null);
      const page = await follow(link);
      assert.match(textOf(page.text), /ada@work\.example is confirmed\./);
      const { confirmed_at: time } = (await server.request('GET', `${own}/${email.id}`, { token: ada.token })).json() as Email;
      assert.equal(time, '2030-01-01T12:00:00.000Z');
      const again = await server.request('GET', linkOf(email));
      assert.match(textOf(again.text), /ada@work\.example was already confirmed\./);
    });

    it('no mail is sent for an address that needs no confirmation', async () => {
      const json = { email: 'ada@work.example', skip_confirmation: true };
      await server.request('POST', `/api/v4/users/${ada.user.id}/emails`, { token: server.adminToken, json });
      const mails = await server.request('GET', '/api/v4/user/mails', { token: ada.token });
      assert.deepEqual(mails.json(), []);
    });

    it('a link of another address, without its code or of a removed address confirms nothing', async () => {
      const [email, other] = [await added('ada@work.example'), await added('ada@home.example')];
      const code = linkOf(email).split('-').slice(2).join('-');
      for (const link of [
        '/-/profile/emails/confirmation',
        `/-/profile/emails/confirmation?confirmation_token=${email.id}`,
        `/-/profile/emails/confirmation?confirmation_token=${email.id}-`,
        `/-/profile/emails/confirmation?confirmation_token=${other.id}-${code}`,
        confirmationPath(server.platform, email.id, 'ada@elsewhere.example'),
      ]) {
        const page = await server.request('GET', link);
        assert.equal(page.status, 404, link);
        assert.match(textOf(page.text), /This link is not valid\./);
      }
      assert.equal((await server.request('DELETE', `${own}/${email.id}`, { token: ada.token })).status, 204);
      assert.equal((await server.request('GET', linkOf(email))).status, 404);
      assert.equal(confirmEmail(server.platform, 'nonsense').outcome, 'unknown');
    });

    it('a mail is sent again at most once a minute, and to unconfirmed addresses only', async () => {
      const email = await added('ada@work.example');
      const person = new PageClient(server);
      await person.signIn('ada');
      const resend = async (): Promise<string> => {
        const page = await person.open('/user_settings/emails');
        const token = /name="authenticity_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
        const sent = await person.post(`/user_settings/emails/${email.id}/resend`, { authenticity_token: token });
        return textOf((await person.follow(sent)).text);
      };
      const mails = async (): Promise<number> =>
        ((await server.request('GET', '/api/v4/user/mails', { token: ada.token })).json() as unknown[]).length;
      assert.match(await resend(), /A mail was sent less than a minute ago\./);
      assert.equal(await mails(), 1);
      server.platform.clock.advance(MINUTE);
      assert.match(await resend(), /Mail sent\./);
      assert.equal(await mails(), 2);
      await confirm(email);
      server.platform.clock.advance(MINUTE);
      assert.doesNotMatch(await resend(), /Mail sent\./);
      assert.equal(await mails(), 2);
    });

    it('a link works for three days and again after another mail', async () => {
      const email = await added('ada@work.example');
      server.platform.clock.advance(3 * DAY);
      const late = await server.request('GET', linkOf(email));
      assert.equal(late.status, 410);
      assert.match(textOf(late.text), /This link is more than three days old\./);
      const person = new PageClient(server);
      await person.signIn('ada');
      const sent = await person.submit(await person.open('/user_settings/emails'), `/user_settings/emails/${email.id}/resend`);
      assert.match(textOf((await person.follow(sent)).text), /Mail sent\./);
      await confirm(email);
    });
  });

  describe('notification address', () => {
    const refused = { message: { notification_email: ['must be an email you have verified'] } };

    it('only confirmed addresses of the account are accepted', async () => {
      const email = await added('ada@work.example');
      for (const address of ['ada@work.example', 'rita@example.com', 'unknown@work.example', 'nonsense']) {
        const response = await notify(address);
        assert.deepEqual([response.status, response.json()], [400, refused], address);
      }
      await confirm(email);
      const response = await notify('ADA@work.example');
      assert.deepEqual(response.json(), { level: 'participating', notification_email: 'ada@work.example' });
      assert.deepEqual((await notify('ada@work.example', rita)).json(), refused);
    });

    it('removing the address that is in use makes notifications go to the primary one', async () => {
      const email = await added('ada@work.example');
      await confirm(email);
      assert.equal((await notify('ada@work.example')).status, 200);
      assert.equal((await server.request('DELETE', `${own}/${email.id}`, { token: ada.token })).status, 204);
      assert.deepEqual(await notified(), { level: 'participating', notification_email: 'ada@example.com' });
    });
  });

  describe('page', () => {
    const page = '/user_settings/emails';
    let person: PageClient;
    beforeEach(async () => {
      person = new PageClient(server);
      await person.signIn('ada');
    });

    it('addresses are added, shown with their state and removed', async () => {
      assert.match(textOf((await person.open(page)).text), /You have no additional addresses\./);
      const done = await person.submit(await person.open(page), `${page}/additional`, { additional_email: ' ada@work.example ' });
      const shown = await person.follow(done);
      assert.match(textOf(shown.text), /Open the link in the mail.*ada@work\.example not confirmed/);
      const [email] = (await server.request('GET', own, { token: ada.token })).json() as Email[];
      assert.ok(email);
      await confirm(email);
      const confirmed = await person.open(page);
      assert.match(textOf(confirmed.text), /ada@work\.example confirmed/);
      assert.ok(!confirmed.text.includes('/resend'));
      const removed = await person.follow(await person.submit(confirmed, `${page}/${email.id}/remove`));
      assert.match(textOf(removed.text), /Address removed\./);
    });

    it('an address that cannot be added is shown with the reason', async () => {
      const response = await person.submit(await person.open(page), `${page}/additional`, {
        additional_email: 'rita@example.com',
      });
      assert.equal(response.status, 422);
      assert.match(textOf(response.text), /The address has already been taken\./);
      assert.match(response.text, /value="rita@example\.com"/);
    });

    it('addresses of somebody else can be neither removed nor mailed', async () => {
      await added('ada@work.example');
      const { id } = await added('rita@work.example', rita);
      const token = /name="authenticity_token" value="([^"]+)"/.exec((await person.open(page)).text)?.[1] ?? '';
      for (const action of ['remove', 'resend']) {
        const response = await person.post(`${page}/${id}/${action}`, { authenticity_token: token });
        assert.equal(response.status, 404);
      }
    });
  });
});
