import assert from 'node:assert/strict';
import PostalMime from 'postal-mime';
import { createIssue, type Issue } from '../../../server/features/issues/manageIssues.ts';
import { isSubscribed } from '../../../server/features/subscriptions/subscriptions.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { mailTo } from '../../support/mails.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('unsubscribing from a thread with the link of a mail', () => {
  let server: TestServer;
  let ada: Actor;
  let issue: Issue;
  let link: string;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    issue = createIssue(server.platform, found, ada.user, { title: 'Too dim' });
    const id = mailTo(server.platform, ada.user, { thread: { type: 'Issue', id: issue.id } });
    const source = await server.request('GET', `/api/v4/mails/${id}/source`, { token: ada.token });
    const { headers } = await PostalMime.parse(source.text);
    assert.equal(headers.find(({ key }) => key === 'list-unsubscribe-post')?.value, 'List-Unsubscribe=One-Click');
    link = headers.find(({ key }) => key === 'list-unsubscribe')?.value.slice(1, -1) ?? '';
    assert.ok(link.startsWith(`${server.origin}/-/mailbox/unsubscribe/`), link);
  });
  afterEach(() => server.close());

  const isAdaSubscribed = (): boolean => isSubscribed(server.platform, { type: 'Issue', id: issue.id }, ada.user, true);
  const oneClick = { form: { 'List-Unsubscribe': 'One-Click' } };

  it('needs one request without signing in, and can be repeated', async () => {
    for (let round = 0; round < 2; round += 1) {
      const response = await server.request('POST', link, oneClick);
      assert.equal(response.status, 200, response.text);
      assert.match(response.text, /ada@example\.com gets no more mails about this issue/);
      assert.equal(isAdaSubscribed(), false);
    }
  });

  it('accepts a form of several parts, which some mail services send', async () => {
    const body = new FormData();
    body.set('List-Unsubscribe', 'One-Click');
    const response = await fetch(link, { method: 'POST', body });
    assert.equal(response.status, 200);
    assert.equal(isAdaSubscribed(), false);
  });

  it('asks first when the link is only opened, because scanners open links', async () => {
    const page = await server.request('GET', link);
    assert.equal(page.status, 200);
    assert.match(page.text, /<button type="submit"[^>]*>Unsubscribe<\/button>/);
    assert.equal(isAdaSubscribed(), true);
  });

  const changes: readonly (readonly [name: string, change: (token: string) => string])[] = [
    ['another user', (token) => token.replace(/^\d+/, '1')],
    ['another thread', (token) => token.replace(/-i\d+-/, '-i999-')],
    ['another kind of thread', (token) => token.replace('-i', '-m')],
    ['another code', (token) => `${token.slice(0, -4)}AAAA`],
    ['no code', (token) => token.replace(/^(\d+-[ime]\d+)-.*$/, '$1')],
    ['nothing known', () => 'nothing'],
  ];
  for (const [name, change] of changes) {
    it(`refuses a link with ${name}`, async () => {
      const path = new URL(link).pathname;
      const token = path.split('/').at(-1) ?? '';
      const forged = path.replace(token, change(token));
      assert.notEqual(forged, path);
      for (const method of ['GET', 'POST']) {
        const response = await server.request(method, forged, method === 'POST' ? oneClick : {});
        assert.equal(response.status, 404);
      }
      assert.equal(isAdaSubscribed(), true);
    });
  }

  it('leaves no code in the request log', async () => {
    await server.request('POST', link, oneClick);
    const [entry] = server.platform.requestLog.list(1);
    assert.equal(entry?.path, '/-/mailbox/unsubscribe/[masked]');
  });
});
