import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { codeClient } from './codes.ts';

describe('scripts on pages of other origins', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const Origin = 'https://client.example';

  const preflight = (path: string, method: string, headers?: string) =>
    server.request('OPTIONS', path, {
      headers: {
        Origin,
        'Access-Control-Request-Method': method,
        ...(headers === undefined ? {} : { 'Access-Control-Request-Headers': headers }),
      },
    });

  for (const [path, methods] of [
    ['/oauth/token', 'POST,OPTIONS'],
    ['/oauth/revoke', 'POST,OPTIONS'],
    ['/oauth/userinfo', 'GET,HEAD,POST,OPTIONS'],
  ] as const) {
    it(`a preflight for ${path} allows the header Authorization and no other`, async () => {
      for (const headers of ['authorization', 'x-requested-with', undefined]) {
        const response = await preflight(path, 'POST', headers);
        assert.equal(response.text, '');
        assert.equal(response.headers.get('access-control-allow-origin'), '*');
        assert.equal(response.headers.get('access-control-allow-methods'), methods);
        assert.equal(response.headers.get('access-control-allow-headers'), 'Authorization');
        assert.equal(response.headers.get('access-control-allow-credentials'), null);
        assert.equal(response.headers.get('access-control-max-age'), '7200');
      }
    });

    it(`responses of ${path}, including errors, can be read from other origins`, async () => {
      const response = await server.request('POST', path, { form: { a: 'b' }, headers: { Origin } });
      assert.ok(response.status >= 400);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.match(response.headers.get('vary') ?? '', /Origin/);
    });
  }

  for (const path of ['/oauth/discovery/keys', '/.well-known/openid-configuration', '/.well-known/webfinger?resource=a']) {
    it(`${path} can be read from other origins without custom headers`, async () => {
      const response = await server.request('GET', path, { headers: { Origin } });
      assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, '*']);
      const allowed = await preflight(path, 'GET', 'authorization, x-other');
      assert.equal(allowed.headers.get('access-control-allow-methods'), 'GET,HEAD');
      assert.equal(allowed.headers.get('access-control-allow-headers'), 'Accept');
    });
  }

  it('pages of other sites cannot read the pages, the device endpoint or introspection, and get no preflight response there', async () => {
    const { client_id } = codeClient(server);
    for (const [method, path] of [
      ['GET', `/oauth/authorize?client_id=${client_id}`],
      ['POST', '/oauth/authorize'],
      ['GET', '/oauth/device'],
      ['POST', '/oauth/authorize_device'],
      ['POST', '/oauth/introspect'],
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/_local/health'],
    ] as const) {
      const response = await server.request(method, path, { headers: { Origin } });
      assert.equal(response.headers.get('access-control-allow-origin'), null, path);
      const allowed = await preflight(path, method, 'authorization');
      assert.equal(allowed.headers.get('access-control-allow-origin'), null, path);
    }
  });
});
