import assert from 'node:assert/strict';
import { readClientKey } from '../../../src/contract/clientKeys.ts';
import { readDsn } from '../../../src/contract/dsn.ts';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { findSender } from '../../../server/features/errorTracking/receive/senders.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { writeSettings } from '../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

type Who = 'owner' | 'maintainer' | 'developer' | 'guest' | 'stranger' | 'reader';

describe('client keys', function () {
  let server: TestServer;
  let cast: Readonly<Record<Who, Actor>>;
  let count = 0;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    cast = {
      owner: actor(platform, 'owner'),
      maintainer: actor(platform, 'maintainer'),
      developer: actor(platform, 'developer'),
      guest: actor(platform, 'guest'),
      stranger: actor(platform, 'stranger'),
      reader: actor(platform, 'reader', { scopes: ['read_api'] }),
    };
  });
  after(() => server.close());

  const project = (): number => {
    const { owner, maintainer, developer, guest, reader } = cast;
    return projectWith(server.platform, owner, { name: `Lamps ${(count += 1)}`, visibility: 'private' }, [
      [maintainer, 40],
      [developer, 30],
      [guest, 10],
      [reader, 40],
    ]).project.id;
  };
  const call = (method: string, id: number | string, rest = '', as: Who | undefined = 'maintainer'): Promise<TestResponse> =>
    server.request(method, `/api/v4/projects/${encodeURIComponent(id)}/error_tracking/client_keys${rest}`, {
      token: cast[as].token,
    });
  const listed = async (id: number): Promise<readonly unknown[]> => {
    const keys = (await call('GET', id)).json();
    assert.ok(Array.isArray(keys));
    return keys;
  };

  it('POST creates an active client key with a random public key and a DSN that contains the project ID', async () => {
    const id = project();
    const response = await call('POST', id);
    assert.equal(response.status, 201);
    const key = response.json();
    const { id: keyId, public_key: publicKey } = Object(key);
    assert.match(publicKey, /^glet_[0-9a-f]{32}$/);
    assert.deepEqual(key, {
      id: keyId,
      active: true,
      public_key: publicKey,
      tracker_dsn: `http://${publicKey}@${new URL(server.origin).host}/api/v4/error_tracking/collector/${id}`,
    });
    assert.deepEqual(readDsn(readClientKey(key)?.tracker_dsn ?? ''), {
      publicKey,
      origin: server.origin,
      path: '/api/v4/error_tracking/collector',
      projectId: id,
    });
    assert.deepEqual(await listed(id), [key]);
  });

  it('DELETE of a client key returns the deleted key with 200, and 404 the second time', async () => {
    const id = project();
    const [one, other] = [(await call('POST', id)).json(), (await call('POST', id)).json()];
    const path = `/${Object(one).id}`;
    const deleted = await call('DELETE', id, path);
    assert.deepEqual([deleted.status, deleted.json()], [200, one]);
    assert.deepEqual(await listed(id), [other]);
    const again = await call('DELETE', id, path);
    assert.deepEqual([again.status, again.json()], [404, { message: '404 Not found' }]);
  });

  it('the ID of a client key is never reused', async () => {
    const id = project();
    const { id: first } = Object((await call('POST', id)).json());
    await call('DELETE', id, `/${first}`);
    assert.ok(Object((await call('POST', id)).json()).id > first);
  });

  it('client keys of another project are not found', async () => {
    const [id, other] = [project(), project()];
    const key = createClientKey(server.platform, other);
    assert.deepEqual((await call('DELETE', id, `/${key.id}`)).json(), { message: '404 Not found' });
    assert.deepEqual(await listed(id), []);
    assert.equal((await listed(other)).length, 1);
  });

  it('client keys are listed in pages, ordered by ID', async () => {
    const id = project();
    const keys = Array.from({ length: 5 }, () => createClientKey(server.platform, id).id);
    const page = await call('GET', id, '?per_page=2&page=2');
    const items: unknown = page.json();
    assert.ok(Array.isArray(items));
    assert.deepEqual(
      items.map((item) => readClientKey(item)?.id),
      keys.slice(2, 4),
    );
    assert.deepEqual([page.headers.get('x-total'), page.headers.get('x-next-page')], ['5', '3']);
  });

  for (const [name, method, rest, as, status, body] of [
    ['a developer may not list client keys', 'GET', '', 'developer', 403, { message: '403 Forbidden' }],
    ['a developer may not create client keys', 'POST', '', 'developer', 403, { message: '403 Forbidden' }],
    ['a developer may not delete client keys', 'DELETE', '/1', 'developer', 403, { message: '403 Forbidden' }],
    ['a guest may not list client keys', 'GET', '', 'guest', 403, { message: '403 Forbidden' }],
    ['the client keys of a hidden project are not found', 'GET', '', 'stranger', 404, { message: '404 Project Not Found' }],
    ['client keys cannot be created in a hidden project', 'POST', '', 'stranger', 404, { message: '404 Project Not Found' }],
    ['key_id of a client key must be an integer', 'DELETE', '/first', 'maintainer', 400, { error: 'key_id is invalid' }],
    [
      'per_page of client keys must not be 0',
      'GET',
      '?per_page=0',
      'maintainer',
      400,
      { error: 'per_page has a value not allowed' },
    ],
    ['the scope read_api can list client keys', 'GET', '', 'reader', 200, []],
    ['the owner may list client keys', 'GET', '', 'owner', 200, []],
  ] as const) {
    it(name, async () => {
      const response = await call(method, project(), rest, as);
      assert.deepEqual([response.status, response.json()], [status, body]);
    });
  }

  it('client keys need a token, and creating one needs more than the scope read_api', async () => {
    const id = project();
    const path = `/api/v4/projects/${id}/error_tracking/client_keys`;
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', '/1'],
    ] as const) {
      const response = await server.request(method, `${path}${rest}`);
      assert.deepEqual([response.status, response.json()], [401, { message: '401 Unauthorized' }]);
    }
    assert.equal((await call('POST', id, '', 'reader')).status, 403);
    assert.deepEqual(await listed(id), []);
  });

  it('a client key can be rotated: after the old key is deleted, only the new one is accepted', async () => {
    const id = project();
    const { platform } = server;
    setErrorTracking(platform, id, true);
    const old = readClientKey((await call('POST', id)).json());
    const next = readClientKey((await call('POST', id)).json());
    assert.ok(old !== undefined && next !== undefined);
    assert.notEqual(old.public_key, next.public_key);
    assert.deepEqual((await listed(id)).map(readClientKey), [old, next]);
    const senderOf = ({ public_key }: { public_key: string }) => findSender(platform, id, public_key);
    assert.deepEqual([senderOf(old), senderOf(next)], [sender(old.id), sender(next.id)]);
    assert.equal((await call('DELETE', id, `/${old.id}`)).status, 200);
    assert.deepEqual([senderOf(old), senderOf(next)], [{ refused: 'no such key' }, sender(next.id)]);
    assert.deepEqual((await listed(id)).map(readClientKey), [next]);

    function sender(keyId: number): object {
      return { projectId: id, keyId, scrub: true };
    }
  });

  it('client keys can be created, listed and deleted while error tracking is disabled', async () => {
    const id = project();
    const key = readClientKey((await call('POST', id)).json());
    assert.ok(key !== undefined);
    assert.equal((await listed(id)).length, 1);
    assert.deepEqual(findSender(server.platform, id, key.public_key), { refused: 'error tracking is off' });
    assert.equal((await call('DELETE', id, `/${key.id}`)).status, 200);
  });

  it('a rejected client key has a reason', () => {
    const { platform } = server;
    const [id, other] = [project(), project()];
    const refusal = (publicKey: string, projectId = id): unknown => Object(findSender(platform, projectId, publicKey)).refused;
    const open = createClientKey(platform, id).public_key;
    const closed = createClientKey(platform, id, { active: false }).public_key;
    const strange = createClientKey(platform, other).public_key;
    for (const settings of [
      { active: false, integrated: true },
      { active: false, integrated: false },
    ]) {
      writeSettings(platform, id, settings);
      assert.equal(refusal(open), 'error tracking is off');
    }
    setErrorTracking(platform, id, true);
    assert.equal(refusal(open), undefined);
    assert.equal(refusal(closed), 'the key is inactive');
    assert.equal(refusal(strange), 'the key belongs to another project');
    for (const unknown of ['', 'glet_', `${open} `, open.toUpperCase(), "' OR 1=1 --"])
      assert.equal(refusal(unknown), 'no such key');
    assert.equal(refusal(open, 1_000_000), 'no such project');
  });

  it('the sender of a client key is found with two indexed queries', () => {
    const { platform } = server;
    const { store } = platform;
    const id = project();
    setErrorTracking(platform, id, true);
    const { public_key: publicKey } = createClientKey(platform, id);
    const plans: string[] = [];
    const get: typeof store.get = (sql, params) => {
      plans.push(...store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map(({ detail }) => detail));
      return store.get(sql, params);
    };
    findSender({ ...platform, store: { ...store, get } }, id, publicKey);
    assert.equal(plans.length, 2);
    for (const plan of plans) assert.match(plan, /^SEARCH/);
  });

  it('client keys remain when the project is renamed, and are deleted with it', async () => {
    const id = project();
    const key = createClientKey(server.platform, id);
    const renamed = { token: server.adminToken, json: { path: `renamed${id}` } };
    assert.equal((await server.request('PUT', `/api/v4/projects/${id}`, renamed)).status, 200);
    const keys = (await call('GET', `owner/renamed${id}`)).json();
    assert.deepEqual(Array.isArray(keys) && keys.map((one) => readClientKey(one)?.public_key), [key.public_key]);
    await server.request('DELETE', `/api/v4/projects/${id}`, { token: server.adminToken });
    const found = server.platform.store.get('SELECT 1 FROM error_tracking_client_keys WHERE id = $id', { id: key.id });
    assert.equal(found, undefined);
  });

  it('DSNs contain the public address if one is configured', async () => {
    await using behind = await startTestServer({ publicUrl: 'https://signalbox.example:8443' });
    const token = behind.adminToken;
    const { id } = Object((await behind.request('POST', '/api/v4/projects', { token, json: { name: 'Lamps' } })).json());
    const key = readClientKey(
      (await behind.request('POST', `/api/v4/projects/${id}/error_tracking/client_keys`, { token })).json(),
    );
    const dsn = `https://${key?.public_key}@signalbox.example:8443/api/v4/error_tracking/collector/${id}`;
    assert.equal(key?.tracker_dsn, dsn);
  });

  it('client keys have sentry_dsn in the observed dialect', async () => {
    await using observed = await startTestServer({ profile: { dialect: 'observed' } });
    const token = observed.adminToken;
    const { id } = Object((await observed.request('POST', '/api/v4/projects', { token, json: { name: 'Lamps' } })).json());
    const path = `/api/v4/projects/${id}/error_tracking/client_keys`;
    const created = (await observed.request('POST', path, { token })).json();
    const names = ['id', 'active', 'public_key', 'sentry_dsn'];
    assert.deepEqual(Object.keys(Object(created)), names);
    assert.equal(readDsn(readClientKey(created)?.tracker_dsn ?? '')?.projectId, id);
    assert.deepEqual((await observed.request('GET', path, { token })).json(), [created]);
    const deleted = await observed.request('DELETE', `${path}/${Object(created).id}`, { token });
    assert.deepEqual(deleted.json(), created);
  });
});
