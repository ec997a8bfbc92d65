import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mail, MailBasic } from '../../../src/contract/mail.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { openStream } from '../stream/streamClient.ts';
import { mailTo } from '../../support/mails.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const DAY = 86_400_000;

describe('the local mailbox', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
  });
  afterEach(() => server.close());

  const get = async <T>(path: string, token = ada.token): Promise<T> => {
    const response = await server.request('GET', path, { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as T;
  };
  const subjects = async (query: string, token = ada.token): Promise<string[]> =>
    (await get<MailBasic[]>(`/api/v4/user/mails?${query}`, token)).map(({ subject }) => subject);

  it('lists the own mails, newest first, with their number', async () => {
    mailTo(server.platform, ada.user, { subject: 'First' });
    mailTo(server.platform, rita.user, { subject: 'Hers' });
    mailTo(server.platform, ada.user, { subject: 'Second' });
    const response = await server.request('GET', '/api/v4/user/mails?per_page=1', { token: ada.token });
    assert.equal(response.headers.get('X-Total'), '2');
    assert.deepEqual(
      (response.json() as MailBasic[]).map(({ subject, to, read }) => ({ subject, to, read })),
      [{ subject: 'Second', to: 'ada@example.com', read: false }],
    );
  });

  const filters: readonly (readonly [query: string, expected: readonly string[]])[] = [
    ['search=GLAZE', ['Glaze recipe']],
    ['search=900', ['Kiln is hot']],
    ['search=100%25', []],
    ['to=ADA@example.com', ['Glaze recipe', 'Kiln is hot']],
    ['to=rita@example.com', []],
    ['unread=true', ['Glaze recipe']],
    ['unread=false', ['Kiln is hot']],
    ['after_id=1', ['Glaze recipe']],
    ['event=new_note', []],
  ];
  for (const [query, expected] of filters) {
    it(`filters by ${query}`, async () => {
      mailTo(server.platform, ada.user);
      mailTo(server.platform, ada.user, {
        subject: 'Glaze recipe',
        blocks: [{ kind: 'markdown', text: 'Two parts **ash**' }],
      });
      await server.request('PUT', '/api/v4/mails/1', { token: ada.token, json: { read: true } });
      assert.deepEqual(await subjects(query), expected);
    });
  }

  it('returns a mail with its text and HTML to its recipient and to administrators only', async () => {
    const id = mailTo(server.platform, ada.user, { blocks: [{ kind: 'markdown', text: 'Two parts **ash** & <b>clay</b>' }] });
    for (const token of [ada.token, server.adminToken]) {
      const mail = await get<Mail>(`/api/v4/mails/${id}`, token);
      assert.equal(mail.text, 'Two parts **ash** & <b>clay</b>\n');
      assert.match(mail.html, /Two parts <strong>ash<\/strong> &amp; &lt;b&gt;clay&lt;\/b&gt;/);
      assert.equal(mail.from, 'Ada Example <signalbox@127.0.0.1>');
    }
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/source'],
      ['PUT', '?read=true'],
      ['DELETE', ''],
    ] as const) {
      const response = await server.request(method, `/api/v4/mails/${id}${path}`, { token: rita.token });
      assert.deepEqual([response.status, response.json()], [404, { message: '404 Not Found' }]);
    }
  });

  it('lets administrators list the mails of everybody or of one user', async () => {
    mailTo(server.platform, ada.user, { subject: 'To Ada' });
    mailTo(server.platform, rita.user, { subject: 'To Rita' });
    const all = await get<MailBasic[]>('/api/v4/mails', server.adminToken);
    assert.deepEqual(
      all.map(({ subject }) => subject),
      ['To Rita', 'To Ada'],
    );
    const hers = await get<MailBasic[]>(`/api/v4/mails?user_id=${rita.user.id}`, server.adminToken);
    assert.deepEqual(
      hers.map(({ subject }) => subject),
      ['To Rita'],
    );
    const refused = await server.request('GET', '/api/v4/mails', { token: ada.token });
    assert.equal(refused.status, 403);
  });

  it('marks one mail or all mails as read', async () => {
    for (const subject of ['One', 'Two', 'Three']) mailTo(server.platform, ada.user, { subject });
    mailTo(server.platform, rita.user);
    const put = await server.request('PUT', '/api/v4/mails/2', { token: ada.token, json: { read: true } });
    assert.equal((put.json() as MailBasic).read, true);
    assert.deepEqual(await subjects('unread=true'), ['Three', 'One']);
    const marked = await server.request('POST', '/api/v4/user/mails/mark_as_read', { token: ada.token });
    assert.deepEqual([marked.status, marked.json()], [200, { marked: 2 }]);
    assert.deepEqual(await subjects('unread=true'), []);
    assert.deepEqual(await subjects('unread=true', rita.token), ['Kiln is hot']);
    const unread = await server.request('PUT', '/api/v4/mails/2', { token: ada.token, json: { read: false } });
    assert.equal((unread.json() as MailBasic).read, false);
  });

  it('deletes the content of a mail with its last recipient', async () => {
    const id = mailTo(server.platform, ada.user);
    const { content_id: contentId } = server.platform.store.get<{ content_id: number }>('SELECT content_id FROM mails') ?? {};
    server.platform.store.run(
      `INSERT INTO mails (content_id, user_id, address, message_id, created_at) VALUES ($contentId, $userId, 'rita@example.com', 'x', 0)`,
      { contentId: contentId ?? 0, userId: rita.user.id },
    );
    const contents = (): number => server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM mail_contents')?.n ?? -1;
    assert.equal((await server.request('DELETE', `/api/v4/mails/${id}`, { token: ada.token })).status, 204);
    assert.equal(contents(), 1);
    assert.equal((await server.request('DELETE', `/api/v4/mails/${id + 1}`, { token: rita.token })).status, 204);
    assert.equal(contents(), 0);
  });

  it('stores mails for 90 days', async () => {
    mailTo(server.platform, ada.user);
    server.platform.clock.advance(90 * DAY - 60_000);
    assert.deepEqual(await subjects(''), ['Kiln is hot']);
    server.platform.clock.advance(60_001);
    assert.deepEqual(await subjects(''), []);
  });

  describe('with wait', () => {
    it('responds as soon as a matching mail arrives, and meanwhile to other requests', async () => {
      const waiting = subjects('search=glaze&wait=30');
      await get('/api/v4/user');
      mailTo(server.platform, ada.user, { subject: 'Something else' });
      await nextTurn();
      await get('/api/v4/user');
      mailTo(server.platform, rita.user, { subject: 'Glaze for Rita' });
      await get('/api/v4/user');
      mailTo(server.platform, ada.user, { subject: 'Glaze for Ada' });
      assert.deepEqual(await waiting, ['Glaze for Ada']);
    });

    it('responds at once if a mail matches already', async () => {
      mailTo(server.platform, ada.user);
      assert.deepEqual(await subjects('search=kiln&wait=30'), ['Kiln is hot']);
    });

    it('responds with an empty list when the time is over', async () => {
      assert.deepEqual(await subjects('wait=1'), []);
    });

    it('ends when the server shuts down', async () => {
      const waiting = subjects('wait=30');
      while (server.platform.live.listeners === 0) await nextTurn();
      server.platform.live.end();
      assert.deepEqual(await waiting, []);
    });

    for (const wait of ['31', '-1', 'long']) {
      it(`refuses wait=${wait}`, async () => {
        const response = await server.request('GET', `/api/v4/user/mails?wait=${wait}`, { token: ada.token });
        assert.equal(response.status, 400, response.text);
      });
    }
  });

  it('publishes new mails and the number of unread ones to their recipient only', async () => {
    await using stream = await openStream(server, ada.token);
    mailTo(server.platform, rita.user);
    const id = mailTo(server.platform, ada.user);
    const { event, data } = await stream.next();
    assert.deepEqual([event, JSON.parse(data)], ['mail', { mail_id: id, unread: 1 }]);
    await server.request('PUT', `/api/v4/mails/${id}`, { token: ada.token, json: { read: true } });
    assert.deepEqual(JSON.parse((await stream.next()).data), { mail_id: id, unread: 0 });
  });
});
