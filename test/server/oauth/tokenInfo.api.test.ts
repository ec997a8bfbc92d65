import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { checkError, extension, refresh, signedIn } from './support.ts';

for (const dialect of ['documented', 'observed'] as const) {
  describe(`GET /oauth/token/info, ${dialect} dialect`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ profile: { dialect } });
      server.platform.clock.freeze(Date.UTC(2030, 0, 1));
    });
    after(() => server.close());

    it('token info returns owner, scopes and lifetime of a token in the header or the query', async () => {
      const { access_token } = await signedIn(server, extension, 'read_user api');
      const created = Math.floor(server.platform.clock.now() / 1000);
      server.platform.clock.advance(200_000);
      const responses = [
        await server.request('GET', '/oauth/token/info', { token: access_token }),
        await server.request('GET', `/oauth/token/info?access_token=${access_token}`),
      ];
      for (const response of responses) {
        assert.equal(response.status, 200, response.text);
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.deepEqual(response.json(), {
          resource_owner_id: 1,
          scope: ['read_user', 'api'],
          expires_in: 7000,
          application: { uid: extension.client_id },
          created_at: created,
          scopes: ['read_user', 'api'],
          expires_in_seconds: 7000,
        });
        assert.ok(!response.text.includes(access_token));
      }
    });

    it('token info returns 400 invalid_request for every invalid token', async () => {
      const live = await signedIn(server);
      const rotated = await signedIn(server);
      await refresh(server, rotated.refresh_token, extension);
      const check = async (path: string, bearer: string | undefined, reason: RegExp): Promise<void> => {
        const response = await server.request('GET', path, bearer === undefined ? {} : { token: bearer });
        checkError(response, 400, 'invalid_request');
        assert.equal(response.headers.get('www-authenticate') === null, dialect === 'documented', path);
        assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', reason);
      };
      await check('/oauth/token/info', undefined, /send the token/);
      await check('/oauth/token/info?access_token=', undefined, /send the token/);
      await check('/oauth/token/info?access_token=unknown', undefined, /no OAuth access token/);
      await check('/oauth/token/info', 'unknown', /no OAuth access token/);
      await check('/oauth/token/info', live.refresh_token, /no OAuth access token/);
      await check('/oauth/token/info', server.adminToken, /personal access tokens are not accepted/);
      await check('/oauth/token/info', rotated.access_token, /was revoked/);
      await check(`/oauth/token/info?access_token=${live.access_token}`, live.access_token, /Both/);
      await check('/oauth/token/info?access_token=a&access_token=b', undefined, /more than once/);
      server.platform.clock.advance(7199_999);
      assert.equal((await server.request('GET', '/oauth/token/info', { token: live.access_token })).status, 200);
      server.platform.clock.advance(1);
      await check('/oauth/token/info', live.access_token, /has expired/);
    });

    it('token info responds to HEAD without a body', async () => {
      const { access_token } = await signedIn(server);
      const response = await server.request('HEAD', '/oauth/token/info', { token: access_token });
      assert.equal(response.status, 200);
      assert.equal(response.text, '');
    });
  });
}
