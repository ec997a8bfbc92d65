import assert from 'node:assert/strict';
import net from 'node:net';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { rootOf } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';

describe('general rules of the REST API', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  describe('errors', () => {
    scenarios(
      () => server,
      [
        {
          name: 'the path is unknown',
          path: '/api/v4/nope',
          status: 404,
          body: { error: '404 Not Found' },
          responseHeaders: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
        },
        {
          name: 'the path does not support the method',
          method: 'PATCH',
          path: '/api/v4/user',
          token,
          json: {},
          status: 404,
          body: { error: '404 Not Found' },
        },
        ...['GET', 'POST', 'DELETE'].map((method) => ({
          name: 'version 3 of the API is not supported',
          method,
          path: '/api/v3/projects/1?private_token=any',
          status: 410,
          body: { error: 'API V3 is no longer supported. Use API V4 instead.' },
        })),
        {
          name: 'a user is required and credentials are missing',
          path: '/api/v4/user',
          status: 401,
          body: { message: '401 Unauthorized' },
          responseHeaders: { 'www-authenticate': null },
        },
        {
          name: 'the token is unknown',
          path: '/api/v4/user',
          token: 'glpat-nobodyhasthistoken',
          status: 401,
          body: { message: '401 Unauthorized' },
          absent: ['glpat-'],
        },
        {
          name: 'the percent-encoding of the path is malformed',
          path: '/api/v4/users/%E0%A4%A',
          token,
          status: 400,
          body: { error: '400 Bad request' },
        },
        {
          name: 'the percent-encoding of the query is malformed',
          path: '/api/v4/users?username=%E0%A4%A',
          token,
          status: 400,
          body: { error: '400 Bad request' },
        },
        {
          name: 'the query is longer than 8 KiB',
          path: `/api/v4/users?search=${'a'.repeat(9000)}`,
          token,
          status: 414,
          body: { error: '414 URI Too Long' },
        },
        {
          name: 'the requested format is not JSON',
          path: '/api/v4/user?format=xml',
          token,
          status: 406,
          body: { error: "The requested format 'xml' is not supported." },
        },
        {
          name: 'all validation errors are in one message',
          path: '/api/v4/users?page=a&per_page=0&sort=up',
          token,
          status: 400,
          body: { error: 'sort does not have a valid value, page is invalid, per_page has a value not allowed' },
        },
      ],
    );

    it('a body of a content type that is neither JSON nor a form gets 415', async () => {
      const response = await fetch(`${server.origin}/api/v4/users`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'text/xml' },
        body: '<a/>',
      });
      assert.equal(response.status, 415);
      assert.deepEqual(await response.json(), { error: "The provided content-type 'text/xml' is not supported." });
    });

    it('an invalid JSON body gets the error message of the platform', async () => {
      const response = await fetch(`${server.origin}/api/v4/users`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
        body: '{',
      });
      assert.equal(response.status, 400);
      assert.match(
        JSON.stringify(await response.json()),
        /^\{"error":"\\nProblem:\\n {2}message body does not match declared format/,
      );
    });

    it('a body above the limit gets 413, and the connection stays open', async () => {
      const response = await fetch(`${server.origin}/api/v4/users`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'a'.repeat(1_100_000) }),
      });
      assert.equal(response.status, 413);
      assert.deepEqual(await response.json(), { message: '413 Request Entity Too Large' });
    });
  });

  describe('credentials', () => {
    scenarios(
      () => server,
      [
        {
          name: 'the header PRIVATE-TOKEN is accepted',
          path: '/api/v4/user',
          headers: { 'PRIVATE-TOKEN': token },
          status: 200,
          has: { username: 'root' },
        },
        {
          name: 'the header Authorization is accepted with the scheme Bearer in any case',
          path: '/api/v4/user',
          headers: { Authorization: `bEaReR ${token}` },
          status: 200,
          has: { username: 'root' },
        },
        {
          name: 'access_token is accepted in the query',
          path: `/api/v4/user?access_token=${token}`,
          status: 200,
          has: { username: 'root' },
        },
        {
          name: 'private_token is accepted in the query',
          path: `/api/v4/user?private_token=${token}`,
          status: 200,
          has: { username: 'root' },
        },
        {
          name: 'header and access_token together are refused',
          path: `/api/v4/user?access_token=${token}`,
          token,
          status: 400,
          body: { error: 'invalid_request', error_description: 'Both Authorization header and payload includes access token.' },
        },
        {
          name: 'credentials are never in the Link header',
          path: `/api/v4/users?page=1&private_token=${token}`,
          status: 200,
          absent: [token],
        },
      ],
    );
  });

  describe('responses', () => {
    scenarios(
      () => server,
      [
        {
          name: 'trailing and doubled slashes are ignored',
          path: '/api//v4/user/',
          token,
          status: 200,
          has: { username: 'root' },
        },
        {
          name: 'responses are JSON without charset, with private caching and a weak ETag',
          path: '/api/v4/version',
          token,
          status: 200,
          responseHeaders: {
            'content-type': 'application/json',
            'cache-control': 'max-age=0, private, must-revalidate',
            etag: /^W\/"[0-9a-f]{32}"$/,
            'x-request-id': /^[0-9a-f-]{36}$/,
            vary: /Origin/,
          },
        },
        {
          name: 'OPTIONS that is no preflight returns the methods',
          method: 'OPTIONS',
          path: '/api/v4/users',
          status: 204,
          responseHeaders: { allow: 'OPTIONS, GET, HEAD, POST' },
        },
        {
          name: 'the path of an OPTIONS request is unknown',
          method: 'OPTIONS',
          path: '/api/v4/nope',
          status: 404,
          body: { error: '404 Not Found' },
        },
        {
          name: 'HEAD has the headers of GET and no body',
          method: 'HEAD',
          path: '/api/v4/users?page=1',
          token,
          status: 200,
          responseHeaders: { 'x-total': /^\d+$/, 'content-length': /^[1-9]\d*$/ },
        },
      ],
    );

    it('If-None-Match with the tag gets 304 without a body', async () => {
      const first = await server.request('GET', '/api/v4/version', { token });
      const second = await server.request('GET', '/api/v4/version', {
        token,
        headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
      });
      assert.equal(second.status, 304);
      assert.equal(second.text, '');
      const other = await server.request('GET', '/api/v4/version', { token, headers: { 'If-None-Match': 'W/"0"' } });
      assert.equal(other.status, 200);
    });

    it('a multipart form is read like any other form', async () => {
      const form = new FormData();
      for (const [name, value] of Object.entries({
        email: 'multi@example.com',
        name: 'Multi Part',
        username: 'multi',
        force_random_password: 'true',
      }))
        form.set(name, value);
      const response = await fetch(`${server.origin}/api/v4/users`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': token },
        body: form,
      });
      assert.equal(response.status, 201);
      assert.partialDeepStrictEqual(await response.json(), { username: 'multi', name: 'Multi Part' });
    });
  });

  describe('cross-origin', () => {
    const origin = { Origin: 'https://app.example' };
    scenarios(
      () => server,
      [
        {
          name: 'any origin may read the API without credentials',
          path: '/api/v4/version',
          token,
          headers: origin,
          status: 200,
          responseHeaders: {
            'access-control-allow-origin': '*',
            'access-control-allow-credentials': null,
            'access-control-expose-headers': /Link.*X-Total/,
          },
        },
        {
          name: 'any origin may read errors of the API',
          path: '/api/v4/user',
          headers: origin,
          status: 401,
          responseHeaders: { 'access-control-allow-origin': '*' },
        },
        {
          name: 'a preflight of the API allows its methods and headers',
          method: 'OPTIONS',
          path: '/api/v4/user',
          headers: { ...origin, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'private-token' },
          status: 204,
          responseHeaders: { 'access-control-allow-methods': /PUT/, 'access-control-allow-headers': 'private-token' },
        },
        {
          name: 'a preflight of /oauth/token allows only Authorization',
          method: 'OPTIONS',
          path: '/oauth/token',
          headers: { ...origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-requested-with' },
          status: 204,
          responseHeaders: { 'access-control-allow-headers': 'Authorization' },
        },
        {
          name: 'the control API has no cross-origin headers',
          path: '/_local/health',
          headers: origin,
          status: 403,
          responseHeaders: { 'access-control-allow-origin': null },
        },
        {
          name: 'a request without Origin gets no cross-origin headers',
          path: '/api/v4/version',
          token,
          status: 200,
          responseHeaders: { 'access-control-allow-origin': null, vary: /Origin/ },
        },
      ],
    );
  });

  describe('host guard', () => {
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '127.evil.example',
      'evil@127.0.0.1',
      '127.0.0.1:1',
      '',
    ]) {
      it(`the host ${JSON.stringify(host)} is refused`, async () => {
        const response = await raw(server, `GET /api/v4/version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assert.match(response, host === '' ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 421 /);
        if (host !== '') assert.match(response, /text\/plain/);
      });
    }
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', '[::1]', '127.1.2.3']) {
      it(`the host ${name} is this machine`, async () => {
        const { port } = new URL(server.origin);
        const response = await raw(server, `GET /api/v4/version HTTP/1.1\r\nHost: ${name}:${port}\r\nConnection: close\r\n\r\n`);
        assert.match(response, /^HTTP\/1\.1 401 /);
      });
    }
    it('two Host headers are refused', async () => {
      const { host } = new URL(server.origin);
      const response = await raw(
        server,
        `GET /api/v4/version HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(response, /^HTTP\/1\.1 400 [\s\S]*\{"error":"400 Bad request"\}$/);
    });
    it('localhost and the host of the public URL are accepted', async () => {
      const { port } = new URL(server.origin);
      const local = await raw(server, `GET /_local/health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
      assert.match(local, /^HTTP\/1\.1 200 /);
      await using behind = await startTestServer({ publicUrl: 'https://platform.example' });
      const response = await raw(
        behind,
        `GET /api/v4/users?page=1 HTTP/1.1\r\nHost: platform.example\r\nPRIVATE-TOKEN: ${token}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(response, /^HTTP\/1\.1 200 /);
      assert.match(response, /<https:\/\/platform\.example\/api\/v4\/users\?[^>]*>; rel="first"/);
    });
  });

  it('the request log has the rule and reason of every refusal and no secrets', async () => {
    await server.request('GET', `/api/v4/user?private_token=glpat-wrongwrongwrongwrong`);
    const response = await server.request('GET', '/_local/requests?limit=1', { token });
    assert.partialDeepStrictEqual(response.json(), [
      {
        method: 'GET',
        path: '/api/v4/user',
        query: 'private_token=[masked]',
        route: 'GET /api/v4/user',
        status: 401,
        refusal: { rule: 'credentials.known' },
      },
    ]);
    assert.ok(!response.text.includes('wrongwrong'));
  });

  it('an unencoded namespaced path gets 404, and the reason explains how to encode it', async () => {
    await server.request('GET', '/api/v4/projects/group/project', { token });
    const [entry] = server.platform.requestLog.list(1);
    assert.match(entry?.refusal?.reason ?? '', /%2F/);
  });

  it('on the multi-tenant offering lists have neither totals nor a last page', async () => {
    await using hosted = await startTestServer({ profile: { offering: 'multi-tenant' } });
    for (const name of ['Lamps', 'Points', 'Relays']) createProject(hosted.platform, rootOf(hosted.platform), { name });
    const at = (page: number) => hosted.request('GET', `/api/v4/projects?per_page=2&page=${page}`, { token });
    for (const [page, next, previous, rels] of [
      [1, '2', '', ['next', 'first']],
      [2, '', '1', ['prev', 'first']],
      [3, '', '', ['first']],
    ] as const) {
      const { headers } = await at(page);
      assert.deepEqual([headers.get('x-total'), headers.get('x-total-pages')], [null, null]);
      assert.deepEqual([headers.get('x-next-page'), headers.get('x-prev-page')], [next, previous]);
      assert.deepEqual(
        [...(headers.get('link') ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
        rels,
      );
    }
  });
});

/** Sends raw bytes over a socket, for requests that an HTTP client would not send. Returns the response. */
function raw(server: TestServer, text: string): Promise<string> {
  const { hostname, port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    let response = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      response += chunk;
    });
    socket.on('end', () => resolve(response)).on('error', reject);
  });
}
