import assert from 'node:assert/strict';
import { type Fixture, makeFixture } from '../../support/examples.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';
import { describeSudo, tokenOf } from './sudo.ts';

describe('sudo', () => {
  let server: TestServer;
  let fixture: Fixture;
  let withoutScope = '';
  before(async () => {
    server = await startTestServer();
    fixture = makeFixture(server);
    withoutScope = tokenOf(server, fixture.root, ['api']);
  });
  after(() => server.close());

  describe('permissions', () => {
    scenarios(
      () => server,
      [
        {
          name: 'sudo is accepted as a header',
          path: '/api/v4/user',
          token,
          headers: { Sudo: 'ada' },
          status: 200,
          has: { username: 'ada' },
        },
        {
          name: 'the sudo header and the username are case-insensitive',
          path: '/api/v4/user',
          token,
          headers: { sudo: 'ADA' },
          status: 200,
          has: { username: 'ada' },
        },
        { name: 'sudo is accepted as a parameter', path: '/api/v4/user?sudo=ada', token, status: 200, has: { username: 'ada' } },
        { name: 'sudo is accepted with a user ID', path: '/api/v4/user?sudo=2', token, status: 200, has: { username: 'ada' } },
        {
          name: 'sudo without a token is refused',
          path: '/api/v4/projects?sudo=ada',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'sudo for a user that does not exist is refused',
          path: '/api/v4/user?sudo=nobody',
          token,
          status: 404,
          body: { message: "404 User with ID or username 'nobody' Not Found" },
        },
        {
          name: 'sudo does not grant more than the user may do',
          path: '/api/v4/applications',
          token,
          headers: { Sudo: 'ada' },
          status: 403,
          body: { message: '403 Forbidden' },
        },
      ],
    );

    it('sudo is refused for users who are not administrators', async () => {
      const response = await server.request('GET', '/api/v4/user?sudo=root', { token: fixture.adaToken });
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), { message: '403 Forbidden - Must be admin to use sudo' });
    });

    it('sudo is refused for a token without the scope', async () => {
      const response = await server.request('GET', '/api/v4/user?sudo=ada', { token: withoutScope });
      assert.equal(response.status, 403);
      assert.partialDeepStrictEqual(response.json(), { error: 'insufficient_scope', scope: 'sudo' });
    });

    it('sudo can be sent in a JSON body or a form', async () => {
      for (const body of [{ json: { name: 'By JSON', sudo: fixture.ada.id } }, { form: { name: 'By form', sudo: 'ada' } }]) {
        const response = await server.request('POST', '/api/v4/projects', { token, ...body });
        assert.partialDeepStrictEqual(response.json(), { creator_id: fixture.ada.id, namespace: { path: 'ada' } });
      }
    });
  });

  it('the request log names both users of a sudo request', async () => {
    await server.request('GET', '/api/v4/version?sudo=ada', { token });
    const [as] = server.platform.requestLog.list(1);
    assert.deepEqual([as?.user, as?.sudo], ['ada', 'root']);
    await server.request('GET', '/api/v4/version', { token });
    const [plain] = server.platform.requestLog.list(1);
    assert.deepEqual([plain?.user, plain?.sudo], ['root', null]);
  });

  it('links to other pages keep the sudo parameter but not the token', async () => {
    const response = await server.request('GET', `/api/v4/projects?sudo=ada&private_token=${token}`);
    assert.match(response.headers.get('link') ?? '', /[?&]sudo=ada[&>]/);
    assert.doesNotMatch(response.headers.get('link') ?? '', /private_token/);
  });

  it('a token rotated with sudo still belongs to the administrator', async () => {
    const own = tokenOf(server, fixture.root, ['api', 'sudo']);
    const response = await server.request('POST', '/api/v4/personal_access_tokens/self/rotate?sudo=ada', { token: own });
    assert.partialDeepStrictEqual(response.json(), { user_id: fixture.root.id });
  });
});

describeSudo({ sample: 30 });
