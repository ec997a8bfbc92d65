import assert from 'node:assert/strict';
import { DAY, MINUTE } from '../../../server/core/clock.ts';
import type { NewNotificationEvent } from '../../../server/features/notifications/event.ts';
import { decideAll, recordEvent } from '../../../server/features/notifications/work.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const onIssue: NewNotificationEvent = {
  event: 'new_note',
  actorId: null,
  projectId: 1,
  groupId: null,
  targetType: 'Issue',
  targetId: 1,
  details: {},
};

describe('recipients of notification mail', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let project: number;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    project = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[rita, 30]]).project.id;
    await send('POST', `/projects/${project}/issues`, ada, { title: 'Too dim' });
    decideAll(server.platform);
  });
  afterEach(() => server.close());

  const send = async (method: 'POST' | 'PUT', path: string, by: Actor, json: unknown = {}): Promise<unknown> => {
    const response = await server.request(method, `/api/v4${path}`, { token: by.token, json });
    assert.ok(response.status < 300, response.text);
    return response.json();
  };

  const comment = async (body: string, by = ada): Promise<void> => {
    await send('POST', `/projects/${project}/issues/1/notes`, by, { body });
    decideAll(server.platform);
  };

  /** Returns who was mailed since the last call, with the reason. */
  let seen = 0;
  beforeEach(() => {
    seen = 0;
  });
  const mailed = (): string[] => {
    const rows = server.platform.store.all<{ id: number; username: string; reason: string | null }>(
      'SELECT m.id, u.username, m.reason FROM mails m JOIN users u ON u.id = m.user_id WHERE m.id > $seen ORDER BY m.id',
      { seen },
    );
    seen = rows.at(-1)?.id ?? seen;
    return rows.map(({ username, reason }) => (reason === null ? username : `${username} ${reason}`)).sort();
  };

  it('mentioned users, members of mentioned groups and, with @all, members of the project are mailed', async () => {
    const outside = actor(server.platform, 'Olga');
    const inGroup = actor(server.platform, 'gus');
    await send('POST', '/groups', ada, { name: 'Bulbs', path: 'bulbs', visibility: 'private' });
    await send('POST', '/groups/bulbs/members', ada, { user_id: inGroup.user.id, access_level: 10 });
    await comment('@olga, what do you think? `@rita` need not know, nor nobody@rita.example.');
    assert.deepEqual(mailed(), ['Olga mentioned']);
    await comment('@bulbs can say.\n\n```\n@rita\n```\n\n    @rita\n');
    assert.deepEqual(mailed(), ['Olga', 'gus mentioned']);
    await comment('@all please look.');
    assert.deepEqual(mailed(), ['Olga', 'gus', 'rita mentioned']);
    assert.equal(outside.user.username, 'Olga');
  });

  it('users who watch the project or a group above are mailed, members or not', async () => {
    await send('POST', '/groups', ada, { name: 'Top', path: 'top', visibility: 'public' });
    const { id: groupId } = (await server.request('GET', '/api/v4/groups/top', { token: ada.token })).json() as { id: number };
    const { id } = (await send('POST', '/projects', ada, {
      name: 'Inside',
      namespace_id: groupId,
      visibility: 'public',
    })) as { id: number };
    const [watcher, groupWatcher, chooser, globalWatcher, member] = ['wanda', 'greta', 'carl', 'glen', 'mona'].map((name) =>
      actor(server.platform, name),
    );
    assert.ok(watcher && groupWatcher && chooser && globalWatcher && member);
    await send('PUT', `/projects/${id}/notification_settings`, watcher, { level: 'watch' });
    await send('PUT', '/groups/top/notification_settings', groupWatcher, { level: 'watch' });
    await send('PUT', `/projects/${id}/notification_settings`, chooser, { level: 'custom', new_issue: true });
    await send('PUT', '/notification_settings', globalWatcher, { level: 'watch' });
    await send('POST', '/groups/top/members', ada, { user_id: member.user.id, access_level: 10 });
    await send('PUT', '/notification_settings', member, { level: 'watch' });
    await send('POST', `/projects/${id}/issues`, ada, { title: 'New' });
    decideAll(server.platform);
    assert.deepEqual(mailed(), ['carl', 'greta', 'mona', 'wanda']);
  });

  it('subscribers of labels are mailed about new issues, subscribers of an issue about everything in it', async () => {
    const lena = actor(server.platform, 'lena');
    await send('POST', `/projects/${project}/labels`, ada, { name: 'bug', color: '#ff0000' });
    await send('POST', `/projects/${project}/labels/bug/subscribe`, lena);
    await send('POST', `/projects/${project}/issues/1/subscribe`, lena);
    await send('PUT', '/notification_settings', lena, { level: 'disabled' });
    await send('POST', `/projects/${project}/issues`, ada, { title: 'Labelled', labels: 'bug' });
    decideAll(server.platform);
    assert.deepEqual(mailed(), ['lena subscribed']);
    await comment('Nothing new.');
    assert.deepEqual(mailed(), ['lena subscribed']);
    await send('POST', `/projects/${project}/issues/1/unsubscribe`, lena);
    await comment('Still nothing.');
    assert.deepEqual(mailed(), []);
  });

  it('an event that fails is tried again later and does not block others', async () => {
    const { platform } = server;
    recordEvent(platform, onIssue);
    platform.store.run('UPDATE notification_events SET details = \'{"noteId":"bad"}\' WHERE decided_to IS NOT NULL');
    await comment('Goes out.', rita);
    assert.deepEqual(mailed(), ['ada']);
    const failing = () =>
      platform.store.get('SELECT failures, decided_to FROM notification_events WHERE failures > 0 ORDER BY id LIMIT 1');
    assert.deepEqual(failing(), { failures: 1, decided_to: 0 });
    server.platform.clock.advance(MINUTE);
    assert.deepEqual(failing(), { failures: 2, decided_to: 0 });
    for (let attempts = 0; attempts < 3; attempts += 1) server.platform.clock.advance(DAY);
    assert.deepEqual(failing(), { failures: 5, decided_to: null });
  });

  it('a failed event is mailed once its cause is gone', async () => {
    const { platform } = server;
    await comment('In time.', rita);
    assert.deepEqual(mailed(), ['ada']);
    recordEvent(platform, { ...onIssue, actorId: rita.user.id, details: { noteId: 1 } });
    platform.store.run('UPDATE notification_events SET details = \'{"noteId":"bad"}\' WHERE decided_to IS NOT NULL');
    decideAll(platform);
    assert.deepEqual(mailed(), []);
    platform.store.run('UPDATE notification_events SET details = \'{"noteId":1}\' WHERE decided_to IS NOT NULL');
    platform.clock.advance(MINUTE);
    assert.deepEqual(mailed(), ['ada']);
  });

  it('events and decisions are deleted after 90 days', async () => {
    await comment('Old.', rita);
    const count = (table: string) => server.platform.store.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n;
    assert.equal(count('notification_decisions'), 3);
    server.platform.clock.advance(90 * DAY - MINUTE);
    assert.equal(count('notification_events'), 2);
    server.platform.clock.advance(MINUTE);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.deepEqual([count('notification_events'), count('notification_decisions')], [0, 0]);
  });
});
