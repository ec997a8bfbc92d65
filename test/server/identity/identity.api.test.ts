import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { hashPassword, verifyPassword } from '../../../server/core/secrets.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

const BAD_USERNAME =
  "can contain only letters, digits, '_', '-' and '.'. It must start with a letter, digit or '_' and must not be a reserved name.";

function person(server: TestServer, username: string): User {
  const user = createUser(server.platform, { username, name: username.toUpperCase(), email: `${username}@example.com` });
  assert.ok(typeof user !== 'string', String(user));
  return user;
}

async function tokenFor(server: TestServer, user: User, scopes: readonly string[]): Promise<string> {
  const response = await server.request('POST', `/api/v4/users/${user.id}/personal_access_tokens`, {
    token: admin,
    json: { name: 'test', scopes },
  });
  assert.equal(response.status, 201, response.text);
  const { token } = response.json() as { token: string };
  assert.match(token, /^glpat-[\w-]{38}\.01\.12[0-9a-z]{7}$/);
  return token;
}

describe('users and their tokens', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  describe('creating users', () => {
    const base = { email: 'ada@example.com', name: 'Ada', username: 'ada', force_random_password: true };
    const post = { method: 'POST', path: '/api/v4/users', token: admin };
    scenarios(
      () => server,
      [
        {
          ...post,
          name: 'an administrator creates a user',
          json: base,
          status: 201,
          has: { id: 2, username: 'ada', state: 'active', is_admin: false },
        },
        {
          ...post,
          name: 'required parameters are reported',
          json: {},
          status: 400,
          body: { error: 'email is missing, name is missing, username is missing' },
        },
        {
          ...post,
          name: 'the name is blank',
          json: { ...base, name: ' ' },
          status: 400,
          body: { message: { name: ["can't be blank"] } },
        },
        {
          ...post,
          name: 'a source of the password is required',
          json: { ...base, force_random_password: undefined },
          status: 400,
          body: { error: 'password, reset_password, force_random_password are missing, at least one parameter must be provided' },
        },
        {
          ...post,
          name: 'the email address is taken',
          json: { ...base, email: 'root@signalbox.example' },
          status: 409,
          body: { message: 'Email has already been taken' },
        },
        {
          ...post,
          name: 'the username is taken, regardless of case',
          json: { ...base, username: 'ROOT' },
          status: 409,
          body: { message: 'Username has already been taken' },
        },
        {
          ...post,
          name: 'the username is reserved',
          json: { ...base, username: 'api' },
          status: 400,
          body: { message: { username: [BAD_USERNAME] } },
        },
        {
          ...post,
          name: 'the username contains a slash',
          json: { ...base, username: 'a/b' },
          status: 400,
          body: { message: { username: [BAD_USERNAME] } },
        },
        {
          ...post,
          name: 'the password is too short, and not repeated in the response',
          json: { ...base, password: 's3cret!' },
          status: 400,
          body: { message: { password: ['is too short (minimum is 8 characters)'] } },
          absent: ['s3cret!'],
        },
        {
          ...post,
          name: 'a text has more than 255 characters',
          json: { ...base, username: 'u'.repeat(256), name: '\u{1f4a1}'.repeat(256), bio: 'b'.repeat(256) },
          status: 400,
          body: {
            message: {
              username: ['is too long (maximum is 255 characters)'],
              name: ['is too long (maximum is 255 characters)'],
              bio: ['is too long (maximum is 255 characters)'],
            },
          },
        },
        {
          ...post,
          name: 'the email address has more than 255 characters',
          json: { ...base, email: `${'a'.repeat(250)}@b.com` },
          status: 400,
          body: { message: { email: ['is invalid'] } },
        },
      ],
    );

    it('names of 255 characters are stored, and longer ones are refused', async () => {
      const texts = { username: 'u'.repeat(255), name: '\u{1f4a1}'.repeat(255), bio: 'b'.repeat(255) };
      const json = { ...base, ...texts, email: 'long@example.com' };
      const created = await server.request('POST', '/api/v4/users', { token: admin, json });
      assert.equal(created.status, 201, created.text);
      const { id } = created.json() as { readonly id: number };
      const tooLong = { name: 'n'.repeat(256), bio: 'b'.repeat(256) };
      const changed = await server.request('PUT', `/api/v4/users/${id}`, { token: admin, json: tooLong });
      const problem = ['is too long (maximum is 255 characters)'];
      assert.deepEqual([changed.status, changed.json()], [400, { message: { name: problem, bio: problem } }]);
      assert.partialDeepStrictEqual((await server.request('GET', `/api/v4/users/${id}`, { token: admin })).json(), texts);
    });

    it('creating users requires an administrator', async () => {
      const token = await tokenFor(server, person(server, 'bob'), ['api']);
      const response = await server.request('POST', '/api/v4/users', { token, json: base });
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), { message: '403 Forbidden' });
    });
  });

  describe('scopes of tokens', () => {
    it('the response for a token without the required scope lists the accepted scopes', async () => {
      const token = await tokenFor(server, person(server, 'bob'), ['read_repository']);
      const response = await server.request('GET', '/api/v4/user', { token });
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api read_api read_user',
      });
      assert.equal(response.headers.get('www-authenticate'), null);
    });

    it('reads accept read_api and, for users, read_user; writes require api', async () => {
      const bob = person(server, 'bob');
      for (const scope of ['api', 'read_api', 'read_user']) {
        const token = await tokenFor(server, bob, [scope]);
        assert.equal((await server.request('GET', '/api/v4/user', { token })).status, 200, scope);
      }
      const token = await tokenFor(server, bob, ['read_api']);
      assert.equal(
        (await server.request('POST', '/api/v4/users', { token, json: {} })).status,
        400,
        'parameters are read before credentials',
      );
    });

    it('unknown scopes are refused', async () => {
      const { id } = person(server, 'bob');
      const response = await server.request('POST', `/api/v4/users/${id}/personal_access_tokens`, {
        token: admin,
        json: { name: 't', scopes: ['everything'] },
      });
      assert.equal(response.status, 400);
      assert.deepEqual(response.json(), { message: { scopes: ['can only contain available scopes'] } });
    });
  });

  describe('revoked tokens and blocked users', () => {
    it('the responses for a revoked and an unknown token differ', async () => {
      const token = await tokenFor(server, person(server, 'bob'), ['api']);
      assert.equal((await server.request('DELETE', '/api/v4/personal_access_tokens/self', { token })).status, 204);
      const response = await server.request('GET', '/api/v4/user', { token });
      assert.equal(response.status, 401);
      assert.deepEqual(response.json(), {
        error: 'invalid_token',
        error_description: 'Token was revoked. You have to re-authorize from the user.',
      });
    });

    it('requests of a blocked user are refused with a reason until the user is unblocked', async () => {
      const bob = person(server, 'bob');
      const token = await tokenFor(server, bob, ['api']);
      assert.equal((await server.request('POST', `/api/v4/users/${bob.id}/block`, { token: admin })).status, 201);
      const refused = await server.request('GET', '/api/v4/user', { token });
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.json(), { message: '403 Forbidden - Your account has been blocked.' });
      await server.request('POST', `/api/v4/users/${bob.id}/unblock`, { token: admin });
      assert.equal((await server.request('GET', '/api/v4/user', { token })).status, 200);
    });
  });

  describe('reading users', () => {
    beforeEach(() => {
      for (const name of ['ada', 'bob', 'cy']) person(server, name);
    });
    scenarios(
      () => server,
      [
        {
          name: 'a user is found by username without a token, in short form',
          path: '/api/v4/users?username=ADA',
          status: 200,
          has: [{ username: 'ada' }],
          absent: ['ada@example.com'],
        },
        {
          name: 'listing users without a token requires a username',
          path: '/api/v4/users',
          status: 403,
          body: { message: '403 Forbidden - Not authorized to access /api/v4/users' },
        },
        {
          name: 'a profile requires a token',
          path: '/api/v4/users/2',
          status: 403,
          body: { message: '403 Forbidden - Not authorized!' },
        },
        {
          name: 'the user does not exist',
          path: '/api/v4/users/99',
          token: admin,
          status: 404,
          body: { message: '404 User Not Found' },
        },
        {
          name: 'the ID is not a number',
          path: '/api/v4/users/ada',
          token: admin,
          status: 400,
          body: { error: 'id is invalid' },
        },
        {
          name: 'users are searched by a part of the name',
          path: '/api/v4/users?search=B&page=1',
          token: admin,
          status: 200,
          responseHeaders: { 'x-total': '1' },
        },
        {
          name: 'a percent sign is not a wildcard',
          path: '/api/v4/users?search=%25&page=1',
          token: admin,
          status: 200,
          responseHeaders: { 'x-total': '0', 'x-total-pages': '1' },
        },
        {
          name: 'keyset pagination is the default from release 16.5, without totals',
          path: '/api/v4/users?per_page=2',
          token: admin,
          status: 200,
          responseHeaders: { 'x-total': null, link: /cursor=/ },
        },
        {
          name: 'the cursor was changed',
          path: '/api/v4/users?cursor=AAAA',
          token: admin,
          status: 400,
          body: { error: 'cursor is invalid' },
        },
        {
          name: 'the order is unknown',
          path: '/api/v4/users?order_by=email',
          token: admin,
          status: 400,
          body: { error: 'order_by does not have a valid value' },
        },
        {
          name: 'the offset is above the limit',
          path: '/api/v4/users?page=501&per_page=100',
          token: admin,
          status: 405,
          body: {
            error:
              'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type User. Remaining records can be retrieved using keyset pagination.',
          },
        },
      ],
    );

    it('default keyset pages of users are followed by their links', async () => {
      const first = await server.request('GET', '/api/v4/users?per_page=3', { token: admin });
      const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await server.request('GET', link, { token: admin });
      assert.deepEqual(
        (second.json() as { id: number }[]).map((user) => user.id),
        [1],
      );
    });

    for (const order of ['id', 'name', 'username', 'created_at', 'updated_at']) {
      for (const sort of ['asc', 'desc']) {
        it(`keyset pages of users by ${order} ${sort} contain every user once and end with an empty page without Link`, async () => {
          const seen: number[] = [];
          let next: string | undefined = `/api/v4/users?pagination=keyset&order_by=${order}&sort=${sort}&per_page=1`;
          let last = '';
          while (next !== undefined) {
            const response = await server.request('GET', next, { token: admin });
            const page = response.json() as { id: number }[];
            last = response.text;
            seen.push(...page.map((user) => user.id));
            next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
            assert.ok(seen.length <= 4);
          }
          assert.equal(last, '[]');
          assert.deepEqual(seen.toSorted(), [1, 2, 3, 4]);
        });
      }
    }

    it('the list of users uses offset pagination before release 16.5 and in the observed dialect', async () => {
      for (const profile of [{ release: '16.4' }, { dialect: 'observed' }] as const) {
        await using other = await startTestServer({ profile });
        const response = await other.request('GET', '/api/v4/users', { token: admin });
        assert.equal(response.headers.get('x-total'), '1', JSON.stringify(profile));
      }
    });

    it('a private profile is shown in short form to others and completely to its owner', async () => {
      const hidden = createUser(server.platform, {
        username: 'hid',
        name: 'Hid',
        email: 'hid@example.com',
        privateProfile: true,
        bio: 'secret hobby',
      });
      assert.ok(typeof hidden !== 'string');
      const bob = server.platform.store.get<User>("SELECT * FROM users WHERE username = 'bob'");
      assert.ok(bob);
      const other = await server.request('GET', `/api/v4/users/${hidden.id}`, { token: await tokenFor(server, bob, ['api']) });
      assert.ok(!other.text.includes('secret hobby'));
      const own = await server.request('GET', `/api/v4/users/${hidden.id}`, { token: await tokenFor(server, hidden, ['api']) });
      assert.ok(own.text.includes('secret hobby'));
    });

    it('administrators update users, and can make a profile private and public again', async () => {
      const changed = createUser(server.platform, { username: 'cho', name: 'Cho', email: 'cho@example.com', bio: 'sails' });
      assert.ok(typeof changed !== 'string');
      const address = `/api/v4/users/${changed.id}`;
      const token = await tokenFor(server, person(server, 'watcher'), ['api']);
      const put = (json: object, who = admin) => server.request('PUT', address, { token: who, json });
      const hidden = await put({ private_profile: true, name: 'Cho Lee', external: 'true' });
      assert.equal(hidden.status, 200, hidden.text);
      assert.partialDeepStrictEqual(hidden.json(), {
        id: changed.id,
        username: 'cho',
        name: 'Cho Lee',
        bio: 'sails',
        email: 'cho@example.com',
        private_profile: true,
        external: true,
        is_admin: false,
      });
      assert.ok(!(await server.request('GET', address, { token })).text.includes('sails'));
      await put({ private_profile: false });
      assert.ok((await server.request('GET', address, { token })).text.includes('sails'));
      assert.equal((await put({ private_profile: true }, token)).status, 403);
      const taken = await put({ email: 'WATCHER@example.com' });
      assert.deepEqual([taken.status, taken.json()], [409, { message: 'Email has already been taken' }]);
      assert.deepEqual((await put({ email: 'none', name: ' ' })).json(), {
        message: { name: ["can't be blank"], email: ['is invalid'] },
      });
      const self = await server.request('PUT', '/api/v4/users/1', { token: admin, json: { admin: false } });
      assert.equal(self.status, 403, 'administrators keep their own rights');
      const nobody = await server.request('PUT', '/api/v4/users/9999', { token: admin, json: { name: 'Nobody' } });
      assert.deepEqual([nobody.status, nobody.json()], [404, { message: '404 User Not Found' }]);
    });
  });

  describe('version, metadata and the current token', () => {
    scenarios(
      () => server,
      [
        { name: 'the version requires a token', path: '/api/v4/version', status: 401 },
        {
          name: 'the version is that of the emulated release',
          path: '/api/v4/version',
          token: admin,
          status: 200,
          body: {
            version: '18.11.0-ee',
            revision: 'signalbox',
            kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
            enterprise: true,
          },
        },
        {
          name: 'the metadata contains the version',
          path: '/api/v4/metadata',
          token: admin,
          status: 200,
          has: { version: '18.11.0-ee' },
        },
        {
          name: 'a token can read itself',
          path: '/api/v4/personal_access_tokens/self',
          token: admin,
          status: 200,
          has: { user_id: 1, active: true, revoked: false, expires_at: null },
        },
      ],
    );
    it('metadata does not exist before its first release, like an unknown path', async () => {
      await using old = await startTestServer({ profile: { release: '15.1' } });
      const response = await old.request('GET', '/api/v4/metadata', { token: admin });
      assert.equal(response.status, 404);
      assert.deepEqual(response.json(), { error: '404 Not Found' });
    });
  });

  it('tokens and passwords are not stored in plain text', async () => {
    const token = await tokenFor(server, person(server, 'bob'), ['api']);
    const rows = JSON.stringify(server.platform.store.all('SELECT * FROM personal_access_tokens'));
    assert.ok(!rows.includes(token) && !rows.includes(admin));
    const hash = await hashPassword('correct horse battery');
    assert.ok(!hash.includes('correct'));
    assert.equal((await verifyPassword('correct horse battery', hash)).isCorrect, true);
    assert.equal((await verifyPassword('wrong horse battery', hash)).isCorrect, false);
    assert.equal((await verifyPassword('nobody has this password', null)).isCorrect, false);
  });
});
