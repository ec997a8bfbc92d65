import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

interface Key {
  readonly id: number;
  readonly [member: string]: unknown;
}

describe('deploy keys', () => {
  let server: TestServer;
  let ada: Actor;
  let dev: Actor;
  let otto: Actor;
  let lamps: FoundProject;
  let boats: FoundProject;
  let foreign: FoundProject;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, dev, otto] = [actor(platform, 'ada'), actor(platform, 'dev'), actor(platform, 'otto')];
    lamps = projectWith(platform, ada, { name: 'Lamps' }, [[dev, 30]]);
    boats = projectWith(platform, ada, { name: 'Boats' });
    foreign = projectWith(platform, otto, { name: 'Foreign' });
  });
  after(() => server.close());

  const send = (method: string, found: FoundProject, at: string, who: Actor, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4/projects/${found.project.id}/deploy_keys${at}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });
  const add = async (found: FoundProject, who: Actor, input: object, status = 201): Promise<Key> => {
    const response = await send('POST', found, '', who, { title: 'CI', key: freshPublicKey(), ...input });
    assert.equal(response.status, status, response.text);
    return response.json() as Key;
  };

  it('a key is added, changed and removed by maintainers', async () => {
    const key = freshPublicKey();
    const made = await add(lamps, ada, { title: 'Builds', key: ` ${key}\n`, expires_at: '2999-01-01' });
    assert.deepEqual(Object.keys(made), [
      'id',
      'title',
      'created_at',
      'expires_at',
      'key',
      'fingerprint',
      'fingerprint_sha256',
      'can_push',
    ]);
    assert.partialDeepStrictEqual(made, { title: 'Builds', key, can_push: false, expires_at: '2999-01-01T00:00:00.000Z' });
    assert.deepEqual((await send('GET', lamps, `/${made.id}`, ada)).json(), made);
    const changed = await send('PUT', lamps, `/${made.id}`, ada, { can_push: true });
    assert.deepEqual(changed.json(), { ...made, can_push: true });
    assert.equal((await send('PUT', lamps, `/${made.id}`, ada, { title: ' ' })).status, 400);
    for (const [method, at] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', `/${made.id}`],
    ] as const) {
      const body = method === 'POST' ? { title: 'CI', key } : undefined;
      assert.equal((await send(method, lamps, at, dev, body)).status, 403);
    }
    assert.equal((await send('DELETE', lamps, `/${made.id}`, ada)).status, 204);
    assert.equal((await send('GET', lamps, `/${made.id}`, ada)).status, 404);
  });

  it('an invalid key is refused', async () => {
    assert.deepEqual(await add(lamps, ada, { key: 'ssh-rsa AAAA' }, 400), { message: { key: ['is invalid'] } });
  });

  it('a key of another project of the user is used again, and exists until no project uses it', async () => {
    const key = freshPublicKey();
    const made = await add(lamps, ada, { title: 'Shared', key, can_push: true });
    assert.deepEqual(await add(lamps, ada, { title: 'Again', key }), made);
    assert.deepEqual(await add(boats, ada, { title: 'Other', key }), { ...made, can_push: false });
    assert.equal((await send('DELETE', lamps, `/${made.id}`, ada)).status, 204);
    const enabled = await send('POST', lamps, `/${made.id}/enable`, ada);
    assert.deepEqual([enabled.status, enabled.json()], [201, { ...made, can_push: false }]);
    for (const found of [lamps, boats]) assert.equal((await send('DELETE', found, `/${made.id}`, ada)).status, 204);
    assert.equal((await send('POST', lamps, `/${made.id}/enable`, ada)).status, 404);
  });

  it('a key of a project that the user does not maintain cannot be used', async () => {
    const key = freshPublicKey();
    const made = await add(lamps, ada, { key });
    assert.deepEqual(await add(foreign, otto, { key }, 400), {
      message: { 'deploy_key.fingerprint_sha256': ['has already been taken'] },
    });
    const response = await send('POST', foreign, `/${made.id}/enable`, otto);
    assert.deepEqual([response.status, response.json()], [404, { message: '404 Deploy Key Not Found' }]);
  });

  it('administrators see all keys with their projects', async () => {
    const made = await add(boats, ada, { can_push: true });
    await send('POST', lamps, `/${made.id}/enable`, ada);
    const all = await server.request('GET', '/api/v4/deploy_keys?per_page=100', { token: server.adminToken });
    const found = (all.json() as Key[]).find(({ id }) => id === made.id);
    assert.partialDeepStrictEqual(found, {
      projects_with_write_access: [{ path_with_namespace: 'ada/boats', name_with_namespace: 'ada Example / Boats' }],
      projects_with_readonly_access: [{ path_with_namespace: 'ada/lamps' }],
    });
    const open = await server.request('GET', '/api/v4/deploy_keys?public=true', { token: server.adminToken });
    assert.deepEqual(open.json(), []);
    assert.equal((await server.request('GET', '/api/v4/deploy_keys', { token: ada.token })).status, 403);
  });

  it('a protected branch can name a key that can push', async () => {
    const made = await add(lamps, ada, { can_push: true });
    const [reader, at] = [await add(lamps, ada, {}), `/api/v4/projects/${lamps.project.id}/protected_branches`];
    const protect = (name: string, id: number): Promise<TestResponse> =>
      server.request('POST', at, { token: ada.token, json: { name, allowed_to_push: [{ deploy_key_id: id }] } });
    const rule = await protect('one', made.id);
    assert.partialDeepStrictEqual(rule.json(), {
      push_access_levels: [{ access_level: null, deploy_key_id: made.id, access_level_description: 'Deploy key' }],
    });
    assert.deepEqual((await protect('two', reader.id)).json(), {
      message: ['Push access levels deploy key is not enabled for this project'],
    });
  });
});
