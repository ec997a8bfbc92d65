import assert from 'node:assert/strict';
import { clientKeysOf, createClientKey } from '../../../../server/features/clientKeys/clientKeys.ts';
import { deleteClientKey } from '../../../../server/features/clientKeys/manageClientKeys.ts';
import { DAY, HOUR } from '../../../../server/core/clock.ts';
import { ingestReport } from '../../../../server/features/errorTracking/receive/ingestReport.ts';
import { MAX_COUNTERS } from '../../../../server/features/errorTracking/receive/ingestStats.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { actor, rootOf } from '../../projects/cast.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Reported {
  readonly [name: string]: unknown;
  readonly last_refused: Readonly<Record<string, unknown>> | null;
}

describe('ingest statistics', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  const collector = (id: number | string): string => `${server.origin}/api/v4/error_tracking/collector/api/${id}`;
  const reported = async (of = project): Promise<Reported> => {
    const response = await server.request('GET', `/api/v4/projects/${of.id}/error_tracking/arrivals`, { token: of.owner.token });
    assert.equal(response.status, 200, response.text);
    return response.json() as Reported;
  };
  /** Returns the names and numbers of one kind. */
  const counted = async (kind: string, of = project): Promise<unknown[]> => {
    const rows = (await reported(of))[kind] as Readonly<Record<string, unknown>>[];
    return rows.map((row) => Object.values({ ...row, last_at: undefined }).filter((value) => value !== undefined));
  };
  const report = (reason: string, category: string, quantity: number): object => ({
    discarded_events: [{ reason, category, quantity }],
  });

  it('received items are counted by outcome', async () => {
    await project.send(errorEvent('load'));
    await project.post('store', JSON.stringify(errorEvent('load')));
    const again = JSON.stringify(errorEvent('load'));
    for (const body of [again, again]) await project.post('store', body);
    await project.post(
      'envelope',
      envelope(
        {},
        { session: { sid: '0'.repeat(31).concat('1'), init: true, started: new Date().toISOString(), attrs: { release: '1' } } },
        { session: { sid: '0'.repeat(31).concat('2') } },
        { transaction: {} },
        { transaction: {} },
        { made_up: {} },
        { event: { type: 'transaction' } },
        { client_report: report('sample_rate', 'transaction', 3) },
      ),
    );
    await project.post('envelope', envelope({}, { client_report: report('sample_rate', 'transaction', 4) }));
    await project.post('envelope', envelope({}, { client_report: report('ratelimit_backoff', 'error', 1) }));
    assert.deepEqual(await counted('accepted'), [
      ['client_report', 3],
      ['event', 3],
      ['session', 1],
    ]);
    assert.deepEqual(await counted('repeated'), [['event', 1]]);
    assert.deepEqual(await counted('ignored'), [
      ['transaction', 2],
      ['other', 1],
    ]);
    assert.deepEqual(await counted('dropped'), [
      ['an item of type event is not an error', 1],
      ['the session has no release', 1],
    ]);
    assert.deepEqual(await counted('discarded_by_sdks'), [
      ['sample_rate', 'transaction', 7],
      ['ratelimit_backoff', 'error', 1],
    ]);
    assert.deepEqual(await counted('refused'), []);
    assert.equal((await reported())['last_refused'], null);
  });

  const other = `glet_${'0'.repeat(32)}`;
  const refused: readonly (readonly [
    name: string,
    send: () => Promise<{ readonly status: number }>,
    status: number,
    code: string,
    rest?: object,
  ])[] = [
    [
      'a key that nobody has',
      () => fetch(`${collector(project.id)}/store/?sentry_key=${other}&sentry_client=test%2F1.2`, { method: 'POST', body: '{}' }),
      404,
      'unknown_key',
      { endpoint: 'store', key_start: 'glet_0000…', client: 'test/1.2', words: 'no such key' },
    ],
    [
      'something else in place of a key',
      () => fetch(`${collector(project.id)}/store/?sentry_key=hunter2secret`, { method: 'POST', body: '{}' }),
      404,
      'unknown_key',
      { key_start: 'hun…' },
    ],
    [
      'a key that is not active',
      () => {
        const { public_key: key } = createClientKey(server.platform, project.id, { active: false });
        return fetch(`${collector(project.id)}/envelope/?sentry_key=${key}`, { method: 'POST', body: '{}' });
      },
      404,
      'inactive_key',
    ],
    [
      'a key of another project',
      () => {
        const { key } = trackedProject(server);
        return fetch(`${collector(project.id)}/envelope/?sentry_key=${key}`, { method: 'POST', body: '{}' });
      },
      404,
      'foreign_key',
    ],
    [
      'no key',
      () => fetch(`${collector(project.id)}/envelope/`, { method: 'POST', body: '{}' }),
      400,
      'no_key',
      { endpoint: 'envelope', key_start: null, client: null },
    ],
    ['what is no envelope', () => project.post('envelope', 'my secret body'), 400, 'malformed'],
    ['an unknown encoding', () => project.post('envelope', '{}', { 'Content-Encoding': 'lzma' }), 415, 'encoding'],
    ['too much', () => project.post('envelope', envelope({}, { event: { message: 'm'.repeat(1_100_000) } })), 413, 'too_large'],
    ['more bytes than are read', () => project.post('envelope', Buffer.alloc(21_000_000, 0x20)), 413, 'too_large'],
    ['another method', () => fetch(`${collector(project.id)}/envelope/?sentry_key=${project.key}`), 405, 'method'],
  ];
  for (const [name, send, status, code, rest = {}] of refused) {
    it(`a request with ${name} is counted as ${code}, and reported with a solution`, async () => {
      const at = server.platform.clock.now();
      assert.equal((await send()).status, status);
      assert.deepEqual(await counted('refused'), [[code, 1]]);
      const { last_refused: last } = await reported();
      assert.partialDeepStrictEqual(last, { status, reason: code, ...rest });
      assert.ok(Date.parse(String(last?.['at'])) >= at);
      assert.match(String(last?.['passes']), /^[A-Z].*\.$/);
      const stored = JSON.stringify(server.platform.store.all('SELECT * FROM tracked_refusals'));
      for (const secret of [project.key, other, 'hunter2', 'my secret']) assert.ok(!stored.includes(secret), stored);
    });
  }

  it('requests above the limit and requests while tracking is off are counted', async () => {
    const set = (limit: number): Promise<unknown> =>
      server.request('PUT', '/api/v4/application/settings', {
        token: server.adminToken,
        json: { error_tracking_requests_per_minute: limit },
      });
    await set(1);
    try {
      for (const fails of ['a', 'b', 'c']) await project.post('envelope', envelope({}, { event: errorEvent(fails) }));
    } finally {
      await set(1_000_000);
    }
    writeSettings(server.platform, project.id, { active: false, integrated: true });
    await project.post('envelope', '{}');
    writeSettings(server.platform, project.id, { active: true, integrated: true });
    assert.deepEqual(await counted('refused'), [
      ['limit', 2],
      ['tracking_off', 1],
    ]);
    assert.partialDeepStrictEqual((await reported()).last_refused, { reason: 'tracking_off' });
  });

  it('nothing is counted for a project that does not exist', async () => {
    for (const id of ['999999', 'foo', '9'.repeat(15)]) {
      await fetch(`${collector(id)}/envelope/?sentry_key=${project.key}`, { method: 'POST', body: '{}' });
      await fetch(`${collector(id)}/envelope/`, { method: 'POST', body: '{}' });
    }
    server.platform.ingestStats.flush();
    for (const table of ['tracked_arrivals', 'tracked_refusals']) {
      assert.deepEqual(server.platform.store.all(`SELECT * FROM ${table} WHERE project_id NOT IN (SELECT id FROM projects)`), []);
    }
  });

  it('unknown names count as other, invalid numbers are ignored, and the number of counters is limited', () => {
    const { platform } = server;
    const { ingestStats, clock } = platform;
    const now = clock.now();
    const quantities = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY];
    const one = (reason: string, quantity: number, category = 'error') => ({ reason, category, quantity });
    ingestStats.discarded(now, project.id, [...quantities.map((quantity) => one('sample_rate', quantity)), one('<b>', 1)]);
    ingestStats.discarded(now, project.id, [one('x'.repeat(65), 2, 'E'), one('sample_rate', Number.MAX_SAFE_INTEGER)]);
    ingestStats.flush();
    ingestStats.discarded(now, project.id, [one('sample_rate', Number.MAX_SAFE_INTEGER)]);
    const rows = () => ingestReport(platform, project.id).counts.discarded;
    assert.deepEqual(
      rows().map(({ name, category, quantity }) => [name, category, quantity]),
      [
        ['sample_rate', 'error', Number.MAX_SAFE_INTEGER],
        ['other', 'other', 2],
        ['other', 'error', 1],
      ],
    );
    ingestStats.discarded(
      now,
      project.id,
      Array.from({ length: 150 }, (_, index) => one(`reason_${index}`, 1)),
    );
    const many = rows();
    assert.equal(many.length, MAX_COUNTERS);
    assert.equal(
      many.find(({ name, category }) => name === 'other' && category === 'other')?.quantity,
      2 + 150 - (MAX_COUNTERS - 3),
    );
  });

  it('ingest statistics are written once per second', async () => {
    const { store } = server.platform;
    await project.send(errorEvent('load'));
    const rows = (): unknown[] =>
      store.all('SELECT name, quantity FROM tracked_arrivals WHERE project_id = $id', { id: project.id });
    const written = await until(rows, (list) => list.length > 0, 'the counters are written');
    assert.deepEqual(written, [{ name: 'event', quantity: 1 }]);
  });

  it('ingest statistics are deleted after 90 days, and with the project', async () => {
    await using own = await startTestServer();
    const { clock, store } = own.platform;
    const old = trackedProject(own);
    await old.send(errorEvent('load'));
    await old.post('envelope', 'nonsense');
    own.platform.ingestStats.flush();
    clock.advance(89 * DAY);
    assert.equal(ingestReport(own.platform, old.id).counts.accepted.length, 1);
    clock.advance(2 * DAY + 2 * HOUR);
    assert.deepEqual(store.all('SELECT * FROM tracked_arrivals'), []);
    assert.deepEqual(store.all('SELECT * FROM tracked_refusals'), []);
    await old.post('envelope', 'nonsense');
    own.platform.ingestStats.flush();
    assert.equal(store.all('SELECT * FROM tracked_refusals').length, 1);
    await own.request('DELETE', `/api/v4/projects/${old.id}`, { token: own.adminToken });
    assert.deepEqual([store.all('SELECT * FROM tracked_refusals'), store.all('SELECT * FROM tracked_arrivals')], [[], []]);
  });

  it('ingest statistics are visible to reporters, and remain when a client key is deleted', async () => {
    await project.post('envelope', envelope({}, { client_report: report('before_send', 'error', 2) }));
    const [key] = clientKeysOf(server.platform, project.id, 1);
    assert.ok(key);
    deleteClientKey(server.platform, key);
    assert.deepEqual(await counted('discarded_by_sdks'), [['before_send', 'error', 2]]);
    const [guest, reporter] = [actor(server.platform, `guest${project.id}`), actor(server.platform, `reporter${project.id}`)];
    const found = findProject(server.platform, project.id, { user: rootOf(server.platform) });
    assert.ok(found);
    for (const [who, level] of [
      [guest, 10],
      [reporter, 20],
    ] as const) {
      addMember(server.platform, found.project, who.user, { level }, { user: project.owner.user, access: found.access });
    }
    const path = `/api/v4/projects/${project.id}/error_tracking/arrivals`;
    for (const [token, status] of [
      [guest.token, 403],
      [reporter.token, 200],
      [actor(server.platform, `stranger${project.id}`).token, 404],
    ] as const) {
      assert.equal((await server.request('GET', path, { token })).status, status);
    }
    writeSettings(server.platform, project.id, { active: false, integrated: true });
    assert.equal((await server.request('GET', path, { token: reporter.token })).status, 404);
  });

  it('ingest statistics are shown on the page of tracked errors', async () => {
    const client = new PageClient(server);
    await client.signIn(project.owner.user.username);
    const page = async (): Promise<string> => textOf((await client.open(`/${project.path}/-/error_tracking`)).text);
    assert.match(await page(), /Received data\s+No data received in the last 90 days\./);
    await project.send(errorEvent('load'));
    await project.post('envelope', envelope({}, { transaction: {} }, { client_report: report('before_send', 'error', 2) }));
    await project.post('envelope', 'nonsense');
    const text = await page();
    for (const message of [/event\s+1/, /transaction\s+1/, /error: before_send\s+2/, /malformed envelope or event\s+1/]) {
      assert.match(text, message);
    }
    assert.match(text, /Last rejected request\s+Time .*\s+Response\s+400: /);
  });
});
