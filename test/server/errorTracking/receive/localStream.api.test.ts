import assert from 'node:assert/strict';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { ingestReport } from '../../../../server/features/errorTracking/receive/ingestReport.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { demandLocal } from '../../../../server/features/errorTracking/receive/localStream.ts';
import { IngestRefusal } from '../../../../server/features/errorTracking/receive/ingestRefusal.ts';
import { actor } from '../../projects/cast.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { recount } from '../write/recount.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

describe('the local stream for SDKs with the option spotlight', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  afterEach(() => lead(0));
  after(() => server.close());

  /** Selects the project of the local stream, or none with 0. */
  const lead = async (id: number, on = server): Promise<void> => {
    const response = await on.request('PUT', '/api/v4/application/settings', {
      token: on.adminToken,
      json: { error_tracking_stream_project_id: id },
    });
    assert.equal(response.status, 200, response.text);
  };
  const send = (
    body: string | Buffer = envelope({}, { event: errorEvent('load') }),
    headers: Readonly<Record<string, string>> = {},
    { method = 'POST', path = '/stream' } = {},
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const all = { 'Content-Type': 'application/x-sentry-envelope', ...headers };
      const sent = request(`${server.origin}${path}`, { method, headers: all }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? body : undefined);
    });
  const numbers = (): [string, number][] =>
    Object.values(ingestReport(server.platform, project.id).counts)
      .flat()
      .map(({ outcome, name, quantity }) => [`${outcome} ${name}`, quantity]);

  it('the local stream is 404 unless an administrator selected a project', async () => {
    const plain = async (path: string, options: { readonly method?: string; readonly headers?: Record<string, string> } = {}) => {
      const { status, headers, text } = await send(undefined, options.headers, { path, method: options.method ?? 'POST' });
      const { 'x-request-id': _, date: __, etag: ___, 'content-length': ____, ...rest } = headers;
      return { status, rest, text: text.replaceAll(path, '/x') };
    };
    const ways = [
      {},
      { method: 'OPTIONS', headers: { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'POST' } },
      { headers: { Origin: 'http://localhost:5173' } },
      { method: 'GET' },
    ];
    const unknown = await Promise.all(ways.map((way) => plain('/nowhere', way)));
    assert.equal(unknown[0]?.status, 404);
    const off = async () => assert.deepEqual(await Promise.all(ways.map((way) => plain('/stream', way))), unknown);
    await off();
    await lead(project.id);
    assert.equal((await send()).status, 200);
    await lead(0);
    await off();
    assert.equal((await project.errors()).length, 1);
  });

  it('administrators select the project of the local stream, which must exist', async () => {
    const path = '/api/v4/application/settings';
    for (const [json, status] of [
      [{ error_tracking_stream_project_id: 999_999 }, 400],
      [{ error_tracking_stream_project_id: -1 }, 400],
      [{ error_tracking_stream_project_id: project.id }, 200],
    ] as const) {
      assert.equal((await server.request('PUT', path, { token: server.adminToken, json })).status, status);
    }
    const own = { token: project.owner.token, json: { error_tracking_stream_project_id: 0 } };
    assert.equal((await server.request('PUT', path, own)).status, 403);
  });

  const good: readonly (readonly [name: string, body: () => string | Buffer, headers?: Readonly<Record<string, string>>])[] = [
    ['an envelope of a program', () => envelope({}, { event: errorEvent('load') })],
    ['one without a content type', () => envelope({}, { event: errorEvent('load') }), { 'Content-Type': '' }],
    ['a compressed one', () => gzipSync(envelope({}, { event: errorEvent('load') })), { 'Content-Encoding': 'gzip' }],
    ['one with the DSN of somebody else', () => envelope({ dsn: 'https://abc@errors.example/7' }, { event: errorEvent('load') })],
    [
      'one of a page that this machine serves',
      () => envelope({}, { event: errorEvent('load') }),
      { Origin: 'http://localhost:5173', 'Sec-Fetch-Site': 'cross-site' },
    ],
    ['one of a page of an IPv6 address', () => envelope({}, { event: errorEvent('load') }), { Origin: 'http://[::1]:3000' }],
  ];
  for (const [name, body, headers] of good) {
    it(`the local stream accepts ${name} without a key`, async () => {
      await lead(project.id);
      const response = await send(body(), headers);
      assert.equal(response.status, 200, response.text);
      assert.match(response.text, /^\{"id":"[0-9a-f]{32}"\}$/);
      assert.equal(response.headers['access-control-allow-origin'], headers?.['Origin']);
      assert.deepEqual(
        (await project.errors()).map(({ title }) => title),
        ['ValueError: cannot load'],
      );
    });
  }

  it('the local stream responds to preflight requests of pages of this machine only', async () => {
    await lead(project.id);
    const ask = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
    for (const path of ['/stream', '/stream/']) {
      const { headers } = await send('', { ...ask, Origin: 'http://127.0.0.1:8080' }, { method: 'OPTIONS', path });
      assert.equal(headers['access-control-allow-origin'], 'http://127.0.0.1:8080');
      assert.match(String(headers['access-control-allow-headers']), /Content-Type/);
      assert.match(String(headers['vary']), /Origin/);
      for (const origin of ['https://shop.example', 'null', 'http://localhost.shop.example', 'http://127.0.0.1.shop.example']) {
        const foreign = await send('', { ...ask, Origin: origin }, { method: 'OPTIONS', path });
        assert.equal(foreign.headers['access-control-allow-origin'], undefined, origin);
      }
    }
  });

  const refused: readonly (readonly [name: string, status: number, headers: Readonly<Record<string, string>>, body?: string])[] =
    [
      ['a page of a web site', 403, { Origin: 'https://shop.example' }],
      ['a page that says it is from nowhere, as a sandboxed frame does', 403, { Origin: 'null' }],
      ['a name that only begins like this machine', 403, { Origin: 'http://localhost.shop.example' }],
      ['a name that hides this machine before an at sign', 403, { Origin: 'http://localhost:1@shop.example' }],
      ['an extension of a browser', 403, { Origin: 'chrome-extension://abcdefghijklmnop' }],
      ['a browser that does not say for which page', 403, { 'Sec-Fetch-Site': 'cross-site' }],
      ['what a proxy has forwarded', 403, { 'X-Forwarded-For': '192.0.2.7' }],
      ['what a proxy of another kind has forwarded', 403, { Forwarded: 'for=192.0.2.7' }],
      ['a rebound name', 421, { Host: 'shop.example:80', Origin: 'http://shop.example' }],
      ['no envelope', 400, {}, 'nonsense'],
      ['an unknown encoding', 415, { 'Content-Encoding': 'lzma' }],
      ['a bomb', 413, { 'Content-Encoding': 'gzip' }, 'bomb'],
    ];
  for (const [name, status, headers, body] of refused) {
    it(`the local stream refuses ${name} with ${status}`, async () => {
      await lead(project.id);
      const response = await send(body === 'bomb' ? gzipSync(Buffer.alloc(60_000_000)) : body, headers);
      assert.equal(response.status, status, response.text);
      assert.equal(response.headers['access-control-allow-origin'], undefined);
      assert.deepEqual(await project.errors(), []);
      const { lastRefused } = ingestReport(server.platform, project.id);
      // With a foreign host name, the path is not reached.
      if (status === 421) assert.equal(lastRefused, undefined);
      else assert.deepEqual([lastRefused?.endpoint, lastRefused?.status], ['stream', status]);
    });
  }

  it('the local stream is for this machine only, also with a public URL', () => {
    const asked = (address: string, headers: Readonly<Record<string, string>>) => () => demandLocal({ address, headers });
    for (const [address, host] of [
      ['127.0.0.1', '127.0.0.1:80'],
      ['127.8.8.8', 'LOCALHOST:80'],
      ['::1', '[::1]:80'],
      ['::ffff:127.0.0.1', 'localhost'],
    ] as const) {
      assert.doesNotThrow(asked(address, { host }));
    }
    for (const [address, host] of [
      ['192.0.2.7', 'localhost:80'],
      ['::ffff:192.0.2.7', 'localhost:80'],
      ['fe80::1', 'localhost:80'],
      ['127.0.0.1', 'signalbox.example'],
      ['127.0.0.1', '192.0.2.7:80'],
      ['127.0.0.1', 'localhost.example:80'],
      ['127.0.0.1', ''],
    ] as const) {
      assert.throws(asked(address, { host }), IngestRefusal, `${address} ${host}`);
    }
  });

  it('an event sent to both endpoints counts once', async () => {
    await lead(project.id);
    const report = { discarded_events: [{ reason: 'sample_rate', category: 'error', quantity: 2 }] };
    const session = { sid: 'a'.repeat(32), init: true, started: new Date().toISOString(), attrs: { release: 'ship@1' } };
    const sent = [
      envelope({}, { event: errorEvent('load') }),
      envelope({}, { client_report: report }),
      envelope({}, { session }),
    ];
    for (const body of sent) await Promise.all([send(body), project.post('envelope', body)]);
    assert.deepEqual(
      (await project.errors()).map(({ event_count: events, user_count: users }) => [events, users]),
      [[1, 0]],
    );
    assert.partialDeepStrictEqual(Object.fromEntries(numbers()), {
      'accepted event': 1,
      'repeated event': 1,
      'discarded sample_rate': 2,
    });
    // Sent twice to the same endpoint, it counts as two reports.
    for (let again = 0; again < 2; again += 1) await send(envelope({ again: true }, { client_report: report }));
    assert.equal(Object.fromEntries(numbers())['discarded sample_rate'], 6);
    recount(server.platform);
  });

  it('the local stream scrubs secrets, has a limit, and needs error tracking to be on', async () => {
    await lead(project.id);
    await send(envelope({}, { event: errorEvent('load', { extra: { password: 'hunter2-secret' } }) }));
    const [error] = await project.errors();
    const path = `/api/v4/projects/${project.id}/error_tracking/errors/${error?.fingerprint}`;
    const response = await server.request('GET', path, { token: project.owner.token });
    assert.ok(!response.text.includes('hunter2-secret'));
    const limit = (most: number): Promise<unknown> =>
      server.request('PUT', '/api/v4/application/settings', {
        token: server.adminToken,
        json: { error_tracking_requests_per_minute: most },
      });
    await limit(1);
    const states = [(await send()).status, (await send()).status];
    await limit(1_000_000);
    assert.equal(states[1], 429);
    writeSettings(server.platform, project.id, { active: false, integrated: true });
    assert.equal((await send()).status, 404);
  });

  it('the local stream is 404 after its project is deleted', async () => {
    await lead(project.id);
    await server.request('DELETE', `/api/v4/projects/${project.id}`, { token: server.adminToken });
    assert.equal((await send()).status, 404);
    project = trackedProject(server);
  });

  it('the local stream does not hide the page of a user named stream', async () => {
    await using own = await startTestServer();
    actor(own.platform, 'stream');
    await lead(trackedProject(own).id, own);
    const response = await own.request('GET', '/stream');
    assert.equal(response.status, 200);
    assert.match(response.text, /@stream/);
  });
});
