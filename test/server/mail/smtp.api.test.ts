import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Mail, MailDelivery } from '../../../src/contract/mail.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { mailTo } from '../../support/mails.ts';
import { type MailServer, type MailServerOptions, smtpRefusal, startMailServer } from '../../support/smtp.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { untilTrue } from '../../support/until.ts';

const until = (holds: () => boolean | Promise<boolean>): Promise<void> => untilTrue(holds, 'the expected delivery');

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('delivery to an SMTP server', () => {
  let server: TestServer;
  let ada: Actor;
  let mails: MailServer | undefined;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  afterEach(async () => {
    await server.close();
    await mails?.close();
    mails = undefined;
  });

  const configure = async (settings: Readonly<Record<string, string>>): Promise<void> => {
    const response = await server.request('PUT', '/api/v4/application/settings', { token: server.adminToken, json: settings });
    assert.equal(response.status, 200, response.text);
  };
  const startMails = async (
    options: MailServerOptions = {},
    settings: Readonly<Record<string, string>> = {},
  ): Promise<MailServer> => {
    mails = await startMailServer(options);
    await configure({ smtp_url: `smtp://127.0.0.1:${mails.port}`, ...settings });
    return mails;
  };
  const deliveryOf = async (id: number): Promise<MailDelivery | null> => {
    const response = await server.request('GET', `/api/v4/mails/${id}`, { token: ada.token });
    return (response.json() as Mail).delivery;
  };
  const stateOf = async (id: number): Promise<string | undefined> => (await deliveryOf(id))?.state;
  const isState = (id: number, state: string) => async (): Promise<boolean> => (await stateOf(id)) === state;
  const attemptsOf = async (id: number): Promise<number> => (await deliveryOf(id))?.attempts ?? -1;

  it('does not happen without one', async () => {
    const id = mailTo(server.platform, ada.user);
    assert.equal(await deliveryOf(id), null);
  });

  it('begins when an administrator sets one, with the same message as in the mailbox', async () => {
    const { received, messages } = await startMails();
    const id = mailTo(server.platform, ada.user, { subject: 'Kiln – 900 °C' });
    await received(1);
    await until(isState(id, 'sent'));
    const [message] = messages;
    assert.deepEqual([message?.from, message?.to], ['signalbox@127.0.0.1', ['ada@example.com']]);
    assert.equal(message?.parsed.subject, 'Kiln – 900 °C');
    const source = await server.request('GET', `/api/v4/mails/${id}/source`, { token: ada.token });
    assert.equal(message?.source.trimEnd(), source.text.trimEnd());
  });

  it('uses the user, the password and the sender of the settings, and returns the password nowhere', async () => {
    const seen: unknown[] = [];
    const { port, received, messages } = await startMails({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        seen.push([username, password]);
        done(null, { user: username });
      },
    });
    await configure({
      smtp_url: `smtp://lab@127.0.0.1:${port}?from=lab@kiln.example`,
      smtp_password: 'a secret of the kiln',
    });
    mailTo(server.platform, ada.user);
    await received(1);
    assert.deepEqual(seen, [['lab', 'a secret of the kiln']]);
    assert.equal(messages[0]?.parsed.from?.address, 'lab@kiln.example');
    const settings = await server.request('GET', '/api/v4/application/settings', { token: server.adminToken });
    assert.doesNotMatch(settings.text, /secret of the kiln|smtp_password/);
    const stored = server.platform.store.all('SELECT * FROM instance_texts');
    assert.doesNotMatch(JSON.stringify(stored), /secret of the kiln/);
    const audited = await server.request('GET', '/api/v4/audit_events', { token: server.adminToken });
    assert.match(audited.text, /smtp_password/);
    assert.doesNotMatch(audited.text, /secret of the kiln/);
  });

  const invalid: readonly (readonly [url: string, problem: string])[] = [
    ['kiln', 'is no URL such as smtp://user@host:587'],
    ['smtp://lab:pw@kiln.example', 'must not contain a password'],
    ['smtp://kiln.example/x', 'must not contain a path'],
  ];
  for (const [url, problem] of invalid) {
    it(`refuses the URL ${url}`, async () => {
      const response = await server.request('PUT', '/api/v4/application/settings', {
        token: server.adminToken,
        json: { smtp_url: url },
      });
      assert.deepEqual([response.status, response.json()], [400, { message: { smtp_url: [problem] } }]);
    });
  }

  it('gives a mail up that the server refuses for good, and says why', async () => {
    await startMails({ onRcptTo: (_address, _session, done) => done(smtpRefusal(550, 'no such mailbox')) });
    const id = mailTo(server.platform, ada.user);
    await until(isState(id, 'failed'));
    const delivery = await deliveryOf(id);
    assert.match(delivery?.error ?? '', /no such mailbox/);
    assert.equal(delivery?.next_attempt_at, null);
  });

  it('repeats after a temporary refusal, with the same message', async () => {
    const sources: string[] = [];
    const { received } = await startMails({
      onMessage: ({ source }) => {
        sources.push(source);
        if (sources.length < 3) throw smtpRefusal(451, 'come back later');
      },
    });
    const id = mailTo(server.platform, ada.user);
    for (const attempts of [1, 2]) {
      await until(async () => (await attemptsOf(id)) === attempts);
      assert.match((await deliveryOf(id))?.error ?? '', /come back later/);
      server.platform.clock.advance(HOUR);
    }
    await received(1);
    await until(isState(id, 'sent'));
    assert.equal(new Set(sources).size, 1);
  });

  it('treats a refused sign-in as temporary', async () => {
    const { port } = await startMails({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(smtpRefusal(535, 'wrong password')),
    });
    await configure({ smtp_url: `smtp://lab@127.0.0.1:${port}`, smtp_password: 'not the right one' });
    const id = mailTo(server.platform, ada.user);
    await until(async () => (await attemptsOf(id)) === 1);
    assert.equal(await stateOf(id), 'pending');
  });

  it('sends everything when a server is back that was down for a day', async () => {
    const reserved = createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port } = reserved.address() as AddressInfo;
    reserved.close();
    await once(reserved, 'close');
    await configure({ smtp_url: `smtp://127.0.0.1:${port}` });
    const ids = Array.from({ length: 7 }, (_, index) => mailTo(server.platform, ada.user, { subject: `Mail ${index}` }));
    for (let hour = 0; hour < 24; hour += 1) {
      const before = await Promise.all(ids.map(attemptsOf));
      server.platform.clock.advance(HOUR);
      await until(async () => (await Promise.all(ids.map(attemptsOf))).every((count, index) => count > (before[index] ?? 0)));
    }
    mails = await startMailServer({ at: port });
    server.platform.clock.advance(HOUR);
    await mails.received(ids.length);
    for (const id of ids) await until(isState(id, 'sent'));
    assert.deepEqual(
      mails.messages.map(({ parsed }) => parsed.subject).sort(),
      ids.map((_, index) => `Mail ${index}`),
    );
  });

  it('gives up after five days', async () => {
    await startMails({ onConnect: (_session, done) => done(smtpRefusal(421, 'too busy')) });
    const id = mailTo(server.platform, ada.user);
    await until(async () => (await attemptsOf(id)) === 1);
    server.platform.clock.advance(5 * DAY);
    await until(isState(id, 'failed'));
    assert.match((await deliveryOf(id))?.error ?? '', /too busy/);
  });

  it('ends its connections when the server stops, even if a mail server does not respond', async () => {
    let isHeld = false;
    const closed = new Promise<void>((resolve) => {
      void startMails({
        onMessage: () => {
          isHeld = true;
          return new Promise(() => undefined);
        },
        onClose: () => resolve(),
      }).then(() => mailTo(server.platform, ada.user));
    });
    await until(() => isHeld);
    await server.close();
    await closed;
  });

  it('keeps at most four connections and does not delay requests', async () => {
    let open = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    const { received } = await startMails({
      onMessage: () => {
        open += 1;
        most = Math.max(most, open);
        return new Promise<void>((resolve) =>
          releases.push(() => {
            open -= 1;
            resolve();
          }),
        );
      },
    });
    for (let index = 0; index < 10; index += 1) mailTo(server.platform, ada.user);
    await until(() => releases.length === 4);
    assert.equal((await server.request('GET', '/api/v4/user/mails', { token: ada.token })).status, 200);
    for (let released = 0; released < 10; released += 1) {
      await until(() => releases.length > released);
      releases[released]?.();
    }
    await received(10);
    assert.equal(most, 4);
  });
});
