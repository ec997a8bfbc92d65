import assert from 'node:assert/strict';
import {
  readNotificationEvent,
  readRecipientDecision,
  type RecipientDecision,
} from '../../../src/contract/notificationDecisions.ts';
import { decideAll } from '../../../server/features/notifications/work.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';
import { verdictOf } from './verdict.ts';

describe('explanations of who is mailed', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let olga: Actor;
  let project: number;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    olga = actor(server.platform, 'olga');
    project = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'private' }, [[rita, 30]]).project.id;
  });
  afterEach(() => server.close());

  const send = async (method: 'POST' | 'PUT', path: string, token: string, json: unknown = {}): Promise<void> => {
    const response = await server.request(method, `/api/v4${path}`, { token, json });
    assert.ok(response.status < 300, response.text);
  };

  const get = async (path: string, token: string): Promise<unknown[]> => {
    const response = await server.request('GET', `/api/v4${path}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as unknown[];
  };

  const decisions = async (path: string, token: string): Promise<readonly RecipientDecision[]> =>
    (await get(path, token)).map((one) => readRecipientDecision(one) ?? assert.fail('unreadable decision'));

  const events = async (token: string, query = '') =>
    (await get(`/notification_events${query}`, token)).map(
      (one) => readNotificationEvent(one) ?? assert.fail('unreadable event'),
    );

  /** Rita comments on an issue of Ada. */
  const commented = async (): Promise<number> => {
    await send('POST', `/projects/${project}/issues`, ada.token, { title: 'Too dim' });
    await send('POST', `/projects/${project}/issues/1/notes`, rita.token, { body: 'Which bulb?' });
    decideAll(server.platform);
    const [event] = await events(TEST_ADMIN_TOKEN, '?event=new_note');
    return event?.id ?? assert.fail('no event');
  };

  it('an administrator sees all candidates with the rules up to the one that decided', async () => {
    const id = await commented();
    const found = await decisions(`/notification_events/${id}/decisions`, TEST_ADMIN_TOKEN);
    assert.deepEqual(
      found.map((one) => [one.user.username, verdictOf(one)]),
      [
        ['ada', 'mailed'],
        ['rita', 'not mailed: own_activity'],
      ],
    );
    assert.deepEqual(
      found[0]?.rules.map(({ rule, outcome }) => `${rule} ${outcome}`),
      ['candidate passed', 'active passed', 'access passed', 'level mailed'],
    );
    assert.notEqual(found[0]?.mail_id, null);
    assert.deepEqual(
      found[1]?.remedies.map(({ kind }) => kind),
      ['own_activity'],
    );
  });

  it('a user sees the decision about themselves only', async () => {
    const id = await commented();
    const own = await decisions(`/notification_events/${id}/decisions`, rita.token);
    assert.deepEqual(
      own.map(({ user }) => user.username),
      ['rita'],
    );
    for (const path of [
      `/notification_events/${id}/decisions?user_id=${ada.user.id}`,
      `/notification_decisions?event=new_note&project_id=${project}&target_iid=1&user_id=${ada.user.id}`,
    ]) {
      assert.equal((await server.request('GET', `/api/v4${path}`, { token: rita.token })).status, 403, path);
    }
    const path = `/api/v4/notification_events/${id}/decisions`;
    assert.equal((await server.request('GET', path)).status, 401);
    assert.equal((await server.request('GET', `${path}?user_id=99`, { token: TEST_ADMIN_TOKEN })).status, 404);
  });

  it('a user does not see events that they cannot read', async () => {
    const id = await commented();
    assert.deepEqual(await events(olga.token), []);
    for (const path of [`/notification_events/${id}`, `/notification_events/${id}/decisions`]) {
      assert.equal((await server.request('GET', `/api/v4${path}`, { token: olga.token })).status, 404, path);
    }
    assert.equal(
      (await server.request('GET', `/api/v4/notification_events?project_id=${project}`, { token: olga.token })).status,
      404,
    );
    const path = `/api/v4/notification_decisions?event=new_note&project_id=${project}&target_iid=1`;
    assert.equal((await server.request('GET', path, { token: olga.token })).status, 404);
  });

  it('events of confidential issues and internal notes are shown to those who can read them', async () => {
    const guest = actor(server.platform, 'gus');
    await send('POST', `/projects/${project}/members`, ada.token, { user_id: guest.user.id, access_level: 10 });
    await send('POST', `/projects/${project}/issues`, ada.token, { title: 'Secret', confidential: true });
    await send('POST', `/projects/${project}/issues`, ada.token, { title: 'Open' });
    await send('POST', `/projects/${project}/issues/2/notes`, ada.token, { body: 'Hidden', internal: true });
    assert.deepEqual(
      (await events(guest.token)).map((one) => [one.event, one.target_title]),
      [['new_issue', 'Open']],
    );
    assert.equal((await events(rita.token)).length, 3);
  });

  it('lists events by project, kind and target', async () => {
    await commented();
    await send('POST', `/projects/${project}/issues`, rita.token, { title: 'Second' });
    const names = async (query: string) =>
      (await events(ada.token, query)).map((one) => `${one.event} ${String(one.target_iid)} ${one.actor?.username ?? ''}`);
    assert.deepEqual(await names(`?project_id=${project}`), ['new_issue 2 rita', 'new_note 1 rita', 'new_issue 1 ada']);
    assert.deepEqual(await names('?event=new_issue'), ['new_issue 2 rita', 'new_issue 1 ada']);
    assert.deepEqual(await names('?target_type=Issue&target_iid=1'), ['new_note 1 rita', 'new_issue 1 ada']);
  });

  it('explains with the settings of the time of the event', async () => {
    const id = await commented();
    await send('PUT', `/projects/${project}/notification_settings`, ada.token, { level: 'disabled' });
    const [decision] = await decisions(`/notification_events/${id}/decisions`, ada.token);
    assert.equal(decision?.mailed, true);
    assert.equal(decision.setting.level, 'participating');
  });

  it('a user who was no candidate learns what would have made them one', async () => {
    const mia = actor(server.platform, 'mia');
    await send('POST', `/projects/${project}/members`, ada.token, { user_id: mia.user.id, access_level: 30 });
    const id = await commented();
    const [decision] = await decisions(`/notification_events/${id}/decisions`, mia.token);
    assert.ok(decision);
    assert.equal(verdictOf(decision), 'not mailed: candidate');
    assert.deepEqual(
      decision.remedies.map((one) => (one.kind === 'set_level' ? `${one.kind} ${one.level}` : one.kind)),
      ['set_level watch', 'subscribe', 'take_part'],
    );
    await send('PUT', `/projects/${project}/notification_settings`, mia.token, { level: 'watch' });
    const [later] = await decisions(`/notification_events/${id}/decisions`, mia.token);
    assert.equal(later?.mailed, false);
  });

  it('says what would be decided about an event that did not happen', async () => {
    await send('POST', `/projects/${project}/issues`, ada.token, { title: 'Too dim', assignee_ids: [rita.user.id] });
    const ask = (query: string, token: string) => decisions(`/notification_decisions?project_id=${project}&${query}`, token);
    const byAda = await ask(`event=close_issue&target_iid=1&actor_id=${ada.user.id}`, TEST_ADMIN_TOKEN);
    assert.deepEqual(
      byAda.map((one) => [one.user.username, verdictOf(one)]),
      [
        ['ada', 'not mailed: own_activity'],
        ['rita', 'mailed'],
      ],
    );
    assert.deepEqual((await ask('event=new_issue&target_iid=1', rita.token)).map(verdictOf), ['mailed as assigned']);
    assert.deepEqual((await ask('event=new_issue', rita.token)).map(verdictOf), ['not mailed: candidate']);
    assert.deepEqual((await ask(`event=failed_pipeline&actor_id=${rita.user.id}`, rita.token)).map(verdictOf), ['mailed']);
    assert.deepEqual((await ask('event=moved_project', ada.token)).map(verdictOf), ['mailed']);
    assert.deepEqual((await ask('event=new_release', rita.token)).map(verdictOf), ['not mailed: level']);
    assert.deepEqual(server.platform.store.all('SELECT * FROM notification_events WHERE event <> ?', ['new_issue']), []);
  });

  it('refuses descriptions of events that are incomplete or contradictory', async () => {
    const status = async (query: string): Promise<number> =>
      (await server.request('GET', `/api/v4/notification_decisions?${query}`, { token: ada.token })).status;
    assert.equal(await status('event=new_note'), 400);
    assert.equal(await status(`event=new_epic&project_id=${project}`), 400);
    assert.equal(await status(`event=close_issue&target_type=MergeRequest&project_id=${project}`), 400);
    assert.equal(await status(`event=new_release&target_iid=1&project_id=${project}`), 400);
    assert.equal(await status(`event=close_issue&target_iid=99&project_id=${project}`), 404);
    assert.equal(await status('event=close_issue&project_id=nowhere%2Fnothing'), 404);
    assert.equal(await status(`event=nothing&project_id=${project}`), 400);
  });

  it('candidates are listed in parts', async () => {
    const many = Array.from({ length: 130 }, (_, index) => actor(server.platform, `watcher${index}`));
    for (const { user } of many) {
      server.platform.store.run(
        'INSERT INTO project_members (project_id, user_id, access_level, created_at) VALUES ($project, $user, 30, 0)',
        { project, user: user.id },
      );
      server.platform.store.run(
        'INSERT INTO notification_settings (user_id, project_id, level, updated_at) VALUES ($user, $project, 2, 0)',
        { project, user: user.id },
      );
    }
    const id = await commented();
    for (const path of [
      `notification_events/${id}/decisions`,
      `notification_decisions?event=new_note&project_id=${project}&target_iid=1`,
    ]) {
      const names = new Set<string>();
      let next: string | undefined = `/api/v4/${path}`;
      let parts = 0;
      while (next !== undefined) {
        const response = await server.request('GET', next, { token: TEST_ADMIN_TOKEN });
        for (const one of response.json() as { user: { username: string } }[]) names.add(one.user.username);
        const link = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
        next = link;
        parts += 1;
      }
      assert.deepEqual([names.size, parts], [132, 2], path);
    }
  });

  it('events without a thread have the candidates whom they concern', async () => {
    await send('POST', `/projects/${project}/approval_rules`, ada.token, {
      name: 'Lamps',
      approvals_required: 1,
      user_ids: [ada.user.id, rita.user.id],
    });
    await send('PUT', '/notification_settings', rita.token, { level: 'custom', approver: true, new_release: true });
    const names = async (query: string) =>
      (await decisions(`/notification_decisions?project_id=${project}&${query}`, TEST_ADMIN_TOKEN)).map(
        (one) => `${one.user.username} ${verdictOf(one)}`,
      );
    assert.deepEqual(await names('event=new_release'), ['ada not mailed: level', 'rita mailed']);
    assert.deepEqual(await names('event=moved_project'), ['ada mailed']);
    assert.deepEqual(await names(`event=approver&actor_id=${ada.user.id}`), ['rita mailed']);
    assert.deepEqual(await names(`event=failed_pipeline&actor_id=${ada.user.id}`), ['ada mailed']);
    assert.deepEqual(await names('event=failed_pipeline'), []);
  });

  it('events of epics have the candidates of the group and the groups above', async () => {
    const [watcher, member, outside] = ['wanda', 'mona', 'otto'].map((name) => actor(server.platform, name));
    assert.ok(watcher && member && outside);
    await send('POST', '/groups', ada.token, { name: 'Top', path: 'top', visibility: 'private' });
    const top = (await server.request('GET', '/api/v4/groups/top', { token: ada.token })).json() as { id: number };
    await send('POST', '/groups', ada.token, { name: 'Sub', path: 'sub', visibility: 'private', parent_id: top.id });
    await send('POST', '/groups/top/members', ada.token, { user_id: watcher.user.id, access_level: 10 });
    await send('POST', '/groups/top%2Fsub/members', ada.token, { user_id: member.user.id, access_level: 10 });
    await send('PUT', '/groups/top/notification_settings', watcher.token, { level: 'watch' });
    await send('PUT', '/notification_settings', member.token, { level: 'watch' });
    await send('PUT', '/notification_settings', outside.token, { level: 'watch' });
    await send('POST', '/groups/top%2Fsub/epics', ada.token, { title: 'Brighter' });
    decideAll(server.platform);
    const [event] = await events(TEST_ADMIN_TOKEN, '?event=new_epic');
    assert.ok(event);
    const found = await decisions(`/notification_events/${event.id}/decisions`, TEST_ADMIN_TOKEN);
    assert.deepEqual(
      found.map((one) => `${one.user.username} ${verdictOf(one)}`),
      ['ada not mailed: own_activity', 'wanda mailed', 'mona mailed'],
    );
    await send('POST', '/groups/top%2Fsub/epics', ada.token, { title: 'Secret', confidential: true });
    decideAll(server.platform);
    const [secret] = await events(TEST_ADMIN_TOKEN, '?event=new_epic');
    const refused = await decisions(`/notification_events/${secret?.id ?? 0}/decisions`, TEST_ADMIN_TOKEN);
    assert.deepEqual(
      refused.map((one) => `${one.user.username} ${verdictOf(one)}`),
      ['ada not mailed: own_activity', 'wanda not mailed: access', 'mona not mailed: access'],
    );
    assert.deepEqual(
      (await events(member.token)).map((one) => one.target_title),
      ['Brighter'],
    );
  });

  it('a deleted target leaves a decision that says so', async () => {
    const id = await commented();
    const response = await server.request('DELETE', `/api/v4/projects/${project}/issues/1`, { token: ada.token });
    assert.equal(response.status, 204, response.text);
    const [decision] = await decisions(
      `/notification_events/${id}/decisions?user_id=${rootOf(server.platform).id}`,
      TEST_ADMIN_TOKEN,
    );
    assert.equal(decision?.text, 'The user is not mailed. What the event was about no longer exists.');
  });
});
