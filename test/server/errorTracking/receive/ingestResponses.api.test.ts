import assert from 'node:assert/strict';
import { request } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createClientKey } from '../../../../server/features/clientKeys/clientKeys.ts';
import { deleteClientKey } from '../../../../server/features/clientKeys/manageClientKeys.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { ingestReport } from '../../../../server/features/errorTracking/receive/ingestReport.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

describe('responses to SDKs', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  after(() => server.close());

  const collector = '/api/v4/error_tracking/collector/api';
  const body = (): string => envelope({}, { event: errorEvent('load') });
  /** Sends the bytes unchanged, which `fetch` does not support. */
  const send = ({ path, method = 'POST', headers = {}, body: content }: Sent): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const sent = request(`${server.origin}${path}`, { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(content);
    });
  const here = (form = 'envelope'): string => `${collector}/${project.id}/${form}/?sentry_key=${project.key}&sentry_version=7`;
  const auth = (): string => `Sentry sentry_version=7,sentry_key=${project.key},sentry_client=test/1`;

  const good: readonly (readonly [name: string, sent: () => Sent])[] = [
    ['at the path of the DSN, with a trailing slash', () => ({ path: here(), body: body() })],
    ['at the path of the DSN, without a trailing slash', () => ({ path: here().replace('envelope/', 'envelope'), body: body() })],
    ['at the path of the DSN, with a doubled slash', () => ({ path: here().replace('/api/v4', '//api/v4'), body: body() })],
    [
      'at the path of the other generation',
      () => ({ path: here().replace(collector, '/errortracking/api/v1/projects/api'), body: body() }),
    ],
    ['at the bare path', () => ({ path: here().replace(collector, '/api'), body: body() })],
    [
      'with X-Sentry-Auth',
      () => ({ path: `${collector}/${project.id}/envelope/`, headers: { 'X-Sentry-Auth': auth() }, body: body() }),
    ],
    [
      'with Authorization: Sentry',
      () => ({ path: `${collector}/${project.id}/envelope/`, headers: { Authorization: auth() }, body: body() }),
    ],
    [
      'with HTTP Basic and the key as user',
      () => ({
        path: `${collector}/${project.id}/envelope/`,
        headers: { Authorization: `Basic ${Buffer.from(`${project.key}:`).toString('base64')}` },
        body: body(),
      }),
    ],
    [
      'with the DSN in the envelope',
      () => ({
        path: `${collector}/${project.id}/envelope/`,
        body: envelope(
          { dsn: `http://${project.key}@localhost/api/v4/error_tracking/collector/${project.id}` },
          { event: errorEvent('load') },
        ),
      }),
    ],
    [
      'with two keys of which one is good',
      () => ({ path: here().replace(project.key, 'glet_0'), headers: { 'X-Sentry-Auth': auth() }, body: body() }),
    ],
    ['in gzip', () => ({ path: here(), headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body()) })],
    ['in deflate', () => ({ path: here(), headers: { 'Content-Encoding': 'deflate' }, body: deflateSync(body()) })],
    ['in raw deflate', () => ({ path: here(), headers: { 'Content-Encoding': 'deflate' }, body: deflateRawSync(body()) })],
    ['in br', () => ({ path: here(), headers: { 'Content-Encoding': 'br' }, body: brotliCompressSync(body()) })],
    ['in zstd', () => ({ path: here(), headers: { 'Content-Encoding': 'zstd' }, body: zstdCompressSync(body()) })],
    ['with an empty Content-Encoding', () => ({ path: here(), headers: { 'Content-Encoding': '' }, body: body() })],
    [
      'with JSON as the content type of an envelope',
      () => ({ path: here(), headers: { 'Content-Type': 'application/json' }, body: body() }),
    ],
    [
      'with a form as content type',
      () => ({ path: here(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: body() }),
    ],
    ['in chunks without a length', () => ({ path: here(), headers: { 'Transfer-Encoding': 'chunked' }, body: body() })],
    [
      'in base64 of deflate, as old SDKs send it',
      () => ({ path: here('store'), body: deflateSync(JSON.stringify(errorEvent('load'))).toString('base64') }),
    ],
    ['as store', () => ({ path: here('store'), body: JSON.stringify(errorEvent('load')) })],
  ];
  for (const [name, sent] of good) {
    it(`ingestion accepts an event ${name} with 200, its ID and no Retry-After`, async () => {
      const response = await send(sent());
      assert.equal(response.status, 200, response.text);
      assert.match((JSON.parse(response.text) as { readonly id: string }).id, /^[0-9a-f]{32}$/);
      assert.equal(response.headers['content-type'], 'application/json');
      assert.equal(response.headers['retry-after'], undefined);
      assert.equal(response.headers['x-sentry-rate-limits'], undefined);
    });
  }

  const empty: readonly (readonly [name: string, body: () => string])[] = [
    ['an envelope without items', () => '{}'],
    ['a transaction', () => envelope({}, { transaction: {} })],
    ['a client report', () => envelope({}, { client_report: { discarded_events: [] } })],
    ['an item that nobody knows', () => envelope({}, { from_the_future: {} })],
    ['a transaction that says it is an event', () => envelope({}, { event: { type: 'transaction' } })],
  ];
  for (const [name, content] of empty) {
    it(`${name} gets 200 with {}`, async () => {
      const response = await send({ path: here(), body: content() });
      assert.deepEqual([response.status, response.text], [200, '{}']);
    });
  }

  const bad: readonly (readonly [name: string, status: number, sent: () => Sent])[] = [
    ['no key at all', 400, () => ({ path: `${collector}/${project.id}/envelope/`, body: body() })],
    [
      'a key that cannot be read',
      400,
      () => ({ path: `${collector}/${project.id}/store/`, headers: { 'X-Sentry-Auth': 'nonsense' }, body: '{}' }),
    ],
    ['a key that is none', 404, () => ({ path: here().replace(project.key, `glet_${'0'.repeat(32)}`), body: body() })],
    ['a project that is none', 404, () => ({ path: here().replace(`/${project.id}/`, '/999999/'), body: body() })],
    ['a project that is no number', 404, () => ({ path: here().replace(`/${project.id}/`, '/foo/'), body: body() })],
    ['an empty body', 400, () => ({ path: here(), body: '' })],
    ['no envelope', 400, () => ({ path: here(), body: 'nonsense' })],
    ['no JSON', 400, () => ({ path: here('store'), body: 'nonsense' })],
    ['a string of JSON', 400, () => ({ path: here('store'), body: '"text"' })],
    ['nested brackets without end', 400, () => ({ path: here('store'), body: '['.repeat(100_000) })],
    ['gzip that is none', 400, () => ({ path: here(), headers: { 'Content-Encoding': 'gzip' }, body: body() })],
    [
      'gzip that is cut off',
      400,
      () => ({ path: here(), headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body()).subarray(0, 40) }),
    ],
    ['an unknown encoding', 415, () => ({ path: here(), headers: { 'Content-Encoding': 'lzma' }, body: body() })],
    [
      'two encodings',
      415,
      () => ({ path: here(), headers: { 'Content-Encoding': 'gzip, gzip' }, body: gzipSync(gzipSync(body())) }),
    ],
    ['a bomb', 413, () => ({ path: here(), headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(Buffer.alloc(60_000_000)) })],
    ['more than 20 MB', 413, () => ({ path: here(), body: Buffer.alloc(21_000_000, 0x20) })],
    [
      'an event of more than 1 MB',
      413,
      () => ({ path: here(), body: envelope({}, { event: { message: 'm'.repeat(1_100_000) } }) }),
    ],
    ['GET', 405, () => ({ path: here(), method: 'GET' })],
    ['PUT', 405, () => ({ path: here(), method: 'PUT', body: body() })],
  ];
  for (const [name, status, sent] of bad) {
    it(`${name} is refused with ${status}, in the formats of the platform and of SDKs`, async () => {
      const response = await send(sent());
      assert.equal(response.status, status, response.text);
      const said = JSON.parse(response.text) as { readonly message: string; readonly detail: string; readonly causes: unknown };
      assert.deepEqual(Object.keys(said), ['message', 'detail', 'causes']);
      assert.ok(said.message.startsWith(`${status} `), said.message);
      assert.equal(response.headers['x-sentry-error'], said.detail);
      if (status === 405) assert.equal(response.headers['allow'], 'OPTIONS, POST');
    });
  }

  it('an event in the query of a GET request is refused in words', async () => {
    const own = trackedProject(server);
    const query = new URLSearchParams({ sentry_version: '4', sentry_key: own.key, sentry_data: '{"message":"lost"}' });
    const response = await server.request('GET', `/api/${own.id}/store/?${query}`);
    const detail = 'an event in the query (sentry_data) is not read; send it in the body of a POST request';
    assert.equal(response.status, 405);
    assert.deepEqual(response.json(), { message: `405 Method Not Allowed - ${detail}`, detail, causes: [] });
    assert.equal(ingestReport(server.platform, own.id).lastRefused?.reason, detail);
    assert.deepEqual(await own.errors(), []);
  });

  it('sentry-cli is told where source maps are uploaded', async () => {
    const { owner, id } = project;
    const statuses: number[] = [];
    for (const path of ['organizations/ships/chunk-upload/', 'projects/ships/lamp/releases/', 'projects/%ZZ']) {
      const response = await server.request('POST', `/api/0/${path}`);
      statuses.push(response.status);
      const { detail } = response.json() as { readonly detail: string };
      const route = /POST (\S+)\.$/.exec(detail)?.[1]?.replace(':id', String(id)) ?? '';
      const upload = await server.request('POST', route, { token: owner.token, json: {} });
      assert.deepEqual([upload.status, upload.json()], [400, { error: 'file is missing' }]);
    }
    // After a 404, sentry-cli would report that the project does not exist.
    assert.deepEqual(statuses, [501, 404, 404]);
  });

  it('a key of another project, an inactive key, a deleted key and disabled tracking get the same 404', async () => {
    const other = trackedProject(server);
    const inactive = createClientKey(server.platform, project.id, { active: false });
    const gone = createClientKey(server.platform, project.id);
    deleteClientKey(server.platform, gone);
    const off = trackedProject(server);
    writeSettings(server.platform, off.id, { active: false, integrated: true });
    const texts = [];
    for (const key of [other.key, inactive.public_key, gone.public_key]) {
      const response = await send({ path: here().replace(project.key, key), body: body() });
      assert.equal(response.status, 404);
      texts.push(response.text);
    }
    const response = await send({ path: `${collector}/${off.id}/envelope/?sentry_key=${off.key}`, body: body() });
    assert.equal(response.status, 404);
    assert.deepEqual(new Set([...texts, response.text]).size, 1);
  });

  it('browsers of any origin can send errors and read why they were refused', async () => {
    const preflight = await send({
      path: here(),
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-sentry-auth',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.match(String(preflight.headers['access-control-allow-headers']), /X-Sentry-Auth/);
    assert.equal(preflight.headers['access-control-max-age'], '3600');
    for (const path of [here(), here().replace(project.key, 'glet_0')]) {
      const response = await send({ path, headers: { Origin: 'https://shop.example' }, body: body() });
      assert.equal(response.headers['access-control-allow-origin'], '*');
      assert.equal(response.headers['access-control-expose-headers'], 'X-Sentry-Error,X-Sentry-Rate-Limits,Retry-After');
    }
  });

  it('requests above the limit of a client key get 429 with headers that all SDKs read, and other keys still work', async () => {
    const limited = trackedProject(server);
    const set = (limit: number): Promise<unknown> =>
      server.request('PUT', '/api/v4/application/settings', {
        token: server.adminToken,
        json: { error_tracking_requests_per_minute: limit },
      });
    await set(2);
    try {
      await limited.send(errorEvent('load'));
      await limited.send(errorEvent('load'));
      const refused = await limited.post('envelope', body());
      assert.equal(refused.status, 429);
      const seconds = refused.headers.get('retry-after') ?? '';
      assert.match(seconds, /^[1-9]\d?$/);
      assert.equal(refused.headers.get('x-sentry-rate-limits'), `${seconds}:error;transaction;session;default:key:local_quota`);
      await trackedProject(server).send(errorEvent('load'));
    } finally {
      await set(1_000_000);
    }
  });

  // Browsers send the origin of the page, so their requests go through the CORS middleware.
  for (const [name, sent] of [
    ['an event', () => ({ path: here(), body: body() })],
    ['a body that is no envelope', () => ({ path: here(), body: '[]\n' })],
    [
      'a key that nobody has',
      () => ({ path: `${collector}/${project.id}/envelope/?sentry_key=${'0'.repeat(32)}`, body: body() }),
    ],
    ['a path that is not percent-encoded correctly', () => ({ path: `${collector}/%/envelope/`, body: body() })],
    ['no host', () => ({ path: here(), headers: { Host: 'elsewhere.example' }, body: body() })],
  ] as const satisfies readonly (readonly [string, () => Sent])[]) {
    it(`ingestion responds to programs and pages alike: ${name}`, async () => {
      const ofBoth = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
        const request: Sent = sent();
        const response = await send({ ...request, headers: { ...request.headers, ...headers } });
        const stored = Object.entries(response.headers).filter(
          ([header]) => !/^(?:access-control-.*|x-request-id|date)$/.test(header),
        );
        return {
          status: response.status,
          headers: Object.fromEntries(stored),
          text: response.text.replaceAll(/[0-9a-f]{32}/g, 'id'),
        };
      };
      assert.deepEqual(await ofBoth({}), await ofBoth({ Origin: 'https://app.example' }));
    });
  }
});
