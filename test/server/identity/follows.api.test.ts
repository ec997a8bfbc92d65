import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

describe('followers, status and memberships of users', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  let shy: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    ben = actor(server.platform, 'ben');
    shy = actor(server.platform, 'shy', { privateProfile: true });
  });
  afterEach(() => server.close());

  const send = async (method: string, path: string, token?: string, json?: object): Promise<[number, unknown]> => {
    const options = { ...(token === undefined ? {} : { token }), ...(json === undefined ? {} : { json }) };
    const response = await server.request(method, `/api/v4${path}`, options);
    return [response.status, response.text === '' ? '' : response.json()];
  };
  const names = async (path: string, token?: string): Promise<string[]> => {
    const [status, body] = await send('GET', path, token);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { username: string }[]).map(({ username }) => username);
  };

  it('users can follow and unfollow each other once', async () => {
    assert.partialDeepStrictEqual(await send('POST', `/users/${ben.user.id}/follow`, ada.token), [201, { username: 'ben' }]);
    assert.deepEqual(await send('POST', `/users/${ben.user.id}/follow`, ada.token), [304, '']);
    assert.deepEqual(await send('POST', `/users/${ada.user.id}/follow`, ada.token), [304, ''], 'oneself');
    await send('POST', `/users/${ben.user.id}/follow`, shy.token);
    assert.deepEqual(await names(`/users/${ben.user.id}/followers`), ['shy', 'ada']);
    assert.deepEqual(await names(`/users/${ada.user.id}/following`, ben.token), ['ben']);
    assert.deepEqual(await names(`/users/${ada.user.id}/followers`), []);
    const profile = async (token: string) => (await send('GET', `/users/${ben.user.id}`, token))[1];
    assert.partialDeepStrictEqual(await profile(ada.token), { followers: 2, following: 0, is_followed: true });
    assert.partialDeepStrictEqual(await profile(admin), { followers: 2, is_followed: false });
    assert.partialDeepStrictEqual((await send('GET', '/user', ada.token))[1], { followers: 0, following: 1, is_followed: false });
    await send('POST', `/users/${shy.user.id}/block`, admin);
    assert.deepEqual(await names(`/users/${ben.user.id}/followers`), ['ada']);
    assert.partialDeepStrictEqual(await profile(ada.token), { followers: 1 });
    assert.partialDeepStrictEqual(await send('POST', `/users/${ben.user.id}/unfollow`, ada.token), [201, { username: 'ben' }]);
    assert.deepEqual(await send('POST', `/users/${ben.user.id}/unfollow`, ada.token), [304, '']);
    assert.partialDeepStrictEqual(await profile(ada.token), { followers: 0, is_followed: false });
  });

  it('a private profile hides its followers', async () => {
    const missing = [404, { message: '404 User Not Found' }];
    for (const side of ['followers', 'following']) {
      assert.deepEqual(await send('GET', `/users/${shy.user.id}/${side}`), missing);
      assert.deepEqual(await send('GET', `/users/${shy.user.id}/${side}`, ben.token), missing);
      assert.deepEqual(await send('GET', `/users/77/${side}`, ben.token), missing);
      assert.deepEqual(await names(`/users/${shy.user.id}/${side}`, shy.token), []);
      assert.deepEqual(await names(`/users/${shy.user.id}/${side}`, admin), []);
    }
    assert.deepEqual(await send('POST', '/users/77/follow', ben.token), missing);
    assert.deepEqual(await send('POST', '/users/77/unfollow'), [401, { message: '401 Unauthorized' }]);
  });

  const NONE = { emoji: null, message: null, availability: null, message_html: '', clear_status_at: null };

  it('the status of a user can be set completely or partly', async () => {
    assert.deepEqual(await send('GET', '/user/status', ada.token), [200, NONE]);
    const lamps = { message: 'Repairs <lamps>' };
    const shown = { ...NONE, ...lamps, emoji: 'speech_balloon', availability: 'not_set', message_html: 'Repairs &lt;lamps&gt;' };
    assert.deepEqual(await send('PUT', '/user/status', ada.token, lamps), [200, shown]);
    for (const path of ['/users/ada/status', `/users/${ada.user.id}/status`])
      assert.deepEqual(await send('GET', path), [200, shown]);
    const busy = { ...shown, availability: 'busy' };
    assert.deepEqual(await send('PATCH', '/user/status', ada.token, { availability: 'busy' }), [200, busy]);
    assert.deepEqual(await send('PATCH', '/user/status', ada.token, {}), [200, busy]);
    assert.deepEqual(await send('PUT', '/user/status', ada.token, { emoji: 'bulb' }), [
      200,
      { ...NONE, emoji: 'bulb', availability: 'not_set' },
    ]);
    assert.deepEqual(await send('PUT', '/user/status', ada.token, {}), [200, NONE]);
    assert.deepEqual(await send('GET', '/users/nobody/status'), [404, { message: '404 User Not Found' }]);
    for (const [json, error] of [
      [{ emoji: 'no such one' }, { message: { emoji: ['is not a valid emoji name'] } }],
      [{ message: 'a'.repeat(101) }, { message: { message: ['is too long (maximum is 100 characters)'] } }],
      [{ availability: 'away' }, { error: 'availability does not have a valid value' }],
      [{ clear_status_after: '1_year' }, { error: 'clear_status_after does not have a valid value' }],
    ] as const) {
      assert.deepEqual(await send('PUT', '/user/status', ada.token, json), [400, error]);
    }
    assert.deepEqual(await send('PUT', '/user/status', undefined, {}), [401, { message: '401 Unauthorized' }]);
  });

  it('a status is cleared at its time', async () => {
    const clock = (json: object) => server.request('POST', '/_local/clock', { token: admin, json });
    await clock({ freeze_at: '2026-05-01T10:00:00Z' });
    await send('PUT', '/user/status', ada.token, { message: 'At lunch', clear_status_after: '30_minutes' });
    assert.partialDeepStrictEqual(await send('PATCH', '/user/status', ada.token, { emoji: 'bread' }), [
      200,
      { emoji: 'bread', clear_status_at: '2026-05-01T10:30:00.000Z' },
    ]);
    await clock({ advance_seconds: 1799 });
    assert.partialDeepStrictEqual((await send('GET', '/users/ada/status'))[1], { message: 'At lunch' });
    await clock({ advance_seconds: 1 });
    assert.deepEqual(await send('GET', '/users/ada/status'), [200, NONE]);
    assert.partialDeepStrictEqual((await send('PATCH', '/user/status', ada.token, { emoji: 'bulb' }))[1], {
      message: null,
      clear_status_at: null,
    });
  });

  it('administrators can read the direct memberships of a user', async () => {
    const { platform } = server;
    const group = createGroup(platform, ada.user, { name: 'Harbour', path: 'harbour' });
    createGroup(platform, ada.user, { name: 'Pier', path: 'pier', parent: group });
    addGroupMember(platform, group.group, ben.user, { level: 30 }, { user: ada.user });
    const { project } = projectWith(platform, ada, { name: 'Lamps' }, [[ben, 20]]);
    projectWith(platform, ada, { name: 'Of the group', namespaceId: group.group.id });
    const inGroup = { source_id: group.group.id, source_name: 'Harbour', source_type: 'Namespace', access_level: 30 };
    const inProject = { source_id: project.id, source_name: 'Lamps', source_type: 'Project', access_level: 20 };
    const path = `/users/${ben.user.id}/memberships`;
    assert.deepEqual(await send('GET', path, admin), [200, [inGroup, inProject]]);
    assert.deepEqual(await send('GET', `${path}?type=Project`, admin), [200, [inProject]]);
    assert.deepEqual(await send('GET', `${path}?type=Namespace`, admin), [200, [inGroup]]);
    assert.deepEqual(await send('GET', `${path}?type=Group`, admin), [400, { error: 'type does not have a valid value' }]);
    assert.deepEqual(await send('GET', path, ben.token), [403, { message: '403 Forbidden' }]);
    assert.deepEqual(await send('GET', '/users/77/memberships', admin), [404, { message: '404 User Not Found' }]);
  });
});
