import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Bytes beyond the body limit of the REST API. */
const TOO_LONG = 3_000_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True if a header declares the length of the body; false if it is sent in chunks. */
  readonly isDeclared?: boolean;
}

interface Received {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  /** Port of the client, which is the same for requests on one connection. */
  readonly port: number | undefined;
}

describe('a connection on which a body was refused', () => {
  let server: TestServer;
  let agent: Agent;
  let notes: string;
  before(async () => {
    server = await startTestServer();
    const project = await server.request('POST', '/api/v4/projects', { token: server.adminToken, json: { name: 'Lamps' } });
    const api = `/api/v4/projects/${(project.json() as { readonly id: number }).id}`;
    await server.request('POST', `${api}/issues`, { token: server.adminToken, json: { title: 'Lamp 7 stays dark' } });
    notes = `${api}/issues/1/notes`;
  });
  beforeEach(() => {
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(() => agent.destroy());
  after(() => server.close());

  const send = ({ method, path, headers = {}, body = '', isDeclared = true }: Sending): Promise<Received> =>
    new Promise((resolve, reject) => {
      const length = isDeclared ? { 'Content-Length': String(Buffer.byteLength(body)) } : { 'Transfer-Encoding': 'chunked' };
      const sent = request(`${server.origin}${path}`, { agent, method, headers: { ...headers, ...length } }, (response) => {
        const { localPort: port } = response.socket;
        response.resume().on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection, port }));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  const token = (): Readonly<Record<string, string>> => ({ 'PRIVATE-TOKEN': server.adminToken });
  const long = JSON.stringify({ body: 'a'.repeat(TOO_LONG) });
  const good = (): Sending => ({ method: 'POST', path: notes, headers: { ...JSON_TYPE, ...token() }, body: '{"body":"a"}' });

  for (const [name, status, refused] of [
    [
      'because its declared length is too long',
      413,
      () => ({ method: 'POST', path: notes, headers: { ...JSON_TYPE, ...token() }, body: long }),
    ],
    [
      'because the received part is too long',
      413,
      () => ({ method: 'POST', path: notes, headers: { ...JSON_TYPE, ...token() }, body: long, isDeclared: false }),
    ],
    [
      'unread because credentials are missing',
      401,
      () => ({ method: 'POST', path: notes, headers: JSON_TYPE, body: long.slice(0, 900_000) }),
    ],
    [
      'unread because credentials are invalid',
      401,
      () => ({
        method: 'POST',
        path: notes,
        headers: { ...JSON_TYPE, 'PRIVATE-TOKEN': 'glpat-nobody-has-this-token' },
        body: long.slice(0, 900_000),
        isDeclared: false,
      }),
    ],
    ['because the route does not exist', 404, () => ({ method: 'POST', path: '/api/v4/nothing', headers: token(), body: long })],
    [
      'by a collector because its key is missing',
      400,
      () => ({ method: 'POST', path: '/api/v4/error_tracking/collector/api/1/store/', headers: JSON_TYPE, body: long }),
    ],
    [
      'by a page',
      413,
      () => ({
        method: 'POST',
        path: '/users/sign_in',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: long,
      }),
    ],
  ] as const) {
    it(`a connection on which a body was refused ${name} carries the next request or is announced to close`, async () => {
      const before = await send(good());
      const first = await send(refused());
      const next = await send(good());
      assert.deepEqual([before.status, first.status, next.status], [201, status, 201]);
      assert.equal(first.port, before.port);
      assert.equal(next.port === first.port, first.connection !== 'close');
    });
  }
});
