import assert from 'node:assert/strict';
import { enableSecondFactor } from '../../../server/features/secondFactors/secondFactor.ts';
import type { User } from '../../../server/core/caller.ts';
import { findUserByName, setPassword } from '../../../server/features/users/accounts.ts';
import { secondFactorOf } from '../../support/examples/secondFactors.ts';
import { makeFixture } from '../../support/examples.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const PASSWORD = 'a lamp in the window';
const DENIED =
  /^HTTP Basic: Access denied\. If a password was provided for Git authentication, the password was incorrect or you're required to use a token instead of a password\. If a token was provided, it was either incorrect, expired, or improperly scoped\. See http:\/\/127\.0\.0\.1:\d+\/help\/topics\/git\/troubleshooting_git\.md#error-on-git-fetch-http-basic-access-denied\n$/;

const basic = (username: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

describe('access of git over HTTPS', () => {
  let server: TestServer;
  let owner: Actor;
  let count = 0;
  /** Creates a user with a token of these scopes. */
  const person = (scopes: readonly string[] = ['api'], external = false): Actor =>
    actor(server.platform, `person${(count += 1)}`, { scopes, external });
  /** Sends the first request of a fetch. */
  const fetchRefs = (path: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
    server.request('GET', `/${path}.git/info/refs?service=git-upload-pack`, { headers });
  const withPassword = async (user: User): Promise<void> => setPassword(server.platform, user, PASSWORD);
  const change = (method: string, path: string, json: unknown): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, { token: server.adminToken, json });

  before(async () => {
    server = await startTestServer({ profile: { tier: 'ultimate' } });
    owner = actor(server.platform, 'owner');
    for (const visibility of ['private', 'internal', 'public'] as const) {
      const found = projectWith(server.platform, owner, { name: visibility, visibility });
      await commitFiles(server.platform, found, owner, { 'a.txt': visibility });
    }
  });
  after(() => server.close());

  const assertDenied = (response: TestResponse, challenge: string | null): void => {
    assert.equal(response.status, 401);
    assert.match(response.text, DENIED);
    assert.equal(response.headers.get('www-authenticate'), challenge);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  };
  const CHALLENGE = 'Basic realm="GitLab"';

  it('anonymous requests fetch public projects and are asked for credentials elsewhere', async () => {
    const response = await fetchRefs('owner/public');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/x-git-upload-pack-advertisement');
    assert.equal(response.headers.get('cache-control'), 'no-cache, max-age=0, must-revalidate');
    assert.equal(response.headers.get('www-authenticate'), null);
    for (const path of ['owner/private', 'owner/internal', 'owner/nothing', 'snippets/1'])
      assertDenied(await fetchRefs(path), CHALLENGE);
  });

  it('a request shows its user and route in the request log', async () => {
    await fetchRefs('owner/private', basic('oauth2', owner.token));
    const [entry] = server.platform.requestLog.list(1);
    assert.deepEqual([entry?.user, entry?.route, entry?.status], ['owner', 'GET /*repository.git/info/refs', 200]);
  });

  for (const scope of ['api', 'read_api', 'read_repository', 'write_repository']) {
    it(`a token with the scope ${scope} fetches a private project, with any username`, async () => {
      const member = person([scope]);
      projectWith(server.platform, member, { name: 'Lamps' });
      for (const username of ['', 'oauth2', 'x'])
        assert.equal((await fetchRefs(`${member.user.username}/lamps`, basic(username, member.token))).status, 200);
    });
  }

  it('a token without a scope of repositories fetches public projects only, and the refusal names the scopes', async () => {
    const member = person(['read_user', 'self_rotate']);
    projectWith(server.platform, member, { name: 'Lamps' });
    const response = await fetchRefs(`${member.user.username}/lamps`, basic('x', member.token));
    assert.equal(response.status, 403);
    assert.equal(
      response.text,
      'You are not allowed to download code from this project.\nThe token has the scopes read_user, self_rotate, but one of these is required: api, read_api, read_repository, write_repository.\n',
    );
    assert.equal((await fetchRefs('owner/public', basic('x', member.token))).status, 200);
  });

  it('a project that the user cannot see does not exist', async () => {
    const outsider = person(['api'], true);
    for (const path of ['owner/private', 'owner/internal', 'owner/nothing']) {
      const response = await fetchRefs(path, basic('x', outsider.token));
      assert.equal(response.status, 404);
      assert.equal(
        response.text,
        "The project you were looking for could not be found or you don't have permission to view it.\n",
      );
    }
    assert.equal((await fetchRefs('owner/internal', basic('x', person().token))).status, 200);
  });

  it('a guest of a private project is told the role that can fetch', async () => {
    const [guest, reporter] = [person(), person()];
    projectWith(server.platform, owner, { name: 'Roles' }, [
      [guest, 10],
      [reporter, 20],
    ]);
    const response = await fetchRefs('owner/roles', basic('x', guest.token));
    assert.equal(response.status, 403);
    assert.match(response.text, /^You are not allowed to download code from this project\.\n.* at least the reporter role\.\n$/);
    assert.equal((await fetchRefs('owner/roles', basic('x', reporter.token))).status, 200);
  });

  it('unknown, expired and revoked tokens are denied, also for public projects', async () => {
    const member = person();
    const headers = basic('oauth2', member.token);
    assertDenied(await fetchRefs('owner/public', basic('oauth2', 'unknown-token')), CHALLENGE);
    assertDenied(await fetchRefs('owner/public', basic('oauth2', '')), CHALLENGE);
    const [token] = (
      await server.request('GET', '/api/v4/personal_access_tokens', { headers: { 'PRIVATE-TOKEN': member.token } })
    ).json() as { id: number }[];
    await change('DELETE', `/personal_access_tokens/${token?.id}`, undefined);
    assertDenied(await fetchRefs('owner/public', headers), CHALLENGE);
  });

  it('a token of a blocked user is refused with the reason', async () => {
    const member = person();
    await change('POST', `/users/${member.user.id}/block`, {});
    const response = await fetchRefs('owner/public', basic('x', member.token));
    assert.deepEqual([response.status, response.text], [403, '403 Forbidden - Your account has been blocked.\n']);
  });

  describe('passwords', () => {
    let member: Actor;
    let path: string;
    beforeEach(async () => {
      server.platform.store.run('DELETE FROM attempts');
      member = person();
      await withPassword(member.user);
      projectWith(server.platform, member, { name: 'Lamps' });
      path = `${member.user.username}/lamps`;
    });
    const send = (password = PASSWORD): Promise<TestResponse> => fetchRefs(path, basic(member.user.username, password));

    it('the username or email address with the password of a user fetches', async () => {
      assert.equal((await send()).status, 200);
      assert.equal((await fetchRefs(path, basic(member.user.email, PASSWORD))).status, 200);
    });

    it('ten wrong passwords lock the account', async () => {
      for (let attempt = 0; attempt < 10; attempt += 1) assertDenied(await send('wrong'), CHALLENGE);
      assertDenied(await send(), CHALLENGE);
      assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', /locked/);
      assert.equal((await fetchRefs(path, basic(member.user.username, member.token))).status, 200);
    });

    it('no password is accepted while the setting is off, and git is not asked for another one', async () => {
      await change('PUT', '/application/settings', { password_authentication_enabled_for_git: false });
      try {
        assertDenied(await send(), null);
        assertDenied(await fetchRefs(path), CHALLENGE);
        assert.equal((await fetchRefs(path, basic('x', member.token))).status, 200);
      } finally {
        await change('PUT', '/application/settings', { password_authentication_enabled_for_git: true });
      }
    });

    it('a user with two-factor authentication needs a token', async () => {
      const { code } = await secondFactorOf(makeFixture(server), member.user);
      await enableSecondFactor(server.platform, member.user, code());
      assertDenied(await send(), null);
      assert.equal((await fetchRefs(path, basic('x', member.token))).status, 200);
    });

    it('an enterprise user of a group without passwords needs a token', async () => {
      const created = await change('POST', '/groups', { name: 'Enterprise', path: 'enterprise' });
      const { id } = created.json() as { id: number };
      await change('PUT', `/groups/${id}`, { disable_password_authentication_for_enterprise_users: true });
      await change('PUT', `/users/${member.user.id}`, { enterprise_group_id: id });
      assert.equal(findUserByName(server.platform, member.user.username)?.enterprise_group_id, id);
      assertDenied(await send(), null);
    });

    it('a blocked user is denied like a wrong password', async () => {
      await change('POST', `/users/${member.user.id}/block`, {});
      assertDenied(await send(), CHALLENGE);
    });
  });

  describe('snippets', () => {
    const create = async (where: string, visibility: string): Promise<number> => {
      const json = { title: 'Lamp', visibility, files: [{ file_path: 'a.txt', content: 'lamp' }] };
      const response = await server.request('POST', `/api/v4${where}snippets`, { token: owner.token, json });
      assert.equal(response.status, 201, response.text);
      return (response.json() as { id: number }).id;
    };

    it('personal snippets are fetched by their visibility', async () => {
      const [open, hidden] = [await create('/', 'public'), await create('/', 'private')];
      assert.equal((await fetchRefs(`snippets/${open}`)).status, 200);
      assertDenied(await fetchRefs(`snippets/${hidden}`), CHALLENGE);
      assert.equal((await fetchRefs(`snippets/${hidden}`, basic('x', owner.token))).status, 200);
      const response = await fetchRefs(`snippets/${hidden}`, basic('x', person().token));
      assert.deepEqual([response.status, response.text], [404, 'The snippet you were looking for could not be found.\n']);
    });

    it('a snippet of a project is fetched below the path of this project only', async () => {
      const id = await create('/projects/owner%2Fpublic/', 'public');
      assert.equal((await fetchRefs(`owner/public/snippets/${id}`)).status, 200);
      for (const path of [`snippets/${id}`, `owner/internal/snippets/${id}`]) assertDenied(await fetchRefs(path), CHALLENGE);
    });
  });

  for (const [what, method, path, status, pattern] of [
    ['an unknown service', 'GET', 'info/refs?service=git-magic', 403, /^Unsupported service: 'git-magic'/],
    ['the dumb protocol', 'GET', 'info/refs', 403, /^The dumb HTTP protocol is not supported\./],
    ['the dumb protocol by its HEAD', 'GET', 'HEAD', 403, /^The dumb HTTP protocol is not supported\./],
    ['objects of the dumb protocol', 'GET', 'objects/info/packs', 403, /^The dumb HTTP protocol is not supported\./],
    [
      'another content type',
      'POST',
      'git-upload-pack',
      415,
      /^Expected POST with Content-Type 'application\/x-git-upload-pack-request'/,
    ],
  ] as const) {
    it(`${what} is refused in words`, async () => {
      const response = await server.request(method, `/owner/public.git/${path}`);
      assert.equal(response.status, status);
      assert.match(response.text, pattern);
      assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    });
  }

  it('Git LFS is refused in its own format', async () => {
    const response = await server.request('POST', '/owner/public.git/info/lfs/objects/batch', { json: {} });
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('content-type'), 'application/vnd.git-lfs+json');
    assert.match((response.json() as { message: string }).message, /^Git LFS is not supported by this server\./);
  });

  it('the page of a file with a name of git is shown', async () => {
    const found = projectWith(server.platform, owner, { name: 'Names', visibility: 'public' });
    await commitFiles(server.platform, found, owner, { 'x.git/HEAD': 'lamp', 'info/refs': 'bulb' });
    assert.equal((await server.request('GET', '/owner/names/-/raw/main/x.git/HEAD')).text, 'lamp');
    assert.equal((await server.request('GET', '/owner/names/-/raw/main/info/refs')).text, 'bulb');
  });
});
