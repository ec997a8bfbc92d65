import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import net from 'node:net';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { actor, type Actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Received {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const ISSUES = '/api/v4/projects/1/issues';

describe('bodies of reads', () => {
  let server: TestServer;
  let ada: Actor;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    const project = projectWith(server.platform, ada, { name: 'Lamps' });
    for (const title of ['one', 'two', 'three']) createIssue(server.platform, project, ada.user, { title });
  });
  after(() => server.close());

  /** Sends a read with a body, which `fetch` refuses to send. */
  function read(path: string, type: string, body: string, more: { method?: string; token?: string } = {}): Promise<Received> {
    const { method = 'GET', token = ada.token } = more;
    return new Promise((resolve, reject) => {
      const headers = {
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
        ...(token === '' ? {} : { 'PRIVATE-TOKEN': token }),
      };
      const sent = request(`${server.origin}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const titles = ({ status, text }: Received): readonly string[] => {
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { title: string }[]).map(({ title }) => title);
  };

  for (const [kind, type, body] of [
    ['JSON', 'application/json', '{"iids":[1,3],"sort":"asc"}'],
    ['a form', 'application/x-www-form-urlencoded', 'iids[]=1&iids[]=3&sort=asc'],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      ['iids[]', '1', 'iids[]', '3', 'sort', 'asc']
        .map((text, index) => (index % 2 === 0 ? `--x\r\nContent-Disposition: form-data; name="${text}"\r\n\r\n` : `${text}\r\n`))
        .join('')
        .concat('--x--\r\n'),
    ],
  ] as const) {
    it(`${kind} is read like a query`, async () => {
      const response = await read(ISSUES, type, body);
      assert.deepEqual(titles(response), ['one', 'three']);
      assert.equal(response.headers['x-total'], '2');
    });
  }

  it('the query wins if it names the same parameter', async () => {
    assert.deepEqual(titles(await read(`${ISSUES}?search=two`, 'application/json', '{"search":"three"}')), ['two']);
  });

  it('a body that is longer than a query may be is the way around its limit', async () => {
    const iids = [1, ...Array.from({ length: 2000 }, (_, index) => 1000 + index)];
    const text = JSON.stringify({ iids });
    assert.ok(text.length > 9000);
    assert.deepEqual(titles(await read(`${ISSUES}?per_page=100`, 'application/json', text)), ['one']);
  });

  it('the links of a page repeat the parameters of the body', async () => {
    const { headers } = await read(`${ISSUES}?per_page=1`, 'application/json', '{"iids":[1,3],"sort":"asc"}');
    const next = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1] ?? '';
    const second = await server.request('GET', next, { token: ada.token });
    assert.deepEqual((second.json() as { title: string }[])[0]?.title, 'three');
  });

  it('HEAD reads the body as GET does', async () => {
    const response = await read(ISSUES, 'application/json', '{"iids":[2]}', { method: 'HEAD' });
    assert.deepEqual([response.status, response.headers['x-total']], [200, '1']);
  });

  it('a token in the body authenticates', async () => {
    const response = await read(ISSUES, 'application/json', JSON.stringify({ private_token: ada.token }), { token: '' });
    assert.equal(titles(response).length, 3);
    assert.doesNotMatch(String(response.headers['link']), /token/);
  });

  it('a page in the body selects offset pagination where keyset pagination is the default', async () => {
    const response = await read('/api/v4/users', 'application/json', '{"page":1}');
    assert.equal(response.headers['x-page'], '1');
  });

  it('values in a body are checked, and JSON has to be valid', async () => {
    const wrong = await read(ISSUES, 'application/json', '{"sort":"up"}');
    assert.deepEqual([wrong.status, JSON.parse(wrong.text)], [400, { error: 'sort does not have a valid value' }]);
    const broken = await read(ISSUES, 'application/json', '{"sort"');
    assert.equal(broken.status, 400);
    assert.match(broken.text, /message body does not match declared format/);
  });

  it('a body of another type, and an empty one, is ignored', async () => {
    assert.equal(titles(await read(ISSUES, 'text/xml', '<a/>')).length, 3);
    assert.equal(titles(await read(ISSUES, 'application/json', '')).length, 3);
  });

  it('a long body without a token is refused before it is parsed', async () => {
    const { status } = await read('/api/v4/user', 'application/json', `{"a":${'['.repeat(100_000)}`, { token: '' });
    assert.equal(status, 401);
  });

  for (const kibibytes of [9, 63, 65, 129, 1024]) {
    it(`a query of ${kibibytes} KiB gets 414`, async () => {
      const socket = net.connect(Number(new URL(server.origin).port), '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const ended = once(socket, 'end');
      socket.write(`GET ${ISSUES}?labels=${'a'.repeat(kibibytes * 1024)} HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\n`);
      socket.write('Connection: close\r\n\r\n');
      await ended;
      socket.destroy();
      const text = Buffer.concat(chunks).toString('utf8');
      assert.match(text, /^HTTP\/1\.1 414 /);
      assert.ok(text.endsWith('\r\n\r\n{"error":"414 URI Too Long"}'), text);
      assert.match(text, /^content-type: application\/json\r$/im);
    });
  }

  for (const [name, headers] of [
    ['many headers', Array.from({ length: 2000 }, (_, index) => `X-Header-${index}: ${'a'.repeat(60)}`).join('\r\n')],
    ['a long header', `Cookie: ${'name=value; '.repeat(20_000)}`],
  ] as const) {
    it(`${name} above the limit of the server remain 431`, async () => {
      const socket = net.connect(Number(new URL(server.origin).port), '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const ended = once(socket, 'end');
      socket.write(`GET ${ISSUES} HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\n${headers}\r\n\r\n`);
      await ended;
      socket.destroy();
      assert.match(Buffer.concat(chunks).toString('utf8'), /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    });
  }

  it('a request that is not HTTP gets 400', async () => {
    const socket = net.connect(Number(new URL(server.origin).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = once(socket, 'end');
    socket.write('hello\r\n\r\n');
    await ended;
    socket.destroy();
    assert.match(Buffer.concat(chunks).toString('utf8'), /^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});
