import assert from 'node:assert/strict';
import PostalMime, { type Email } from 'postal-mime';
import type { MailBasic } from '../../../src/contract/mail.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { mailTo } from '../../support/mails.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const DEVELOPER = 30;

describe('the messages of notifications', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    projectWith(server.platform, ada, { name: 'Lamps' }, [[rita, DEVELOPER]]);
  });
  afterEach(() => server.close());

  const send = async (who: Actor, method: string, path: string, json: unknown): Promise<{ readonly id: number }> => {
    const response = await server.request(method, `/api/v4${path}`, { token: who.token, json });
    assert.ok(response.status < 300, response.text);
    return response.json() as { readonly id: number };
  };
  /** Returns the mails of a user, oldest first, as an independent parser reads them. */
  const messagesOf = async (who: Actor): Promise<Email[]> => {
    server.platform.schedule.runDue();
    const list = await server.request('GET', '/api/v4/user/mails?wait=10', { token: who.token });
    const messages: Email[] = [];
    for (const { id } of (list.json() as MailBasic[]).reverse()) {
      const source = await server.request('GET', `/api/v4/mails/${id}/source`, { token: who.token });
      assert.equal(source.headers.get('content-type'), 'message/rfc822');
      messages.push(await PostalMime.parse(source.text));
    }
    return messages;
  };
  const header = (message: Email | undefined, name: string): string | undefined =>
    message?.headers.find(({ key }) => key === name.toLowerCase())?.value;

  it('name sender, recipient, project and reason, and say that they are automatic', async () => {
    const { id } = await send(ada, 'POST', '/projects/1/issues', {
      title: 'Too dim',
      description: 'See **lamp** #1, @ada',
      assignee_ids: [rita.user.id],
    });
    const [message] = await messagesOf(rita);
    assert.deepEqual(message?.from, { name: 'ada Example', address: 'signalbox@127.0.0.1' });
    assert.deepEqual(
      message?.to?.map(({ address }) => address),
      ['rita@example.com'],
    );
    assert.equal(message?.subject, 'Lamps | Too dim (#1)');
    assert.equal(message?.messageId, `<issue_${id}@127.0.0.1>`);
    const expected: Readonly<Record<string, string>> = {
      'X-GitLab-Project': 'Lamps',
      'X-GitLab-Project-Id': '1',
      'X-GitLab-Project-Path': 'ada/lamps',
      'X-GitLab-Issue-ID': String(id),
      'X-GitLab-Issue-IID': '1',
      'X-GitLab-Issue-State': 'opened',
      'X-GitLab-ConfidentialIssue': 'false',
      'X-GitLab-NotificationReason': 'assigned',
      'List-Id': 'ada/lamps <1.lamps.ada.127.0.0.1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, header(message, name)])), expected);
    assert.match(message?.text ?? '', /ada Example opened issue #1\.[^]*Assignees: rita Example[^]*See \*\*lamp\*\*/);
    assert.match(message?.text ?? '', /You get this mail because you are an assignee\./);
    assert.match(message?.html ?? '', /<strong>lamp<\/strong>/);
    const links = [...(message?.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, address = '']) => address);
    assert.ok(links.length >= 5 && links.every((link) => link.startsWith(`${server.origin}/`)), links.join('\n'));
  });

  it('hold together as a thread by their references', async () => {
    const { id } = await send(ada, 'POST', '/projects/1/issues', { title: 'Too dim', assignee_ids: [rita.user.id] });
    const first = await send(ada, 'POST', '/projects/1/issues/1/discussions', { body: 'Which bulb?' });
    const notes = (first as unknown as { readonly notes: readonly { readonly id: number }[] }).notes;
    const second = await send(ada, 'POST', `/projects/1/issues/1/discussions/${first.id}/notes`, { body: 'The old one?' });
    await send(ada, 'PUT', '/projects/1/issues/1', { state_event: 'close' });
    const messages = await messagesOf(rita);
    const [root, note] = [`<issue_${id}@127.0.0.1>`, `<note_${notes[0]?.id}@127.0.0.1>`];
    assert.deepEqual(
      messages.map(({ subject, messageId, inReplyTo, references }) => [subject, messageId, inReplyTo, references]),
      [
        ['Lamps | Too dim (#1)', root, undefined, undefined],
        ['Re: Lamps | Too dim (#1)', note, root, root],
        ['Re: Lamps | Too dim (#1)', `<note_${second.id}@127.0.0.1>`, note, `${root} ${note}`],
        ['Re: Lamps | Too dim (#1)', messages[3]?.messageId, root, root],
      ],
    );
    assert.match(messages[3]?.messageId ?? '', /^<[0-9a-f]{32}@127\.0\.0\.1>$/);
    assert.equal(header(messages[1], 'X-GitLab-Discussion-ID'), String(first.id));
    assert.equal(header(messages[3], 'X-GitLab-Issue-State'), 'closed');
  });

  it('say that an issue is confidential', async () => {
    await send(ada, 'POST', '/projects/1/issues', { title: 'Secret', confidential: true, assignee_ids: [rita.user.id] });
    assert.equal(header((await messagesOf(rita))[0], 'X-GitLab-ConfidentialIssue'), 'true');
  });

  it('are the same each time they are read', async () => {
    await send(ada, 'POST', '/projects/1/issues', { title: 'Too dim', assignee_ids: [rita.user.id] });
    await messagesOf(rita);
    const read = async (): Promise<string> => (await server.request('GET', '/api/v4/mails/1/source', { token: rita.token })).text;
    const first = await read();
    server.platform.clock.advance(3_600_000);
    assert.equal(await read(), first);
  });

  const hostile = [
    'Lamp\r\nBcc: eve@example.com',
    'Lamp\nX-Injected: yes\n\nbody',
    'Lamp\u2028X-Injected: yes',
    'Lamp\0\u000bend',
    '=?utf-8?q?Lamp=0d=0aX-Injected:_yes?=',
    '"Lamp" <eve@example.com>, x',
    `${'Lamp '.repeat(200)}end`,
    'Lampe – größer ✓ 🎉',
  ];
  for (const [index, text] of hostile.entries()) {
    it(`cannot be given header fields by titles and names (text ${index + 1})`, async () => {
      const id = mailTo(server.platform, ada.user, {
        subject: text,
        from: text,
        headers: { 'X-GitLab-Project': text },
        list: { name: text, id: '1.lamps' },
        blocks: [{ kind: 'sentence', text }],
      });
      const source = await server.request('GET', `/api/v4/mails/${id}/source`, { token: ada.token });
      const head = source.text.slice(0, source.text.indexOf('\r\n\r\n'));
      const names = [...head.matchAll(/^([^\s:]+):/gm)].map(([, name = '']) => name.toLowerCase()).sort();
      assert.deepEqual(
        names,
        [
          'auto-submitted',
          'content-type',
          'date',
          'from',
          'list-id',
          'message-id',
          'mime-version',
          'subject',
          'to',
          'x-auto-response-suppress',
          'x-gitlab-project',
        ],
        head,
      );
      for (const line of head.split('\r\n')) assert.ok(line.length <= 998 && !/[\r\n]/.test(line), line);
      const message = await PostalMime.parse(source.text);
      assert.deepEqual(
        message.to?.map(({ address }) => address),
        ['ada@example.com'],
      );
      assert.equal(message.from?.address, 'signalbox@127.0.0.1');
      assert.deepEqual([message.bcc ?? [], message.cc ?? []], [[], []]);
    });
  }
});
