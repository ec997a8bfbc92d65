import assert from 'node:assert/strict';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { publicClient, signedIn } from '../oauth/support.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

describe('the authentication of the container registry', () => {
  let server: TestServer;
  let ada: Actor;
  before(async () => {
    server = await startTestServer();
    // Freezes the clock late in a second, because token times are whole seconds.
    server.platform.clock.freeze(Math.floor(server.platform.clock.now() / 1000) * 1000 + 990);
    ada = actor(server.platform, 'ada', { scopes: ['read_registry'] });
  });
  after(() => server.close());

  const login = (password?: string, query = '?service=container_registry'): Promise<TestResponse> =>
    server.request('GET', `/jwt/auth${query}`, {
      ...(password === undefined
        ? {}
        : { headers: { Authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` } }),
    });
  const challenged = async (path: string, token?: string): Promise<void> => {
    const response = await server.request('GET', path, token === undefined ? {} : { token });
    assert.deepEqual(
      [
        response.status,
        response.json(),
        response.headers.get('www-authenticate'),
        response.headers.get('docker-distribution-api-version'),
      ],
      [
        401,
        { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required', detail: null }] },
        `Bearer realm="${server.origin}/jwt/auth",service="container_registry"`,
        'registry/2.0',
      ],
      path,
    );
  };

  it('the authentication of the container registry issues a token for a personal access token, valid for five minutes', async () => {
    const given = await login(ada.token);
    assert.equal(given.status, 200, given.text);
    const token = String(Object(given.json()).token);
    for (const path of ['/v2', '/v2/']) {
      const response = await server.request('GET', path, { token });
      assert.deepEqual([response.status, response.json()], [200, {}], path);
      assert.equal(response.headers.get('docker-distribution-api-version'), 'registry/2.0');
    }
    const unknown = await server.request('GET', '/v2/lamps/manifests/latest', { token });
    assert.deepEqual([unknown.status, Object(unknown.json()).errors[0].code], [404, 'NAME_UNKNOWN']);
    server.platform.clock.advance(298_000);
    assert.equal((await server.request('GET', '/v2/', { token })).status, 200);
    server.platform.clock.advance(2000);
    await challenged('/v2/', token);
  });

  it('the authentication of the container registry refuses all other requests, whatever the path', async () => {
    const { access_token: oauth } = await signedIn(server, publicClient(server, ['api', 'read_registry']), 'api read_registry');
    for (const path of ['/v2/', '/v2/lamps/manifests/latest', '/v2/lamps/tags/list']) {
      await challenged(path);
      await challenged(path, oauth);
      await challenged(path, ada.token);
      await challenged(path, 'eyJhbGciOiJub25lIn0.e30.');
    }
    const [refusal] = server.platform.requestLog.list(1);
    assert.equal(refusal?.refusal?.rule, 'registry.token');
  });

  it('the authentication of the container registry refuses OAuth tokens, invalid tokens, missing scopes, missing credentials and other services', async () => {
    const { access_token: oauth } = await signedIn(server, publicClient(server, ['api', 'read_registry']), 'api read_registry');
    const { token: poor } = issuePersonalToken(server.platform, ada.user, {
      name: 'poor',
      scopes: ['read_user'],
      expiresAt: null,
    });
    const denied = [403, 'DENIED'];
    for (const [response, expected] of [
      [await login(oauth), [401, 'UNAUTHORIZED']],
      [await login('wrong'), [401, 'UNAUTHORIZED']],
      [await login(poor), denied],
      [await login(), denied],
      [await login(ada.token, '?service=other'), [404, 'NAME_UNKNOWN']],
      [await login(ada.token, ''), [404, 'NAME_UNKNOWN']],
    ] as const) {
      assert.deepEqual([response.status, Object(response.json()).errors[0].code], expected, response.text);
    }
    assert.equal((await login(ada.token)).status, 200);
  });

  it('the authentication of the container registry does not affect OAuth tokens in the API that lists and deletes', async () => {
    const { access_token: oauth } = await signedIn(server, publicClient(server, ['api']), 'api');
    const project = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
    const path = `/api/v4/projects/${project.project.id}/registry/repositories`;
    assert.equal((await server.request('GET', path, { token: oauth })).status, 200);
  });
});
