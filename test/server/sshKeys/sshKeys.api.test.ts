import assert from 'node:assert/strict';
import { DAY } from '../../../server/core/clock.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { startTestServer, TEST_ADMIN_TOKEN as root, type TestResponse, type TestServer } from '../../support/server.ts';

interface Key {
  readonly id: number;
  readonly title: string;
  readonly key: string;
  readonly [member: string]: unknown;
}

const own = '/api/v4/user/keys';
const taken = { message: { fingerprint_sha256: ['has already been taken'] } };

describe('SSH keys of users', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1, 12));
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, token: string | undefined, json?: object): Promise<TestResponse> =>
    server.request(method, path, { ...(token === undefined ? {} : { token }), ...(json === undefined ? {} : { json }) });
  const add = async (input: object = {}, token = ada.token, path = own): Promise<Key> => {
    const response = await send('POST', path, token, { title: 'Laptop', key: freshPublicKey(), ...input });
    assert.equal(response.status, 201, response.text);
    return response.json() as Key;
  };
  const refused = async (input: object, expected: unknown): Promise<void> => {
    const response = await send('POST', own, ada.token, { title: 'Laptop', key: freshPublicKey(), ...input });
    assert.equal(response.status, 400, response.text);
    assert.deepEqual(response.json(), expected);
  };

  it('a key is added, listed, shown and removed, and the name of its user replaces the comment', async () => {
    const key = freshPublicKey('someone@example.com');
    const made = await add({ key, expires_at: '2030-02-01', usage_type: 'auth' });
    assert.deepEqual(made, {
      id: made.id,
      title: 'Laptop',
      created_at: '2030-01-01T12:00:00.000Z',
      expires_at: '2030-02-01T00:00:00.000Z',
      key: key.replace('someone@example.com', 'ada Example (127.0.0.1)'),
      usage_type: 'auth',
    });
    const other = await add({ title: 'Other' });
    assert.partialDeepStrictEqual(other, { expires_at: null, usage_type: 'auth_and_signing' });
    const list = await send('GET', own, ada.token);
    assert.deepEqual(list.json(), [made, other]);
    assert.equal(list.headers.get('x-total'), '2');
    assert.deepEqual((await send('GET', `${own}/${made.id}`, ada.token)).json(), made);
    assert.equal((await send('DELETE', `${own}/${made.id}`, ada.token)).status, 204);
    const gone = await send('GET', `${own}/${made.id}`, ada.token);
    assert.deepEqual([gone.status, gone.json()], [404, { message: '404 Key Not Found' }]);
  });

  it('what a key can be is checked', async () => {
    await refused({ key: 'ssh-rsa AAAA' }, { message: { key: ['is invalid'], fingerprint_sha256: ['cannot be generated'] } });
    await refused({ title: ' ' }, { message: { title: ["can't be blank"] } });
    await refused({ title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } });
    await refused({ expires_at: '2029-12-31' }, { message: { key: ['has expired'] } });
    await refused({ usage_type: 'all' }, { error: 'usage_type does not have a valid value' });
    const missing = await send('POST', own, ada.token, {});
    assert.deepEqual([missing.status, missing.json()], [400, { error: 'key is missing, title is missing' }]);
  });

  it('a key belongs to one account or to the deploy keys of projects', async () => {
    const { key } = await add();
    await refused({ key }, taken);
    assert.deepEqual((await send('POST', own, rita.token, { title: 'Same', key: `${key} again` })).json(), taken);
    const lamps = projectWith(server.platform, ada, { name: 'Lamps' });
    const deployKeys = `/api/v4/projects/${lamps.project.id}/deploy_keys`;
    const deployed = await send('POST', deployKeys, ada.token, { title: 'CI', key });
    assert.deepEqual(
      [deployed.status, deployed.json()],
      [400, { message: { 'deploy_key.fingerprint_sha256': ['has already been taken'] } }],
    );
    const other = freshPublicKey();
    assert.equal((await send('POST', deployKeys, ada.token, { title: 'CI', key: other })).status, 201);
    await refused({ key: other }, taken);
  });

  it('keys of others are not shown or removed as own ones', async () => {
    const { id } = await add();
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send(method, `${own}/${id}`, rita.token)).status, 404);
      assert.equal((await send(method, `${own}/${id}`, undefined)).status, 401);
    }
    assert.equal((await send('GET', own, undefined)).status, 401);
  });

  it('a token with the scope read_user reads keys and adds none', async () => {
    const reader = actor(server.platform, 'reader', { scopes: ['read_user'] });
    assert.equal((await send('GET', own, reader.token)).status, 200);
    assert.equal((await send('POST', own, reader.token, { title: 'Laptop', key: freshPublicKey() })).status, 403);
  });

  it('anyone sees the keys of a user, by ID or username', async () => {
    const made = await add();
    for (const token of [undefined, rita.token]) {
      for (const who of [ada.user.id, 'ada']) {
        const list = await send('GET', `/api/v4/users/${who}/keys`, token);
        assert.deepEqual(list.json(), [made]);
        assert.equal(list.headers.get('x-total'), '1');
      }
      assert.deepEqual((await send('GET', `/api/v4/users/${ada.user.id}/keys/${made.id}`, token)).json(), made);
      assert.equal((await send('GET', `/api/v4/users/${rita.user.id}/keys/${made.id}`, token)).status, 404);
      const unknown = await send('GET', '/api/v4/users/nobody/keys', token);
      assert.deepEqual([unknown.status, unknown.json()], [404, { message: '404 User Not Found' }]);
    }
  });

  it('administrators add and remove keys of others', async () => {
    const path = `/api/v4/users/${ada.user.id}/keys`;
    const made = await add({}, root, path);
    assert.match(made.key, / ada Example \(/);
    assert.equal((await send('POST', path, ada.token, { title: 'Mine', key: freshPublicKey() })).status, 403);
    assert.equal((await send('DELETE', `${path}/${made.id}`, ada.token)).status, 403);
    assert.equal((await send('DELETE', `/api/v4/users/${rita.user.id}/keys/${made.id}`, root)).status, 404);
    assert.equal((await send('DELETE', `${path}/${made.id}`, root)).status, 204);
    assert.deepEqual((await send('GET', path, root)).json(), []);
    assert.equal((await send('POST', '/api/v4/users/999999/keys', root, { title: 'No', key: freshPublicKey() })).status, 404);
  });

  it('administrators find the user of a key by its ID and its fingerprints', async () => {
    const key =
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDNJAkI3Wdf0r13c8a5pEExB2YowPWCSVzfZV22pNBc1CuEbyYLHpUyaD0GwpGvFdx2aP7lMEk35k6Rz3ccBF6jRaVJyhsn5VNnW92PMpBJ/P1UebhXwsFHdQf5rTt082cSxWuk61kGWRQtk4ozt/J2DF/dIUVaLvc+z4HomT41fQ==';
    const made = await add({ key });
    const one = await send('GET', `/api/v4/keys/${made.id}`, root);
    assert.partialDeepStrictEqual(one.json(), { ...made, user: { username: 'ada', email: 'ada@example.com' } });
    for (const fingerprint of [
      '4a:9d:64:15:ed:3a:e6:07:6e:89:36:b3:3b:03:05:d9',
      'MD5:4a:9d:64:15:ed:3a:e6:07:6e:89:36:b3:3b:03:05:d9',
      'SHA256:Jrs3LD1Ji30xNLtTVf9NDCj7kkBgPBb2pjvTZ3HfIgU',
    ]) {
      const found = await send('GET', `/api/v4/keys?fingerprint=${encodeURIComponent(fingerprint)}`, root);
      assert.deepEqual(found.json(), one.json());
    }
    const unknown = await send('GET', '/api/v4/keys?fingerprint=SHA256:AAAALD1Ji30xNLtTVf9NDCj7kkBgPBb2pjvTZ3HfIgU', root);
    assert.deepEqual([unknown.status, unknown.json()], [404, { message: '404 Key Not Found' }]);
    const odd = await send('GET', '/api/v4/keys?fingerprint=odd', root);
    assert.deepEqual([odd.status, odd.json()], [400, { message: 'Failed to return the key' }]);
    assert.equal((await send('GET', '/api/v4/keys/999999', root)).status, 404);
    assert.equal((await send('GET', `/api/v4/keys/${made.id}`, ada.token)).status, 403);
    assert.equal((await send('GET', '/api/v4/keys?fingerprint=odd', ada.token)).status, 403);
  });

  it('a key is kept after it has expired, and is gone with its user', async () => {
    const made = await add({ expires_at: '2030-01-02' });
    server.platform.clock.advance(3 * DAY);
    assert.deepEqual((await send('GET', own, ada.token)).json(), [made]);
    assert.equal((await send('DELETE', `/api/v4/users/${ada.user.id}`, root)).status, 204);
    assert.equal((await send('GET', `/api/v4/keys/${made.id}`, root)).status, 404);
  });
});
