import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { type MailBasic, readMailBasic } from '../../../src/contract/mail.ts';
import {
  countUnread,
  deleteMail,
  getMail,
  getMailSource,
  listMails,
  markAllMailsRead,
  setMailRead,
} from '../../../src/mailbox/requests.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const ALL = { search: '', isUnreadOnly: false };
const ISSUES = '/api/v4/projects/1/issues';

describe('the requests of the mailbox', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let client: Client;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    projectWith(server.platform, ada, { name: 'Lamps' }, [[rita, 30]]);
    await post(ISSUES, ada, { title: 'Too dim' });
    client = clientOf(ada);
  });
  afterEach(() => server.close());

  function clientOf({ token }: Actor): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
  }

  async function post(path: string, by: Actor, json: object): Promise<void> {
    const response = await server.request('POST', path, { token: by.token, json });
    assert.equal(response.status, 201, response.text);
    server.platform.schedule.runDue();
  }

  async function comment(body: string): Promise<MailBasic> {
    await post(`${ISSUES}/1/notes`, rita, { body });
    const [newest] = (await listMails(client, ALL)).items;
    assert.ok(newest !== undefined);
    return newest;
  }

  it('list a mail about a mention with its reason and what it is about', async () => {
    const mail = await comment('@ada which bulb?');
    assert.equal(mail.event, 'new_note');
    assert.equal(mail.reason, 'mentioned');
    assert.equal(mail.read, false);
    assert.match(mail.subject, /Too dim \(#1\)$/);
    assert.match(mail.from, /^"?rita Example"? </);
    const { type, iid, project_id, note_id } = mail.about ?? {};
    assert.deepEqual([type, iid, project_id], ['Issue', 1, 1]);
    assert.ok(typeof note_id === 'number' && mail.notification_event_id !== null);
    assert.ok(mail.web_url.startsWith(server.origin));
  });

  it('show the text and the source of a mail', async () => {
    const { id } = await comment('@ada which bulb?');
    assert.match((await getMail(client, id)).text, /which bulb\?/);
    assert.match(await getMailSource(client, id), /^X-Gitlab-NotificationReason: mentioned\r?$/im);
    const other = clientOf(rita);
    await assert.rejects(getMailSource(other, id), (error) => failureOfError(error)?.kind === 'notFound');
  });

  it('mark mails as read and unread, and count the unread ones', async () => {
    const { id } = await comment('One');
    await comment('Two');
    assert.deepEqual(await countUnread(client), { count: 2, isMore: false });
    await setMailRead(client, id, true);
    assert.deepEqual(await countUnread(client), { count: 1, isMore: false });
    const unread = await listMails(client, { search: '', isUnreadOnly: true });
    assert.equal(unread.items.length, 1);
    await setMailRead(client, id, false);
    assert.equal((await countUnread(client)).count, 2);
    await markAllMailsRead(client);
    assert.equal((await countUnread(client)).count, 0);
  });

  it('search mails by their text', async () => {
    await comment('A lantern');
    await comment('A bulb');
    const { items } = await listMails(client, { search: 'lantern', isUnreadOnly: false });
    assert.equal(items.length, 1);
    assert.deepEqual((await listMails(client, { search: 'nothing like it', isUnreadOnly: false })).items, []);
  });

  it('continue a list page by page', async () => {
    await comment('One');
    await comment('Two');
    const first = await client.list('/user/mails', readMailBasic, { per_page: 1 });
    assert.ok(first.next !== undefined);
    const second = await client.follow(first.next, readMailBasic);
    assert.equal(second.items.length, 1);
    assert.notEqual(second.items[0]?.id, first.items[0]?.id);
    assert.equal(second.next, undefined);
  });

  it('delete a mail', async () => {
    const { id } = await comment('One');
    await deleteMail(client, id);
    assert.deepEqual((await listMails(client, ALL)).items, []);
    await assert.rejects(deleteMail(client, id), (error) => failureOfError(error)?.kind === 'notFound');
  });
});
