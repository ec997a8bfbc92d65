import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../../../server/core/clock.ts';
import {
  countSessions,
  releaseHealth,
  type SessionAggregate,
} from '../../../../server/features/errorTracking/releases/sessionRules.ts';
import { healthOf, sessionOf } from '../../../../server/features/errorTracking/releases/sessions.ts';
import {
  type AppReleaseRow,
  type HealthWindow,
  listAppReleases,
  type SessionRow,
} from '../../../../server/features/errorTracking/releases/sessionStore.ts';
import { createTag } from '../../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../../server/features/pushes/commits.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { actor } from '../../projects/cast.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

/** Members of the response that tests use. */
interface Listed {
  readonly version: string;
  readonly first_seen: string;
  readonly commit: string | null;
  readonly events: number;
  readonly new_errors: number;
  readonly sessions: Readonly<Record<string, number | null>>;
  readonly users: Readonly<Record<string, number | null>>;
  readonly adoption: number | null;
}

describe('release health', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    server.platform.clock.reset();
    project = trackedProject(server);
  });
  after(() => server.close());

  const now = (): number => server.platform.clock.now();
  const ago = (milliseconds: number): string => new Date(now() - milliseconds).toISOString();
  const sid = (number: number): string => number.toString(16).padStart(32, '0');

  async function send(...items: Readonly<Record<string, object>>[]): Promise<void> {
    const response = await project.post('envelope', envelope({}, ...items));
    assert.equal(response.status, 200, response.text);
  }
  const session = (number: number, members: object, release = 'shop@1.0.0') => ({
    session: { sid: sid(number), started: ago(5 * MINUTE), attrs: { release, environment: 'production' }, ...members },
  });
  const counted = (aggregates: readonly object[], release = 'shop@1.0.0') => ({
    sessions: { aggregates, attrs: { release, environment: 'production' } },
  });

  async function releases(query = '', as = project.owner.token): Promise<Listed[]> {
    const path = `/api/v4/projects/${project.id}/error_tracking/releases${query}`;
    const response = await server.request('GET', path, { token: as });
    assert.equal(response.status, 200, response.text);
    return response.json() as Listed[];
  }
  async function release(query = ''): Promise<Listed> {
    const [only, ...others] = await releases(query);
    assert.ok(only);
    assert.deepEqual(others, []);
    return only;
  }

  it('a session that is reported several times is one session with the state of its last report', async () => {
    await send(session(1, { init: true, did: 'ann', status: 'ok' }));
    await send(session(1, { seq: 1, status: 'ok', errors: 1, attrs: { release: 'shop@9.9.9' }, did: 'somebody else' }));
    assert.deepEqual((await release()).sessions, {
      total: 1,
      healthy: 0,
      errored: 1,
      crashed: 0,
      abnormal: 0,
      crash_free_rate: 1,
      duration_p50: null,
    });
    await send(session(1, { seq: 2, status: 'crashed', errors: 2, duration: 4 }));
    // An ended session does not change.
    await send(session(1, { seq: 3, status: 'exited', duration: 9 }));
    const { version, sessions, users } = await release();
    assert.equal(version, 'shop@1.0.0');
    assert.deepEqual([sessions['total'], sessions['crashed'], sessions['errored'], sessions['crash_free_rate']], [1, 1, 0, 0]);
    assert.deepEqual(users, { total: 1, crashed: 1, crash_free_rate: 0 });
  });

  it('users are stored as hashes, which are the same for events and sessions', async () => {
    await send(session(2, { init: true, did: 'ann-4711', status: 'ok' }), {
      event: errorEvent('load', { user: { id: 'ann-4711' } }),
    });
    const { store } = server.platform;
    const stored = store.all<{ readonly user_hash: Uint8Array }>(
      'SELECT user_hash FROM tracked_sessions WHERE project_id = $id',
      {
        id: project.id,
      },
    );
    server.platform.inbox.flush();
    const events = store.all('SELECT user_hash FROM tracked_events WHERE project_id = $id', { id: project.id });
    assert.deepEqual(stored, events);
    assert.equal(stored[0]?.user_hash.length, 12);
  });

  it('session counts are added, but not if they are sent again within minutes', async () => {
    const minutes = [
      { started: ago(3 * MINUTE), exited: 3, errored: 1, did: 'ann' },
      { started: ago(2 * MINUTE), exited: 2, crashed: 1, abnormal: 1, did: 'bob' },
    ];
    const body = envelope({}, counted(minutes));
    for (let sent = 0; sent < 3; sent += 1) assert.equal((await project.post('envelope', body)).status, 200);
    const { sessions, users } = await release();
    const { total, healthy, errored, crashed, abnormal } = sessions;
    assert.deepEqual([total, healthy, errored, crashed, abnormal], [8, 5, 1, 1, 1]);
    assert.deepEqual(users, { total: 2, crashed: 1, crash_free_rate: 0.5 });
    await send(counted([...minutes, { started: ago(3 * MINUTE), exited: 1 }]));
    assert.equal((await release()).sessions['total'], 17);
    server.platform.clock.advance(11 * MINUTE);
    assert.equal((await project.post('envelope', body)).status, 200);
    assert.equal((await release()).sessions['total'], 25);
  });

  it('sessions without an ID, which ended when they started, count once per request', async () => {
    const body = envelope({}, session(3, { sid: undefined, status: 'exited', duration: 3 }));
    for (let sent = 0; sent < 2; sent += 1) assert.equal((await project.post('envelope', body)).status, 200);
    await send(session(3, { sid: undefined, status: 'exited', duration: 5 }));
    const { sessions } = await release();
    assert.deepEqual([sessions['total'], sessions['healthy'], sessions['duration_p50']], [2, 2, 4]);
  });

  it('two projects can have sessions with the same ID', async () => {
    await send(session(4, { init: true }));
    project = trackedProject(server);
    await send(session(4, { init: true }));
    assert.equal((await release()).sessions['total'], 1);
  });

  it('a session without a release or with an old start is dropped with status 200', async () => {
    await send(session(5, { attrs: {} }), session(6, { started: ago(6 * DAY) }));
    assert.deepEqual(await releases(), []);
  });

  it('sessions are removed 90 days after their last report', async () => {
    await send(session(7, { init: true }), counted([{ started: ago(MINUTE), exited: 2 }]));
    server.platform.clock.advance(89 * DAY);
    assert.equal((await release()).sessions['total'], 3);
    server.platform.clock.advance(2 * DAY);
    assert.equal((await release()).sessions['total'], 0);
  });

  it('releases are listed with events, new errors, commits and adoption, the latest first', async () => {
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    const commit = await createCommit(server.platform, found, project.owner.user, {
      branch: 'main',
      message: 'One',
      actions: [{ action: 'create', path: 'one', content: Buffer.from('1') }],
    });
    await createTag(server.platform, found, project.owner.user, { name: 'v1.0.0', ref: 'main' });
    await send(session(10, { init: true }), { event: errorEvent('load', { release: 'shop@1.0.0', environment: 'production' }) });
    await send(
      ...[11, 12, 13].map((number) => session(number, { init: true }, `shop@2+${commit.slice(0, 9)}`)),
      { event: errorEvent('load', { release: `shop@2+${commit.slice(0, 9)}`, environment: 'staging' }) },
      { event: errorEvent('save', { release: `shop@2+${commit.slice(0, 9)}`, environment: 'staging' }) },
    );
    await send({ event: errorEvent('steer', { release: 'nowhere' }) });
    const figures = (listed: readonly Listed[]) =>
      listed.map((one) => [one.version, one.commit, one.events, one.new_errors, one.sessions['total'], one.adoption]);
    const second = `shop@2+${commit.slice(0, 9)}`;
    assert.deepEqual(figures(await releases()), [
      ['nowhere', null, 1, 1, 0, 0],
      [second, commit, 2, 1, 3, 0.75],
      ['shop@1.0.0', commit, 1, 1, 1, 0.25],
    ]);
    assert.deepEqual(figures(await releases('?environment=staging')), [
      ['nowhere', null, 0, 0, 0, null],
      [second, commit, 2, 1, 0, null],
      ['shop@1.0.0', commit, 0, 0, 0, null],
    ]);
    assert.deepEqual(
      figures(await releases(`?before=${encodeURIComponent(ago(HOUR))}`)).map(([, , ...counts]) => counts),
      [
        [0, 0, 0, 0],
        [0, 0, 0, 0.75],
        [0, 0, 0, 0.25],
      ],
    );
  });

  it('releases are visible to reporters, and hidden from strangers in a private project', async () => {
    await send(session(20, { init: true }));
    const [reporter, guest, stranger] = ['reporter', 'guest', 'stranger'].map((name) =>
      actor(server.platform, `${name}${project.id}`),
    );
    assert.ok(reporter && guest && stranger);
    const owner = project.owner.user;
    const found = findProject(server.platform, project.id, { user: owner });
    assert.ok(found);
    const by = { user: owner, access: found.access };
    addMember(server.platform, found.project, reporter.user, { level: 20 }, by);
    addMember(server.platform, found.project, guest.user, { level: 10 }, by);
    assert.equal((await releases('', reporter.token)).length, 1);
    const path = `/api/v4/projects/${project.id}/error_tracking/releases`;
    assert.equal((await server.request('GET', path, { token: guest.token })).status, 403);
    assert.equal((await server.request('GET', path, { token: stranger.token })).status, 404);
    assert.equal((await server.request('GET', path)).status, 401);
  });

  it('sums of stored sessions match the rules for every release, environment and window', async () => {
    const { store } = server.platform;
    const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
    const attributes = {
      attrs: fc.record({ release: pick('a', 'b', 'c'), environment: pick('production', 'staging', undefined) }),
      started: fc.integer({ min: 0, max: 2 * 24 * 60 }).map((minutes) => ago(minutes * MINUTE)),
      did: pick(undefined, 'ann', 'bob', 'cy'),
    };
    const one = fc.record({
      ...attributes,
      sid: fc.integer({ min: 1000, max: 1030 }).map(sid),
      status: pick('ok', 'exited', 'crashed', 'abnormal', 'errored'),
      errors: fc.nat(2),
      seq: fc.nat(3),
      duration: pick(undefined, 1, 2.5, 4, 8),
    });
    const many = fc.record({ ...attributes, exited: fc.nat(3), errored: fc.nat(2), crashed: fc.nat(1), abnormal: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 30 }), fc.array(many, { maxLength: 10 }), async (sessions, counts) => {
        project = trackedProject(server);
        await send(
          ...sessions.map((members) => ({ session: members })),
          ...counts.map(({ attrs, ...aggregate }) => ({ sessions: { attrs, aggregates: [aggregate] } })),
        );
        const known = listAppReleases(store, project.id, { limit: 100 });
        const windows: HealthWindow[] = [
          {},
          { environment: 'staging' },
          { from: now() - DAY, to: now() - HOUR },
          { environment: 'production', from: now() - 30 * HOUR },
        ];
        for (const window of windows) {
          const ids = known.map(({ id }) => id);
          const health = await healthOf(store, project.id, ids, window, now());
          for (const row of known)
            assert.deepEqual(health.get(row.id), counter(row, window), `${row.version} of ${JSON.stringify(window)}`);
        }
      }),
      { numRuns: 15 },
    );
  });

  /** Returns a function that calculates the same from the rows by the rules. */
  function counter(row: AppReleaseRow, window: HealthWindow) {
    const all = store().all<SessionRow & { readonly release: string }>(
      `SELECT session.*, version AS release FROM tracked_sessions AS session JOIN app_releases ON app_releases.id = app_release_id
       WHERE session.project_id = $id`,
      { id: project.id },
    );
    const aggregates = store().all<SessionAggregate & { release: string; environment: string; started_at: number; user: string }>(
      `SELECT counts.*, version AS release, hex(user_hash) AS user FROM tracked_session_counts AS counts
       JOIN app_releases ON app_releases.id = app_release_id WHERE counts.project_id = $id`,
      { id: project.id },
    );
    const count = (release: string | undefined, { environment, from = 0, to = Number.POSITIVE_INFINITY }: HealthWindow) => {
      const isIn = (one: { release: string; environment: string; started_at: number }): boolean =>
        (release === undefined || one.release === release) &&
        (environment === undefined || one.environment === environment) &&
        one.started_at >= from &&
        one.started_at < to;
      return countSessions(
        all.filter(isIn).map(sessionOf),
        aggregates.filter(isIn).map((one) => ({ ...one, userHash: one.user === '' ? undefined : one.user.toLowerCase() })),
      );
    };
    const lastDay = { environment: window.environment, from: now() - DAY };
    return releaseHealth(count(row.version, window), {
      ofRelease: count(row.version, lastDay).total,
      ofProject: count(undefined, lastDay).total,
    });
  }
  const store = () => server.platform.store;
});
