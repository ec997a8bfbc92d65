import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

const UNKNOWN_KEY = `glet_${'0'.repeat(32)}`;

/**
 * Damage later in the body shows whether it was decompressed, because reading that far fails. Random text is not compressible, so
 * the damage has the same position in the compressed body.
 */
describe('a compressed body without a valid client key', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  after(() => server.close());

  const post = async (target: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> => {
    const response = await fetch(`${server.origin}${target}`, { method: 'POST', body: new Uint8Array(body), headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown };
  };
  const path = (form = 'envelope'): string => `/api/v4/error_tracking/collector/api/${project.id}/${form}/`;
  const dsn = (key: string): string => `http://${key}@localhost/api/v4/error_tracking/collector/${project.id}`;
  const damagedAt = (at: number, packed: Buffer): Buffer => {
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, at);
    return damaged;
  };
  const long = (header: string): Buffer =>
    Buffer.concat([Buffer.from(`${header}\n`), Buffer.from(randomBytes(150_000).toString('base64'))]);
  const base64 = (data: Buffer): Buffer => Buffer.from(deflateSync(data).toString('base64'));
  const store = { level: constants.Z_NO_COMPRESSION };

  const packers: readonly (readonly [name: string, encoding: string | undefined, pack: (data: Buffer) => Buffer])[] = [
    ['gzip', 'gzip', (data) => gzipSync(data, store)],
    ['gzip that nothing tells of', undefined, (data) => gzipSync(data, store)],
    ['deflate', 'deflate', (data) => deflateSync(data, store)],
    ['raw deflate', 'deflate', (data) => deflateRawSync(data, store)],
    ['br', 'br', (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', 'zstd', (data) => zstdCompressSync(data)],
  ];
  for (const [name, encoding, pack] of packers) {
    const headers: Record<string, string> = encoding === undefined ? {} : { 'Content-Encoding': encoding };

    it(`${name}: is refused by the first line of the envelope, before the rest is decompressed`, async () => {
      const none = await post(path(), damagedAt(140_000, pack(long('{}'))), headers);
      assert.equal(none.status, 400);
      assert.match(none.headers.get('x-sentry-error') ?? '', /names no client key/);
      const unknown = await post(path(), damagedAt(140_000, pack(long(JSON.stringify({ dsn: dsn(UNKNOWN_KEY) })))), headers);
      assert.equal(unknown.status, 404, unknown.text);
    });

    it(`${name}: is read completely if its first line contains a key of the project`, async () => {
      const body = envelope(
        { dsn: dsn(project.key) },
        { attachment: { data: randomBytes(300_000).toString('hex') } },
        {
          event: errorEvent('load'),
        },
      );
      const response = await post(path(), pack(Buffer.from(body)), headers);
      assert.equal(response.status, 200, response.text);
      assert.match(response.text, /"id":"[0-9a-f]{32}"/);
    });

    it(`${name}: is not decompressed by the store endpoint, where it cannot contain a key`, async () => {
      const response = await post(path('store'), damagedAt(20, pack(long('{}'))), headers);
      assert.equal(response.status, 400);
      assert.match(response.headers.get('x-sentry-error') ?? '', /names no client key/);
    });

    it(`${name}: is not decompressed if the query or a header contains an unknown key`, async () => {
      const body = damagedAt(20, pack(long('{}')));
      const auth = `Sentry sentry_version=7, sentry_key=${UNKNOWN_KEY}`;
      assert.equal((await post(`${path()}?sentry_key=${UNKNOWN_KEY}`, body, headers)).status, 404);
      assert.equal((await post(path(), body, { ...headers, 'X-Sentry-Auth': auth })).status, 404);
    });
  }

  it('a compressed body is searched for its first line only up to 8 KB', async () => {
    for (const [damaged, status, text] of [
      [damagedAt(30_000, gzipSync(randomBytes(40_000).toString('hex'))), 400, /names no client key/],
      [damagedAt(10, gzipSync(randomBytes(40_000).toString('hex'))), 400, /damaged or cut off/],
    ] as const) {
      const response = await post(path(), damaged, { 'Content-Encoding': 'gzip' });
      assert.equal(response.status, status);
      assert.match(response.headers.get('x-sentry-error') ?? '', text);
    }
  });

  it('a compressed body without a valid key is refused if it is empty, truncated, or in an unknown encoding', async () => {
    for (const form of ['envelope', 'store']) {
      const empty = await post(path(form), Buffer.alloc(0));
      assert.equal(empty.headers.get('x-sentry-error'), 'the body is empty');
      assert.equal((await post(path(form), Buffer.from('{}'), { 'Content-Encoding': 'lzma' })).status, 415);
    }
    const cut = await post(path(), gzipSync('{}\n').subarray(0, -14), { 'Content-Encoding': 'gzip' });
    assert.match(cut.headers.get('x-sentry-error') ?? '', /damaged or cut off/);
  });

  it('a base64 body of an old SDK is treated like a compressed body', async () => {
    const text = base64(long('{}'));
    const response = await post(path(), Buffer.concat([text.subarray(0, text.length - 50_000), Buffer.alloc(50_000, 0x41)]));
    assert.match(response.headers.get('x-sentry-error') ?? '', /names no client key/);
  });
});

describe('large compressed bodies with a key', () => {
  it('large compressed bodies take only the memory of their stored parts, even if many are sent at once', async () => {
    await using server = await startTestServer();
    const project = trackedProject(server);
    const attachment = Buffer.alloc(39 * 1024 * 1024, 0x61);
    const head = `{}\n{"type":"attachment","length":${attachment.length}}\n`;
    const body = gzipSync(Buffer.concat([Buffer.from(head), attachment, Buffer.from('\n')]), { level: 1 });
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => project.post('envelope', body, { 'Content-Encoding': 'gzip' })),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { peak, used } = server.platform.bodyBudget;
    assert.ok(peak < 10 * 1024 * 1024, String(peak));
    assert.equal(used, 0);
  });

  it('large compressed bodies can contain sessions', async () => {
    await using server = await startTestServer();
    const project = trackedProject(server);
    const session = { sid: '4c79f60c-1121-4eb3-8604-f4ae0781bfb2', init: true, status: 'ok', attrs: { release: 'ship@1.0' } };
    const text = envelope(
      {},
      { attachment: { data: 'a'.repeat(400_000) } },
      {
        session: { ...session, started: '2026-01-01T00:00:00Z', timestamp: '2026-01-01T00:00:01Z' },
      },
    );
    for (const response of [
      await project.post('envelope', gzipSync(text), { 'Content-Encoding': 'gzip' }),
      await project.post('envelope', text),
    ]) {
      assert.equal(response.status, 200, response.text);
    }
  });
});
