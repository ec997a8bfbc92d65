import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type BodyBudget, bodyBudgetLimits, createBodyBudget } from '../../../server/http/bodyBudget.ts';
import { errorEvent, trackedProject, type TrackedProject } from '../errorTracking/senders.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

const MEBIBYTE = 1024 * 1024;

describe('request bodies that do not fit in memory', () => {
  let server: TestServer;
  let project: TrackedProject;
  let budget: BodyBudget;
  beforeEach(async () => {
    budget = createBodyBudget({ ...bodyBudgetLimits, total: 4 * MEBIBYTE, waiting: 0 });
    server = await startTestServer({ bodyBudget: budget, log: () => {} });
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  /** Reserves all memory, like bodies of other requests. */
  function holdAll(): { release(): void } {
    const lease = budget.open();
    assert.equal(lease.add(5 * MEBIBYTE), undefined);
    return lease;
  }

  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const areas: readonly {
    readonly area: string;
    readonly path: () => string;
    readonly headers: () => Readonly<Record<string, string>>;
    readonly body: string;
    readonly says: RegExp;
  }[] = [
    {
      area: 'the REST API',
      path: () => `/api/v4/projects/${project.id}/issues`,
      headers: () => ({ ...json, 'PRIVATE-TOKEN': project.owner.token }),
      body: '{"title":"Leak"}',
      says: /^\{"message":"503 Service Unavailable - .*again in a few seconds/,
    },
    {
      area: 'the OAuth provider',
      path: () => '/oauth/token',
      headers: () => form,
      body: 'grant_type=refresh_token&refresh_token=x',
      says: /^\{"error":"temporarily_unavailable","error_description":/,
    },
    {
      area: 'pages',
      path: () => '/users/sign_in',
      headers: () => form,
      body: 'user%5Blogin%5D=root',
      says: /so nothing was changed\. Go back and send the form again in a few seconds/,
    },
    {
      area: 'GraphQL',
      path: () => '/api/graphql',
      headers: () => ({ ...json, Authorization: `Bearer ${project.owner.token}` }),
      body: '{"query":"{ __typename }"}',
      says: /503 Service Unavailable/,
    },
    {
      area: 'control of the server',
      path: () => '/_local/clock',
      headers: () => ({ ...json, Authorization: `Bearer ${TEST_ADMIN_TOKEN}` }),
      body: '{"advance_seconds":1}',
      says: /503 Service Unavailable|again in a few seconds/,
    },
    {
      area: 'error ingestion',
      path: () => `/api/v4/error_tracking/collector/api/${project.id}/envelope/`,
      headers: () => ({ 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${project.key}` }),
      body: '{}\n',
      says: /"detail":/,
    },
  ];
  for (const { area, path, headers, body, says } of areas) {
    it(`request bodies without memory are refused with 503 and Retry-After by ${area}, and accepted again later`, async () => {
      const held = holdAll();
      const send = () => fetch(`${server.origin}${path()}`, { method: 'POST', headers: headers(), body, redirect: 'manual' });
      const refused = await send();
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'], await refused.clone().text());
      assert.match(await refused.text(), says);
      held.release();
      assert.notEqual((await send()).status, 503);
      assert.equal(budget.used, 0);
    });
  }

  it('request bodies that wait for memory do not delay requests without a body', async () => {
    holdAll();
    const response = await fetch(`${server.origin}/api/v4/projects/${project.id}`, {
      headers: { 'PRIVATE-TOKEN': project.owner.token },
    });
    assert.equal(response.status, 200);
  });
});

describe('compressed bodies that are much larger when decompressed', () => {
  /** A body of about 39 KB with the maximum decompressed size. */
  const zeros = gzipSync(Buffer.alloc(39 * MEBIBYTE));
  let budget: BodyBudget;
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    budget = createBodyBudget();
    server = await startTestServer({ bodyBudget: budget, log: () => {} });
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  const post = (body: Buffer<ArrayBuffer>, endpoint: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.origin}/api/v4/error_tracking/collector/api/${project.id}/${endpoint}`, { method: 'POST', body, headers });
  const withDsn = (dsn: string): Buffer<ArrayBuffer> =>
    gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify({ dsn })}\n{"type":"event"}\n`), Buffer.alloc(39 * MEBIBYTE, ' ')]));

  it('compressed bodies with a wrong key outside of the body are refused before they are received', async () => {
    for (const endpoint of ['envelope/', 'store/']) {
      const headers = { 'X-Sentry-Auth': `Sentry sentry_key=${'0'.repeat(32)}` };
      assert.equal((await post(zeros, endpoint, headers)).status, 404);
      assert.equal((await post(zeros, `${endpoint}?sentry_key=${'0'.repeat(32)}`)).status, 404);
    }
    assert.equal(budget.peak, 0);
  });

  it('compressed bodies whose key can only be inside are decompressed up to the first line', async () => {
    const wrong = withDsn(`http://${'0'.repeat(32)}@127.0.0.1/${project.id}`);
    const requests = [
      { body: zeros, endpoint: 'envelope/', status: 400 },
      { body: wrong, endpoint: 'envelope/', status: 404 },
      { body: zeros, endpoint: 'store/', status: 400 },
    ];
    for (const { body, endpoint, status } of requests) {
      // Compressed data is also recognized without the header.
      for (const headers of [{ 'Content-Encoding': 'gzip' }, undefined]) {
        const response = await post(body, endpoint, headers);
        assert.equal(response.status, status, await response.text());
      }
    }
    // The received bytes of one request at a time, and no decompressed data.
    assert.ok(budget.peak <= Math.max(zeros.length, wrong.length), String(budget.peak));
  });

  it('compressed bodies with a valid key use the memory of at most one payload each', async () => {
    const dsn = `http://${project.key}@127.0.0.1/${project.id}`;
    const body = withDsn(dsn);
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(body, 'envelope/')));
    for (const response of responses) assert.ok([413, 503].includes(response.status), await response.text());
    assert.ok(budget.peak < 12 * 4 * MEBIBYTE, String(budget.peak));
    assert.equal(budget.used, 0);
    assert.equal(typeof (await project.send(errorEvent('load'))), 'string');
  });
});
