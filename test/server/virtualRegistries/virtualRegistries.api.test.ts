import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createRegistry, createUpstream, linkUpstream } from '../../../server/features/virtualRegistries/manageUpstreams.ts';
import { publicClient, signedIn } from '../oauth/support.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const API = '/api/v4/virtual_registries/packages/maven';
const SHA1 = 'a'.repeat(40);

describe('the Maven virtual registry API', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let stranger: Actor;
  let group: FoundGroup;
  let closed: FoundGroup;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [owner, developer, stranger] = [actor(platform, 'ada'), actor(platform, 'bob'), actor(platform, 'cleo')];
    group = createGroup(platform, owner.user, { name: 'Signals', path: 'signals', visibility: 'public' });
    closed = createGroup(platform, owner.user, { name: 'Closed', path: 'closed', visibility: 'private' });
    addGroupMember(platform, group.group, developer.user, { level: 30 }, { user: owner.user });
  });
  after(() => server.close());

  let count = 0;
  const registryOf = (found: FoundGroup) => createRegistry(server.platform, found, { name: `registry ${(count += 1)}` });
  const behind = (registry: ReturnType<typeof registryOf>) =>
    createUpstream(server.platform, registry, { url: `https://maven.example/${(count += 1)}`, name: `upstream ${count}` });
  const send = (method: string, path: string, json?: unknown, who: Actor = owner) =>
    server.request(method, path, { token: who.token, ...(json === undefined ? {} : { json }) });
  const list = async (path: string, member: string): Promise<unknown[]> => {
    const response = await send('GET', path);
    assert.equal(response.status, 200, response.text);
    return Object(response.json()).map((item: object) => Object(item)[member]);
  };
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('the Maven virtual registry API can be read by members and changed by maintainers of a top-level group', async () => {
    const registry = registryOf(group);
    const { upstream } = behind(registry);
    const hidden = registryOf(closed);
    const inner = createGroup(server.platform, owner.user, { name: 'Inner', path: 'inner', visibility: 'public', parent: group });
    const path = `/api/v4/groups/${group.group.id}/-/virtual_registries/packages/maven/registries`;
    const one = `${API}/registries/${registry.id}`;
    const refused = { status: 403, body: { message: '403 Forbidden' } };
    const absent = { status: 404, body: { message: '404 Not found' } };
    await check([
      { name: 'anonymous', path, status: 401 },
      { name: 'anonymous', path: one, status: 401 },
      { name: 'stranger', path, token: stranger.token, ...refused },
      { name: 'stranger', path: one, token: stranger.token, ...refused },
      { name: 'stranger', path: `${API}/registries/${hidden.id}`, token: stranger.token, ...absent },
      { name: 'nobody', path: `${API}/registries/99999`, token: owner.token, ...absent },
      { name: 'developer', path: one, token: developer.token, status: 200, has: { id: registry.id, group_id: group.group.id } },
      { name: 'developer', path: `${API}/upstreams/${upstream.id}`, token: developer.token, status: 200 },
      { name: 'developer', method: 'POST', path, json: { name: 'x' }, token: developer.token, ...refused },
      { name: 'developer', method: 'PATCH', path: one, json: { name: 'x' }, token: developer.token, ...refused },
      { name: 'developer', method: 'DELETE', path: one, token: developer.token, ...refused },
      { name: 'developer', method: 'DELETE', path: `${one}/cache`, token: developer.token, ...refused },
      { name: 'developer', method: 'DELETE', path: `${API}/upstreams/${upstream.id}`, token: developer.token, ...refused },
      {
        name: 'owner',
        method: 'POST',
        path,
        json: { name: 'new' },
        token: owner.token,
        status: 201,
        has: { name: 'new', description: null },
      },
      {
        name: 'taken',
        method: 'POST',
        path,
        json: { name: 'new' },
        token: owner.token,
        status: 400,
        body: { message: { name: ['has already been taken'] } },
      },
      {
        name: 'in a subgroup',
        method: 'POST',
        path: path.replace(`/${group.group.id}/`, `/${inner.group.id}/`),
        json: { name: 'inner' },
        token: owner.token,
        status: 400,
        body: { message: { group: ['must be a top level Group'] } },
      },
      {
        name: 'owner',
        method: 'PATCH',
        path: one,
        json: { name: 'renamed', description: 'd' },
        token: owner.token,
        status: 200,
        has: { name: 'renamed', description: 'd' },
      },
      { name: 'owner', method: 'DELETE', path: one, token: owner.token, status: 204 },
      { name: 'gone', path: one, token: owner.token, ...absent },
      { name: 'deleted with it', path: `${API}/upstreams/${upstream.id}`, token: owner.token, ...absent },
    ]);
  });

  it('the Maven virtual registry API lists and deletes with an OAuth token, too', async () => {
    const { access_token: token } = await signedIn(server, publicClient(server, ['api']), 'api');
    const registry = registryOf(group);
    assert.equal((await server.request('GET', `${API}/registries/${registry.id}`, { token })).status, 200);
    assert.equal((await server.request('DELETE', `${API}/registries/${registry.id}`, { token })).status, 204);
  });

  it('the Maven virtual registry API keeps upstreams in order, shared or not, and never returns passwords', async () => {
    const registry = registryOf(group);
    const path = `${API}/registries/${registry.id}/upstreams`;
    const made = [behind(registry), behind(registry), behind(registry)];
    const ids = made.map(({ upstream }) => upstream.id);
    assert.deepEqual(await list(path, 'id'), ids);
    const moved = await send('PATCH', `${API}/registry_upstreams/${made[2]?.link.id}`, { position: 1 });
    assert.deepEqual([moved.status, Object(moved.json()).position], [200, 1]);
    assert.deepEqual(await list(path, 'id'), [ids[2], ids[0], ids[1]]);
    await send('PATCH', `${API}/registry_upstreams/${made[2]?.link.id}`, { position: 20 });
    assert.deepEqual(await list(path, 'id'), ids);
    const positions = async (): Promise<unknown[]> =>
      (await list(path, 'registry_upstream')).map((location) => Object(location).position);
    assert.deepEqual(await positions(), [1, 2, 3]);
    const passing = behind(registry);
    await send('PATCH', `${API}/registry_upstreams/${passing.link.id}`, { position: 2 });
    assert.equal((await send('DELETE', `${API}/upstreams/${passing.upstream.id}`)).status, 204);
    assert.deepEqual(await positions(), [1, 2, 3]);
    assert.deepEqual(await list(path, 'id'), ids);
    const other = registryOf(group);
    const joined = await send('POST', `${API}/registry_upstreams`, { registry_id: other.id, upstream_id: ids[0] });
    assert.deepEqual([joined.status, Object(joined.json()).position], [201, 1]);
    await send('DELETE', `${API}/registries/${registry.id}`);
    const shared = Object((await send('GET', `${API}/upstreams/${ids[0]}`)).json());
    assert.deepEqual(shared.registry_upstreams, [{ id: Object(joined.json()).id, registry_id: other.id, position: 1 }]);
    assert.equal((await send('GET', `${API}/upstreams/${ids[1]}`)).status, 404);
    const secret = { url: 'https://maven.example/secret', username: 'lamp', password: 'not to be told to anybody' };
    const added = await send('POST', `${API}/registries/${other.id}/upstreams`, secret);
    assert.deepEqual(
      [added.status, Object(added.json()).username, Object(added.json()).registry_upstream.position],
      [201, 'lamp', 2],
    );
    assert.doesNotMatch(added.text, /password|not to be told/);
    await send('DELETE', `${API}/registry_upstreams/${shared.registry_upstreams[0].id}`);
    assert.deepEqual(await list(`${API}/registries/${other.id}/upstreams`, 'registry_upstream'), [
      { id: Object(added.json()).registry_upstream.id, registry_id: other.id, position: 1 },
    ]);
    const found = await list(
      `/api/v4/groups/signals/-/virtual_registries/packages/maven/upstreams?upstream_name=${encodeURIComponent(shared.name)}`,
      'id',
    );
    assert.deepEqual(found, [ids[0]]);
    assert.equal((await send('DELETE', `${API}/upstreams/${ids[0]}`)).status, 204);
    assert.equal((await send('GET', `${API}/upstreams/${ids[0]}`)).status, 404);
  });

  it('the Maven virtual registry API refuses invalid upstreams', async () => {
    const registry = registryOf(group);
    const { upstream } = behind(registry);
    const foreign = behind(registryOf(closed)).upstream;
    const full = registryOf(group);
    for (let index = 0; index < 20; index += 1) behind(full);
    const path = `${API}/registries/${registry.id}/upstreams`;
    const { token } = owner;
    const all = 'name, description, username, password, cache_validity_hours, metadata_cache_validity_hours';
    await check([
      {
        name: 'address',
        method: 'POST',
        path,
        json: { url: 'ftp://x' },
        token,
        status: 400,
        body: { message: { url: ['is not allowed: it must be a web address'] } },
      },
      {
        name: 'hours',
        method: 'POST',
        path,
        json: { url: 'https://x', cache_validity_hours: -1 },
        token,
        status: 400,
        body: { message: { cache_validity_hours: ['must be greater than or equal to 0'] } },
      },
      {
        name: 'half',
        method: 'POST',
        path,
        json: { url: 'https://x', username: 'x' },
        token,
        status: 400,
        body: { error: 'username, password provide all or none of parameters' },
      },
      {
        name: 'twice',
        method: 'POST',
        path,
        json: { url: upstream.url },
        token,
        status: 400,
        body: { message: { group: ['already has an upstream with the same credentials'] } },
      },
      {
        name: 'full',
        method: 'POST',
        path: `${API}/registries/${full.id}/upstreams`,
        json: { url: 'https://more.example' },
        token,
        status: 400,
        body: { message: { position: ['must be less than or equal to 20'] } },
      },
      {
        name: 'nothing',
        method: 'PATCH',
        path: `${API}/upstreams/${upstream.id}`,
        json: {},
        token,
        status: 400,
        body: { error: `url, ${all} are missing, at least one parameter must be provided` },
      },
      {
        name: 'linked',
        method: 'POST',
        path: `${API}/registry_upstreams`,
        json: { registry_id: registry.id, upstream_id: upstream.id },
        token,
        status: 400,
        body: { message: { upstream_id: ['has already been taken'] } },
      },
      {
        name: 'foreign',
        method: 'POST',
        path: `${API}/registry_upstreams`,
        json: { registry_id: registry.id, upstream_id: foreign.id },
        token,
        status: 400,
        body: { message: { group: ['must be the same as that of the registry'] } },
      },
    ]);
    assert.throws(() => linkUpstream(server.platform, registry, foreign));
  });

  it('the Maven virtual registry API lists and deletes cache entries', async () => {
    const registry = registryOf(group);
    const [one, two] = [behind(registry).upstream, behind(registry).upstream];
    const path = `${API}/upstreams/${one.id}/cache_entries`;
    for (const name of ['org/a/a.pom', 'org/a/a.jar', 'org/ü/b.jar']) {
      const added = await send('POST', path, { relative_path: name, file_sha1: SHA1, size: 3 });
      assert.equal(added.status, 201, added.text);
    }
    assert.deepEqual(await list(path, 'relative_path'), ['org/a/a.jar', 'org/a/a.pom', 'org/ü/b.jar']);
    assert.deepEqual(await list(`${path}?search=org/a`, 'relative_path'), ['org/a/a.jar', 'org/a/a.pom']);
    const [, , id] = await list(path, 'id');
    assert.equal(id, Buffer.from(`${one.id} org/ü/b.jar`).toString('base64'));
    const entry = `${API}/cache_entries/${encodeURIComponent(id)}`;
    await check([
      { name: 'developer', method: 'DELETE', path: entry, token: developer.token, status: 403 },
      { name: 'owner', method: 'DELETE', path: entry, token: owner.token, status: 204 },
      { name: 'gone', method: 'DELETE', path: entry, token: owner.token, status: 404 },
      { name: 'an invalid id', method: 'DELETE', path: `${API}/cache_entries/eA`, token: owner.token, status: 404 },
      {
        name: 'hash',
        method: 'POST',
        path,
        json: { relative_path: 'x', file_sha1: 'x', size: 1 },
        token: owner.token,
        status: 400,
        body: { message: { file_sha1: ['is invalid'] } },
      },
    ]);
    assert.equal((await send('DELETE', `${API}/upstreams/${one.id}/cache`)).status, 204);
    assert.deepEqual(await list(path, 'id'), []);
    // Entries of an upstream that another registry uses are kept.
    await send('POST', path, { relative_path: 'kept', file_sha1: SHA1, size: 1 });
    await send('POST', `${API}/upstreams/${two.id}/cache_entries`, { relative_path: 'gone', file_sha1: SHA1, size: 1 });
    linkUpstream(server.platform, registryOf(group), one);
    assert.equal((await send('DELETE', `${API}/registries/${registry.id}/cache`)).status, 204);
    assert.deepEqual(await list(path, 'relative_path'), ['kept']);
    assert.deepEqual(await list(`${API}/upstreams/${two.id}/cache_entries`, 'relative_path'), []);
  });
});

for (const profile of [{ tier: 'free' }, { release: '18.1' }] as const) {
  it(`the Maven virtual registry API virtual registries do not exist with ${JSON.stringify(profile)}`, async () => {
    await using server = await startTestServer({ profile });
    const response = await server.request('GET', `${API}/registries/1`, { token: server.adminToken });
    assert.deepEqual([response.status, response.json()], [404, { error: '404 Not Found' }]);
  });
}
