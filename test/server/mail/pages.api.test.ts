import assert from 'node:assert/strict';
import { type Actor, actor } from '../projects/cast.ts';
import { mailTo } from '../../support/mails.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('the pages of the mailbox', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let client: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    client = new PageClient(server);
    await client.signIn('ada');
  });
  afterEach(() => server.close());

  const textOf = (page: string): string => page.replaceAll(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  it('show the number of unread mails in the navigation until they are opened', async () => {
    mailTo(server.platform, ada.user);
    const id = mailTo(server.platform, ada.user);
    assert.match(textOf((await client.open('/')).text), /Mailbox 2 unread/);
    await client.open(`/-/mailbox/${id}`);
    assert.match(textOf((await client.open('/')).text), /Mailbox 1 unread/);
  });

  it('list the own mails, search them, and show unread ones only', async () => {
    mailTo(server.platform, ada.user, { subject: 'Glaze recipe' });
    mailTo(server.platform, ada.user, { subject: 'Kiln is hot' });
    mailTo(server.platform, rita.user, { subject: 'For Rita' });
    const all = textOf((await client.open('/-/mailbox')).text);
    assert.match(all, /Kiln is hot.*Glaze recipe/);
    assert.doesNotMatch(all, /For Rita/);
    const found = textOf((await client.open('/-/mailbox?search=glaze')).text);
    assert.match(found, /Glaze recipe/);
    assert.doesNotMatch(found, /Kiln is hot/);
    await client.open('/-/mailbox/1');
    const unread = textOf((await client.open('/-/mailbox?unread=1')).text);
    assert.match(unread, /Kiln is hot/);
    assert.doesNotMatch(unread, /Glaze recipe/);
  });

  it('show a mail in a frame without scripts, as plain text and as its source', async () => {
    const id = mailTo(server.platform, ada.user, {
      blocks: [{ kind: 'markdown', text: '**Ash** <script>alert(1)</script> [link](https://kiln.example/)' }],
    });
    const page = await client.open(`/-/mailbox/${id}`);
    assert.match(page.text, new RegExp(`<iframe class="mail" src="/-/mailbox/${id}/content"[^>]* sandbox="[^"]*"`));
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /frame-src 'self'.*frame-ancestors 'none'/);
    const framed = await client.open(`/-/mailbox/${id}/content`);
    assert.match(framed.headers.get('Content-Security-Policy') ?? '', /^default-src 'none'; .*frame-ancestors 'self'.*sandbox/);
    assert.doesNotMatch(framed.headers.get('Content-Security-Policy') ?? '', /allow-scripts|allow-same-origin|allow-forms/);
    assert.equal(framed.headers.get('X-Frame-Options'), 'SAMEORIGIN');
    assert.match(framed.text, /<strong>Ash<\/strong> &lt;script&gt;/);
    assert.match(framed.text, /<base target="_blank">/);
    assert.match((await client.open(`/-/mailbox/${id}?view=text`)).text, /\*\*Ash\*\* &lt;script&gt;/);
    assert.match((await client.open(`/-/mailbox/${id}?view=source`)).text, /Auto-Submitted: auto-generated/);
  });

  it('mark mails as read or unread, and delete them', async () => {
    const id = mailTo(server.platform, ada.user);
    mailTo(server.platform, ada.user);
    const list = await client.submit(await client.open('/-/mailbox'), '/-/mailbox/mark_as_read');
    assert.match(textOf((await client.follow(list)).text), /All mails are marked as read/);
    const page = await client.open(`/-/mailbox/${id}`);
    await client.submit(page, `/-/mailbox/${id}/unread`);
    assert.match(textOf((await client.open('/')).text), /Mailbox 1 unread/);
    const deleted = await client.submit(page, `/-/mailbox/${id}/delete`);
    assert.match(textOf((await client.follow(deleted)).text), /The mail was deleted/);
    assert.equal((await client.open(`/-/mailbox/${id}`)).status, 404);
  });

  it('are for the recipient, and for administrators without marking mails of others as read', async () => {
    const id = mailTo(server.platform, rita.user, { subject: 'For Rita' });
    for (const path of ['', '/content', '?view=source']) {
      assert.equal((await client.open(`/-/mailbox/${id}${path}`)).status, 404);
    }
    assert.doesNotMatch(textOf((await client.open('/-/mailbox?all=1')).text), /For Rita/);
    const administrator = new PageClient(server);
    await administrator.signIn();
    assert.match(textOf((await administrator.open('/-/mailbox?all=1')).text), /For Rita.*to rita@example\.com/);
    assert.equal((await administrator.open(`/-/mailbox/${id}`)).status, 200);
    const row = server.platform.store.get<{ read_at: number | null }>('SELECT read_at FROM mails');
    assert.deepEqual(row, { read_at: null });
  });

  it('ask visitors to sign in', async () => {
    const id = mailTo(server.platform, ada.user);
    for (const path of ['', `/${id}`, `/${id}/content`]) {
      const response = await server.request('GET', `/-/mailbox${path}`);
      assert.equal(response.status, 303);
    }
  });
});
