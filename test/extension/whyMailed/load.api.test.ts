import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { WireRequest } from '../../../src/api/transport.ts';
import { readActivityEvent } from '../../../src/contract/activity.ts';
import { listMails } from '../../../src/mailbox/requests.ts';
import { createNotificationApi } from '../../../src/notifications/api.ts';
import { makeChange } from '../../../src/notifications/changes.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { explain } from '../../../src/whyMailed/load.ts';
import type { MailQuestion } from '../../../src/whyMailed/question.ts';
import { changeSubscription, findNotificationEvent, planRemedy } from '../../../src/whyMailed/requests.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const ISSUES = '/api/v4/projects/1/issues';
const ISSUE = { type: 'Issue', iid: 1 } as const;
const COMMENT: MailQuestion = { kind: 'possible', event: 'new_note', project: 1, thread: ISSUE };

describe('explanations of mails', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    projectWith(server.platform, ada, { name: 'Lamps' }, [[rita, 30]]);
    await post(ISSUES, ada, { title: 'Too dim' });
  });
  afterEach(() => server.close());

  /** Returns a client. A plain instance has no resources that explain mails. */
  function clientOf({ token }: Actor, isPlain = false): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    const send = async (request: WireRequest, signal?: AbortSignal) => {
      const url = isPlain ? request.url.replace(/notification_(decisions|events)/, 'no_such_resource') : request.url;
      return sendByFetch({ ...request, url }, signal);
    };
    return createClient({ baseUrl: server.origin, send, credentials, now: Date.now, sleep });
  }

  async function post(path: string, by: Actor, json: object): Promise<void> {
    const response = await server.request('POST', path, { token: by.token, json });
    assert.equal(response.status, 201, response.text);
    server.platform.schedule.runDue();
  }

  const textFor = async (who: Actor, question: MailQuestion, isPlain = false): Promise<string> =>
    (await explain(clientOf(who, isPlain), question, who.user.id, 'en')).text;

  it('say why a mention was mailed, rule by rule', async () => {
    await post(`${ISSUES}/1/notes`, rita, { body: '@ada which bulb?' });
    const [mail] = (await listMails(clientOf(ada), { search: '', isUnreadOnly: false })).items;
    assert.ok(mail !== undefined && mail.notification_event_id !== null);
    const question = { kind: 'happened', id: mail.notification_event_id } as const;
    const text = await textFor(ada, question);
    assert.match(text, /^# Why was I mailed\?\n\n\*\*You were mailed because you were mentioned\.\*\*/);
    assert.match(text, /\n- About: #1 Too dim\n- Caused by: rita Example \(@rita\)\n/);
    assert.match(text, /\n1\. ✓ You take part in the thread\. You are mentioned\.\n/);
    assert.match(
      await textFor(rita, question),
      /^# Why was I not mailed\?\n\n\*\*You were not mailed\.\*\* You caused the event/,
    );
  });

  it('say whether a comment would be mailed, and offer what would change it', async () => {
    assert.match(await textFor(ada, COMMENT), /^# Would I be mailed\?\n\n\*\*You would be mailed\.\*\*/);
    const explanation = await explain(clientOf(rita), COMMENT, rita.user.id, 'en');
    assert.match(explanation.text, /^# Would I be mailed\?\n\n\*\*You would not be mailed\.\*\*/);
    assert.deepEqual(
      explanation.remedies.map(({ remedy }) => remedy.kind).filter((kind) => kind !== 'take_part'),
      ['set_level', 'subscribe'],
    );
    await changeSubscription(clientOf(rita), 'subscribe', 1, ISSUE);
    assert.match(await textFor(rita, COMMENT), /\*\*You would be mailed because you subscribed\.\*\*/);
    await changeSubscription(clientOf(rita), 'unsubscribe', 1, ISSUE);
    assert.match(await textFor(rita, COMMENT), /\*\*You would not be mailed\.\*\*/);
  });

  it('are reversed by the level that they offer', async () => {
    const client = clientOf(rita);
    const { remedies } = await explain(client, COMMENT, rita.user.id, 'en');
    const [{ remedy } = {}] = remedies;
    assert.ok(remedy?.kind === 'set_level');
    const api = createNotificationApi(client);
    const planned = await planRemedy(client, api, remedy);
    assert.deepEqual(planned.change, { level: 'watch' });
    await makeChange(api, planned);
    assert.match(await textFor(rita, COMMENT), /\*\*You would be mailed\.\*\*/);
  });

  it('find the notification event of an activity event', async () => {
    await post(`${ISSUES}/1/notes`, rita, { body: 'Which bulb?' });
    const client = clientOf(ada);
    const { items } = await client.list('/projects/1/events', readActivityEvent);
    const activity = items.find(({ note }) => note !== null);
    assert.ok(activity !== undefined);
    const id = await findNotificationEvent(client, { event: 'new_note', project: 1, thread: ISSUE, activity });
    assert.ok(id !== undefined);
    assert.match(await textFor(ada, { kind: 'happened', id }), /- Event: New comment\n/);
    const later = { ...activity, created_at: new Date(Date.parse(activity.created_at) + 60_000).toISOString() };
    assert.equal(
      await findNotificationEvent(client, { event: 'new_note', project: 1, thread: ISSUE, activity: later }),
      undefined,
    );
  });

  describe('of an instance that does not explain its mails', () => {
    it('follow from the settings and what is known about the thread', async () => {
      assert.match(
        await textFor(ada, COMMENT, true),
        /\*\*You would be mailed\.\*\*\n\nThis instance does not explain its mails/,
      );
      const text = await textFor(rita, COMMENT, true);
      assert.match(text, /\*\*You would be mailed only if you took part in the thread or were mentioned\.\*\*/);
      assert.match(text, /\n1\. Project ada\/lamps: Inherited\n2\. ✓ Global setting: Participating\n/);
      await post(`${ISSUES}/1/notes`, rita, { body: 'Which bulb?' });
      assert.match(await textFor(rita, COMMENT, true), /\*\*You would be mailed\.\*\*/);
    });

    it('cover events without a thread', async () => {
      const pipeline: MailQuestion = { kind: 'possible', event: 'failed_pipeline', project: 1, thread: undefined };
      assert.match(await textFor(rita, pipeline, true), /\*\*You would be mailed about pipelines that run for you\.\*\*/);
      const release: MailQuestion = { kind: 'possible', event: 'new_release', project: 'ada/lamps', thread: undefined };
      assert.match(await textFor(rita, release, true), /\*\*You would not be mailed\.\*\*/);
    });

    it('know no notification event of an activity event', async () => {
      const client = clientOf(ada, true);
      const [activity] = (await client.list('/projects/1/events', readActivityEvent)).items;
      assert.ok(activity !== undefined);
      assert.equal(await findNotificationEvent(client, { event: 'new_issue', project: 1, thread: ISSUE, activity }), undefined);
    });
  });
});
