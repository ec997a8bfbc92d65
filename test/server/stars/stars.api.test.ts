import assert from 'node:assert/strict';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

describe('stars of projects', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  let shy: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    ben = actor(platform, 'ben');
    shy = actor(platform, 'shy', { privateProfile: true });
    for (const name of ['one', 'two', 'three']) projectWith(platform, ada, { name, visibility: 'public' });
    projectWith(platform, ada, { name: 'hidden' });
  });
  afterEach(() => server.close());

  const send = async (method: string, path: string, token?: string): Promise<[number, unknown]> => {
    const response = await server.request(method, `/api/v4${path}`, token === undefined ? {} : { token });
    return [response.status, response.text === '' ? '' : response.json()];
  };
  const paths = async (path: string, token?: string): Promise<string[]> => {
    const [status, body] = await send('GET', path, token);
    assert.equal(status, 200);
    return (body as { path: string }[]).map((project) => project.path);
  };

  it('stars of projects can be added once and removed once', async () => {
    const [status, body] = await send('POST', '/projects/1/star', ben.token);
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(body, { id: 1, star_count: 1 });
    assert.deepEqual(await send('POST', '/projects/1/star', ben.token), [304, '']);
    assert.partialDeepStrictEqual(await send('POST', '/projects/1/star', ada.token), [201, { star_count: 2 }]);
    assert.partialDeepStrictEqual(await send('POST', '/projects/1/unstar', ben.token), [201, { star_count: 1 }]);
    assert.deepEqual(await send('POST', '/projects/1/unstar', ben.token), [304, '']);
    assert.partialDeepStrictEqual(await send('GET', '/projects/1'), [200, { star_count: 1 }]);
    assert.deepEqual(await send('POST', '/projects/4/star', ben.token), [404, { message: '404 Project Not Found' }]);
    assert.deepEqual(await send('POST', '/projects/1/star'), [401, { message: '401 Unauthorized' }]);
  });

  it('stars of projects sort and filter lists', async () => {
    for (const [id, who] of [
      [2, ada],
      [2, ben],
      [3, ben],
      [4, ada],
    ] as const) {
      assert.equal((await send('POST', `/projects/${id}/star`, who.token))[0], 201);
    }
    assert.deepEqual(await paths('/projects?order_by=star_count'), ['two', 'three', 'one']);
    assert.deepEqual(await paths('/projects?order_by=star_count&sort=asc', ada.token), ['one', 'three', 'hidden', 'two']);
    assert.deepEqual(await paths('/projects?starred=true', ben.token), ['three', 'two']);
    assert.deepEqual(
      await paths('/projects?starred=true'),
      ['three', 'two', 'one'],
      'anonymous callers are not a user without stars',
    );
    // The list of another user's stars contains only projects that the caller can see.
    assert.deepEqual(await paths('/users/ada/starred_projects', ada.token), ['hidden', 'two']);
    assert.deepEqual(await paths(`/users/${ada.user.id}/starred_projects`, ben.token), ['two']);
    assert.deepEqual(await paths('/users/ada/starred_projects?search=tw'), ['two']);
    assert.deepEqual(await send('GET', '/users/nobody/starred_projects'), [404, { message: '404 User Not Found' }]);
  });

  it('stars of projects are listed with user and time, unless the profile is private', async () => {
    await server.request('POST', '/_local/clock', { token: admin, json: { freeze_at: '2026-05-01T10:00:00Z' } });
    for (const who of [ben, shy, ada]) assert.equal((await send('POST', '/projects/1/star', who.token))[0], 201);
    const starrers = async (token?: string, query = ''): Promise<string[]> => {
      const [, body] = await send('GET', `/projects/1/starrers${query}`, token);
      return (body as { user: { username: string } }[]).map(({ user }) => user.username);
    };
    assert.deepEqual(await starrers(), ['ben', 'ada']);
    assert.deepEqual(await starrers(ben.token), ['ben', 'ada']);
    assert.deepEqual(await starrers(shy.token), ['ben', 'shy', 'ada']);
    assert.deepEqual(await starrers(admin), ['ben', 'shy', 'ada']);
    assert.deepEqual(await starrers(admin, '?search=BEN'), ['ben']);
    assert.deepEqual(await paths('/users/shy/starred_projects', ben.token), []);
    assert.deepEqual(await paths('/users/shy/starred_projects', shy.token), ['one']);
    await server.request('POST', `/api/v4/users/${ben.user.id}/block`, { token: admin });
    assert.deepEqual(await starrers(), ['ada']);
    assert.equal((await send('GET', '/projects/4/starrers'))[0], 404);
  });

  it('stars of projects are deleted with their project and user', async () => {
    for (const who of [ada, ben]) await send('POST', '/projects/1/star', who.token);
    server.platform.store.run('DELETE FROM project_stars WHERE user_id = $id', { id: ben.user.id });
    assert.partialDeepStrictEqual(await send('GET', '/projects/1'), [200, { star_count: 1 }]);
    assert.equal((await send('DELETE', '/projects/1', ada.token))[0], 202);
    assert.deepEqual(await paths('/users/ada/starred_projects', ada.token), []);
  });
});
