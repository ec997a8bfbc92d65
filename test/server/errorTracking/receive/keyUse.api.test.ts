import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../../server/core/clock.ts';
import { clientKeysOf, createClientKey } from '../../../../server/features/clientKeys/clientKeys.ts';
import { MAX_NAMED_PROGRAMS, MAX_PROGRAMS } from '../../../../server/features/errorTracking/receive/keyUseStore.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { actor } from '../../projects/cast.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Shown {
  readonly last_used_at: string | null;
  readonly last_refused: Readonly<Record<string, unknown>> | null;
  readonly events_by_day: readonly unknown[];
  readonly programs: readonly Readonly<Record<string, unknown>>[];
  readonly more_programs: number;
}

describe('use of client keys', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  const keyId = (of = project, on = server): number => clientKeysOf(on.platform, of.id, 1)[0]?.id ?? 0;
  const path = (of = project, id = keyId(of)): string => `/api/v4/projects/${of.id}/error_tracking/client_keys/${id}`;
  const shown = async (of = project, id = keyId(of)): Promise<Shown> => {
    const response = await server.request('GET', path(of, id), { token: of.owner.token });
    assert.equal(response.status, 200, response.text);
    return response.json() as Shown;
  };
  const today = (): string => new Date(server.platform.clock.now()).toISOString().slice(0, 10);
  const program = (release: string, server_name: string, version = '10.78.0'): object => ({
    release,
    server_name,
    sdk: { name: 'sentry.javascript.node', version },
  });

  it('a key that was never used has no use', async () => {
    const { id: _id, public_key, created_at: _created, ...rest } = (await shown()) as Shown & Record<string, unknown>;
    assert.equal(public_key, project.key);
    assert.deepEqual(
      { ...rest, tracker_dsn: '' },
      {
        active: true,
        tracker_dsn: '',
        last_used_at: null,
        last_refused: null,
        events_by_day: [],
        programs: [],
        more_programs: 0,
      },
    );
  });

  it('events are counted by day, and by the program that sent them, with both endpoints', async () => {
    await project.send({ ...errorEvent('load'), ...program('shop@1.0', 'web-1') });
    await project.send({ ...errorEvent('load'), ...program('shop@1.0', 'web-1') });
    await project.post('store', JSON.stringify({ ...errorEvent('save'), ...program('shop@2.0', 'web-2') }));
    const { last_used_at: usedAt, events_by_day: days, programs } = await shown();
    assert.notEqual(usedAt, null);
    assert.deepEqual(days, [{ day: today(), count: 3 }]);
    const rows = programs.map(({ release, server_name, sdk, count }) => [release, server_name, sdk, count]).toSorted();
    assert.deepEqual(rows, [
      ['shop@1.0', 'web-1', 'sentry.javascript.node/10.78.0', 2],
      ['shop@2.0', 'web-2', 'sentry.javascript.node/10.78.0', 1],
    ]);
  });

  it('an event that arrives twice is counted once, and what it does not name is null', async () => {
    const text = JSON.stringify({ ...errorEvent('load'), server_name: undefined, release: undefined, sdk: undefined });
    for (const body of [text, text]) await project.post('store', body);
    const { events_by_day: days, programs } = await shown();
    assert.deepEqual(days, [{ day: today(), count: 1 }]);
    assert.partialDeepStrictEqual(programs, [{ release: null, server_name: null, sdk: 'test/1', count: 1 }]);
  });

  it('a request without events is a use of the key', async () => {
    await project.post('envelope', envelope({}, { client_report: { discarded_events: [] } }));
    const { last_used_at: usedAt, events_by_day: days } = await shown();
    assert.notEqual(usedAt, null);
    assert.deepEqual(days, []);
  });

  it('each key has its own use', async () => {
    const other = createClientKey(server.platform, project.id);
    await project.post('store', JSON.stringify(errorEvent('load')), {
      'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${other.public_key}, sentry_client=test/1`,
    });
    assert.equal((await shown()).last_used_at, null);
    assert.notEqual((await shown(project, other.id)).last_used_at, null);
  });

  const refusals: readonly (readonly [what: string, refuse: () => Promise<unknown>, expected: object])[] = [
    ['a body that is no event', () => project.post('store', 'nonsense'), { status: 400, reason: 'malformed' }],
    [
      'error tracking that is off',
      async () => {
        writeSettings(server.platform, project.id, { active: false, integrated: true });
        await project.post('store', JSON.stringify(errorEvent('load')));
      },
      { status: 404, reason: 'tracking_off', words: 'error tracking is off' },
    ],
    [
      'a key that is inactive',
      async () => {
        server.platform.store.run('UPDATE error_tracking_client_keys SET active = 0 WHERE project_id = $id', { id: project.id });
        await project.post('store', JSON.stringify(errorEvent('load')));
      },
      { status: 404, reason: 'inactive_key', words: 'the key is inactive' },
    ],
    [
      'the DSN of another project',
      async () => {
        const address = `${server.origin}/api/v4/error_tracking/collector/api/${trackedProject(server).id}/store/`;
        await fetch(`${address}?sentry_key=${project.key}`, { method: 'POST', body: JSON.stringify(errorEvent('load')) });
      },
      { status: 404, reason: 'foreign_key', words: 'the key belongs to another project' },
    ],
  ];
  for (const [what, refuse, expected] of refusals) {
    it(`the last refusal of a key says why: ${what}`, async () => {
      await refuse();
      const { last_refused: refused, last_used_at: usedAt } = await shown();
      assert.partialDeepStrictEqual(refused, expected);
      assert.equal(usedAt, null);
    });
  }

  it('what may be a secret is not kept in the use of a key', async () => {
    const token = `glpat-${'a'.repeat(20)}`;
    for (const form of ['store', 'envelope'] as const) {
      const event = { ...errorEvent('load'), ...program(`shop@${token}`, token, token) };
      await project.post(form, form === 'store' ? JSON.stringify(event) : envelope({}, { event }));
    }
    server.platform.ingestStats.flush();
    const stored = JSON.stringify([
      server.platform.store.all('SELECT * FROM tracked_key_programs'),
      server.platform.store.all('SELECT * FROM tracked_key_states'),
    ]);
    assert.ok(!stored.includes(token), stored);
    assert.ok(!stored.includes(project.key), 'the key is stored only once');
  });

  it('the programs that sent last are named, all others are counted, up to a limit', async () => {
    const note = (from: number, to: number): void => {
      for (let index = from; index < to; index += 1) {
        const program = { release: `shop@${index}`, serverName: 'web', sdk: '' };
        server.platform.ingestStats.keyUse.usedBy(keyId(), server.platform.clock.now() + index, program, 1);
        if (index % 700 === 0) server.platform.ingestStats.flush();
      }
    };
    note(0, 60);
    assert.deepEqual([(await shown()).programs.length, (await shown()).more_programs], [60, 0]);
    note(60, MAX_PROGRAMS + 10);
    const { programs, more_programs: more } = await shown();
    assert.deepEqual([programs.length, more], [MAX_NAMED_PROGRAMS, MAX_PROGRAMS - MAX_NAMED_PROGRAMS]);
    assert.equal(programs[0]?.['release'], `shop@${MAX_PROGRAMS + 9}`);
  });

  it('sessions, client reports and items that are not stored are uses by a program', async () => {
    const sdk = { name: 'sentry.python', version: '2.0' };
    const session = {
      sid: 'a'.repeat(32),
      init: true,
      status: 'ok',
      started: new Date().toISOString(),
      attrs: { release: 'shop@7' },
    };
    for (const [type, payload, release] of [
      ['session', session, 'shop@7'],
      ['client_report', { discarded_events: [] }, null],
      ['transaction', { type: 'transaction' }, null],
    ] as const) {
      await using own = await startTestServer();
      const quiet = trackedProject(own);
      assert.equal((await quiet.post('envelope', envelope({ sdk }, { [type]: payload }))).status, 200);
      own.platform.ingestStats.flush();
      const rows = own.platform.store.all('SELECT release_version, server_name, sdk, events FROM tracked_key_programs');
      assert.deepEqual(rows, [{ release_version: release ?? '', server_name: '', sdk: 'sentry.python/2.0', events: 0 }], type);
    }
  });

  it('a program that sends events and then sessions is named once as long as its events are the latest', async () => {
    const named = async () => (await shown()).programs.map(({ server_name: server, count }) => [server, count]);
    const { keyUse } = server.platform.ingestStats;
    const at = server.platform.clock.now();
    keyUse.usedBy(keyId(), at, { release: 'a@1', serverName: '', sdk: 's/1' }, 0);
    keyUse.usedBy(keyId(), at, { release: '', serverName: '', sdk: 's/1' }, 0);
    keyUse.usedBy(keyId(), at + 1, { release: 'a@1', serverName: 'web', sdk: 's/1' }, 1);
    assert.deepEqual(await named(), [['web', 1]]);
    keyUse.usedBy(keyId(), at + 2, { release: 'a@1', serverName: '', sdk: 's/1' }, 0);
    assert.deepEqual(await named(), [
      [null, 0],
      ['web', 1],
    ]);
  });

  it('use is forgotten after 90 days, and with the key', async () => {
    await using own = await startTestServer();
    const { clock, store, ingestStats } = own.platform;
    const old = trackedProject(own);
    const rows = (table: string): unknown[] => store.all(`SELECT * FROM ${table}`);
    await old.send(errorEvent('load'));
    ingestStats.flush();
    assert.deepEqual([rows('tracked_key_days').length, rows('tracked_key_programs').length], [1, 1]);
    clock.advance(91 * DAY + 2 * HOUR);
    assert.deepEqual([rows('tracked_key_days'), rows('tracked_key_programs')], [[], []]);
    assert.equal(rows('tracked_key_states').length, 1);
    await own.request('DELETE', `/api/v4/projects/${old.id}/error_tracking/client_keys/${keyId(old, own)}`, {
      token: own.adminToken,
    });
    assert.deepEqual(rows('tracked_key_states'), []);
  });

  it('only maintainers see the use of a key, and only of keys of the project', async () => {
    const other = trackedProject(server);
    const stranger = actor(server.platform, `stranger${project.id}`);
    const status = async (of: string, token: string): Promise<number> => (await server.request('GET', of, { token })).status;
    assert.equal(await status(path(), stranger.token), 404);
    assert.equal(await status(path(project, keyId(other)), project.owner.token), 404);
    assert.equal(await status(path(project, 999_999), project.owner.token), 404);
  });

  it('the observed dialect names the DSN differently', async () => {
    await using observed = await startTestServer({ profile: { dialect: 'observed' } });
    const own = trackedProject(observed);
    const response = await observed.request('GET', path(own, keyId(own, observed)), { token: own.owner.token });
    assert.ok(Object.hasOwn(Object(response.json()), 'sentry_dsn'));
  });

  it('the page of errors shows the use of each key', async () => {
    await project.send({ ...errorEvent('load'), ...program('shop@1.0', 'web-1') });
    await project.post('store', 'nonsense');
    const client = new PageClient(server);
    await client.signIn(project.owner.user.username);
    const text = textOf((await client.open(`/${project.path}/-/error_tracking`)).text);
    assert.match(text, /last used less than a minute ago ?, 1 event today, 1 in 90 days/);
    assert.match(text, /Last rejected .* with 400:/);
    assert.match(text, /Programs that use this key shop@1\.0 web-1 sentry\.javascript\.node\/10\.78\.0 1 event/);
  });
});
