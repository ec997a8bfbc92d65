import assert from 'node:assert/strict';
import { HOUR } from '../../../../server/core/clock.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import type { TrackedError } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { trackedErrorDetail } from '../../../../server/features/errorTracking/api/errorResponses.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { PageClient } from '../../../support/pages.ts';
import { checkScenario, type Scenario } from '../../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { fullEvent, reportError } from '../reports.ts';

type Who = 'owner' | 'developer' | 'reporter' | 'guest' | 'stranger' | 'nobody';

/** Names of the errors, the last seen first. */
const all = ['tack', 'moor', 'dive', 'sail'];
const absent = { message: '404 Not found' };
const off = { message: '404 Error Tracking Setting Not Found' };

describe('the tracked errors of a project over REST', () => {
  let server: TestServer;
  let people: Readonly<Record<Exclude<Who, 'nobody'>, Actor>>;
  let errors: Readonly<Record<string, TrackedError>>;
  let path: string;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    const [owner, developer, reporter, guest, stranger] = ['olga', 'dora', 'rita', 'gina', 'sara'].map((name) =>
      actor(platform, name),
    );
    assert.ok(owner && developer && reporter && guest && stranger);
    people = { owner, developer, reporter, guest, stranger };
    const { project } = projectWith(platform, owner, { name: 'Ship', visibility: 'private' }, [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ]);
    writeSettings(platform, project.id, { active: true, integrated: true });
    path = `/api/v4/projects/${project.id}/error_tracking/errors`;
    const { clock } = platform;
    clock.freeze(Date.UTC(2027, 0, 2, 3));
    const report = (name: string, more: Parameters<typeof reportError>[2] = {}): TrackedError =>
      reportError(platform, project.id, { ...fullEvent(name), ...more });
    const made: Record<string, TrackedError> = {};
    made['sail'] = report('sail');
    report('sail');
    report('sail');
    clock.advance(3 * HOUR);
    made['dive'] = report('dive', { environment: 'harbour', level: 'fatal', appRelease: 'ship@1.3.0' });
    report('dive');
    clock.advance(HOUR);
    made['moor'] = report('moor', { exceptions: [], message: undefined, frames: [], transaction: '100% "OR" (AND NOT*' });
    clock.advance(HOUR);
    made['tack'] = report('tack', {
      exceptions: [],
      message: { text: 'Größe 💥', template: 'Größe 💥', isParameterised: false },
    });
    errors = made;
  });
  after(() => server.close());

  const namesIn = (list: unknown): string[] => {
    assert.ok(Array.isArray(list));
    return list.map(({ fingerprint }) => Object.keys(errors).find((name) => errors[name]?.fingerprint === fingerprint) ?? '?');
  };
  const ask = (who: Who, method: string, rest: string, json?: unknown) =>
    server.request(method, `${path}${rest}`, {
      ...(who === 'nobody' ? {} : { token: people[who].token }),
      ...(json === undefined ? {} : { json }),
    });

  const lists: readonly (readonly [name: string, query: Readonly<Record<string, string>>, found: readonly string[]])[] = [
    ['unresolved errors, the latest first', {}, all],
    ['sort=asc turns it round', { sort: 'asc' }, all.toReversed()],
    ['order_by=first_seen', { order_by: 'first_seen' }, all],
    ['order_by=frequency', { order_by: 'frequency' }, ['sail', 'dive', 'tack', 'moor']],
    ['search looks in titles', { search: 'cannot DIVE' }, ['dive']],
    ['search looks in the stack', { search: 'ship.py' }, ['dive', 'sail']],
    ['search by two letters looks in titles', { search: 'ER' }, ['dive', 'sail']],
    ['search takes quotes as they are', { search: '"OR"' }, ['moor']],
    ['search takes the signs of a query language as they are', { search: '(AND NOT*' }, ['moor']],
    ['search takes % and _ as they are', { search: '0% ' }, ['moor']],
    ['search finds letters beyond ASCII in either case', { search: 'GRÖSSE 💥'.replace('SS', 'ß') }, ['tack']],
    ['search finds by code points, not by half ones', { search: '💥' }, ['tack']],
    ['search for nothing is none', { search: '' }, all],
    ['search of what is nowhere', { search: 'zzz"' }, []],
    ['environment', { environment: 'harbour' }, ['dive']],
    ['release', { release: 'ship@1.3.0' }, ['dive']],
    ['level', { level: 'fatal' }, ['dive']],
    ['filters count together', { environment: 'harbour', release: 'ship@7' }, []],
    ['seen_after: with events from that hour on', { seen_after: '2027-01-02T07:00:00Z' }, ['tack', 'moor']],
    ['seen_before: with events up to that hour', { seen_before: '2027-01-02T05:59:59Z' }, ['sail']],
    ['a range that is turned round has none', { seen_after: '2027-01-03', seen_before: '2027-01-01' }, []],
    ['other statuses only where they are asked for', { status: 'resolved,ignored' }, []],
    ['an empty status is the default', { status: '' }, all],
  ];
  for (const [name, query, found] of lists) {
    it(`list: ${name}`, async () => {
      const response = await ask('reporter', 'GET', `?${new URLSearchParams(query).toString()}`);
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(namesIn(response.json()), found);
    });
  }

  it('every tracked error has a page at its web_url', async () => {
    const [first] = (await ask('reporter', 'GET', '')).json() as { readonly fingerprint: number; readonly web_url: string }[];
    const one = (await ask('reporter', 'GET', `/${first?.fingerprint}`)).json() as { readonly web_url: string };
    assert.equal(first?.web_url, `${server.origin}/olga/ship/-/error_tracking/${first?.fingerprint}/details`);
    assert.equal(one.web_url, first?.web_url);
    const page = new PageClient(server);
    await page.signIn('rita');
    assert.equal((await page.open(new URL(one.web_url).pathname)).status, 200);
  });

  const rows: readonly (Pick<Scenario, 'method' | 'status' | 'body' | 'json' | 'has'> & {
    readonly name: string;
    readonly as?: Who;
    readonly rest?: string | (() => string);
  })[] = [
    { name: 'guests may not read tracked errors', as: 'guest', status: 403, body: { message: '403 Forbidden' } },
    { name: 'strangers see no project', as: 'stranger', status: 404, body: { message: '404 Project Not Found' } },
    { name: 'nobody reads without a token', as: 'nobody', status: 401, body: { message: '401 Unauthorized' } },
    { name: 'search with NUL is refused', rest: '?search=a%00bc', status: 400, body: { error: 'search is invalid' } },
    {
      name: 'an unknown status is refused',
      rest: '?status=fixed',
      status: 400,
      body: { error: 'status does not have a valid value' },
    },
    { name: 'an unknown fingerprint', rest: '/1', status: 404, body: absent },
    { name: 'a fingerprint that is none', rest: '/abc', status: 400, body: { error: 'fingerprint is invalid' } },
    { name: 'events of an unknown fingerprint', rest: '/1/events', status: 404, body: absent },
    {
      name: 'reporters may not change tracked errors',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: { status: 'resolved' },
      status: 403,
      body: { message: '403 Forbidden' },
    },
    {
      name: 'PUT: a change is required',
      as: 'developer',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: {},
      status: 400,
      body: { error: 'status, assignee_id, issue_iid are missing, at least one parameter must be provided' },
    },
    {
      name: 'PUT: a date needs one',
      as: 'developer',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: { status: 'ignored', ignored_until: 'date' },
      status: 400,
      body: { error: 'ignored_until_date is missing' },
    },
    {
      name: 'PUT: a number needs what it counts',
      as: 'developer',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: { status: 'ignored', ignored_count: 3 },
      status: 400,
      body: { error: 'ignored_count needs ignored_until to name occurrences' },
    },
    {
      name: 'PUT: a date that is over is refused',
      as: 'developer',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: { status: 'ignored', ignored_until: 'date', ignored_until_date: '2020-01-01' },
      status: 400,
      body: { message: { status: ['The date until which an error is ignored must be in the future.'] } },
    },
    {
      name: 'PUT: ends of being ignored are for ignored ones',
      as: 'developer',
      method: 'PUT',
      rest: () => `/${errors['sail']?.fingerprint}`,
      json: { status: 'resolved', ignored_until: 'next_occurrence' },
      status: 400,
      body: { message: { status: ['Only an ignored error has a time at which it comes back.'] } },
    },
    {
      name: 'merge: an error of nobody',
      as: 'developer',
      method: 'POST',
      rest: () => `/${errors['sail']?.fingerprint}/merge`,
      json: { fingerprints: [1] },
      status: 400,
      body: { message: { fingerprints: ['1 is no error of this project'] } },
    },
    {
      name: 'merge: with none',
      as: 'developer',
      method: 'POST',
      rest: () => `/${errors['sail']?.fingerprint}/merge`,
      json: { fingerprints: [] },
      status: 400,
      body: { message: { fingerprints: ['must name at least one other error'] } },
    },
    {
      name: 'split: a hash that is none',
      as: 'developer',
      method: 'POST',
      rest: () => `/${errors['sail']?.fingerprint}/split`,
      json: { hash: 'xyz' },
      status: 400,
      body: { message: { hash: ['is no hash of this error'] } },
    },
  ];
  for (const row of rows) {
    it(row.name, async () => {
      const { as = 'reporter', rest = '', method = 'GET', json } = row;
      checkScenario(await ask(as, method, typeof rest === 'string' ? rest : rest(), json), { ...row, path: '' });
    });
  }

  it('detail: contains all data of an event', async () => {
    const response = await ask('reporter', 'GET', `/${errors['sail']?.fingerprint}`);
    const detail = trackedErrorDetail().parse(response.json());
    const { payload } = detail.latest_event ?? {};
    assert.deepEqual(
      [detail.count, detail.user_count, detail.title, payload?.stack, payload?.exceptions.map(({ value }) => value)],
      [3, 1, 'ValueError: cannot sail', { source: 'exception', index: 1 }, ['no wind', 'cannot sail']],
    );
    assert.deepEqual(payload?.exceptions[1]?.frames, [
      {
        filename: 'app/ship.py',
        abs_path: '/srv/app/ship.py',
        module: 'app.ship',
        package: null,
        instruction_addr: null,
        symbol_addr: null,
        function: 'sail',
        lineno: 10,
        colno: 4,
        context_line: '    raise ValueError()',
        pre_context: ['def sail():'],
        post_context: [''],
        in_app: true,
        vars: [{ name: 'crew', value: '["Ada"]' }],
        mapped_from: null,
        map_problem: null,
      },
    ]);
    assert.deepEqual(
      [payload.tags, payload.user?.name, payload.request?.data, payload.breadcrumbs[0]?.data, payload.contexts],
      [
        [{ key: 'sea', value: 'north' }],
        'Ada',
        '{"knots":12}',
        [{ name: 'knots', value: '12' }],
        [{ name: 'runtime', value: '{"name":"CPython"}' }],
      ],
    );
    assert.deepEqual(detail.grouping?.left_out, [
      { name: 'value', reason: 'The exception value is not used, because there is a stack trace.' },
      { name: 'message', reason: 'The message is not used, because there is an exception.' },
    ]);
    assert.deepEqual(detail.facets, {
      environment: [{ value: 'open sea', count: 3 }],
      level: [{ value: 'error', count: 3 }],
      release: [{ value: 'ship@1.2.0', count: 3 }],
    });
  });

  it('events: payloads that are no longer stored are null', async () => {
    const { store } = server.platform;
    const error = errors['dive'];
    assert.ok(error);
    store.run(
      `DELETE FROM tracked_payloads WHERE event_id = (SELECT MIN(id) FROM tracked_events WHERE grouping_id IN
         (SELECT id FROM tracked_groupings WHERE error_id = :id))`,
      { id: error.id },
    );
    const read = async (sort: string): Promise<unknown> => {
      const response = await ask('reporter', 'GET', `/${error.fingerprint}/events?sort=${sort}`);
      const list = response.json();
      assert.ok(Array.isArray(list));
      return list.map(({ level, payload }) => [level, payload?.logger]);
    };
    assert.deepEqual(await read('desc'), [
      ['error', 'ship'],
      ['fatal', undefined],
    ]);
    assert.deepEqual(await read('asc'), [
      ['fatal', undefined],
      ['error', 'ship'],
    ]);
  });

  it('events can be limited to a range of time', async () => {
    const { project } = projectWith(server.platform, people.owner, { name: 'Log book' });
    writeSettings(server.platform, project.id, { active: true, integrated: true });
    const at = Date.UTC(2027, 0, 1);
    const occur = (hour: number): TrackedError =>
      reportError(server.platform, project.id, { ...fullEvent('sail'), occurredAt: at + hour * HOUR });
    for (const hour of [1, 2, 3]) occur(hour);
    const { fingerprint } = occur(27);
    const read = async (query: Readonly<Record<string, string>>): Promise<unknown> => {
      const events = `/api/v4/projects/${project.id}/error_tracking/errors/${fingerprint}/events`;
      const response = await server.request('GET', `${events}?${new URLSearchParams(query).toString()}`, {
        token: people.owner.token,
      });
      const list = response.json();
      assert.ok(Array.isArray(list), response.text);
      return list.map(({ occurred_at: time }) => (Date.parse(time) - at) / HOUR);
    };
    const [second, third] = ['2027-01-01T02:00:00Z', '2027-01-01T03:00:00Z'];
    assert.deepEqual(await read({ occurred_after: second }), [27, 3, 2]);
    assert.deepEqual(await read({ occurred_before: third }), [2, 1]);
    assert.deepEqual(await read({ occurred_after: second, occurred_before: third }), [2]);
    assert.deepEqual(await read({ occurred_after: second, sort: 'asc', per_page: '2' }), [2, 3]);
    assert.deepEqual(await read({ occurred_after: third, occurred_before: second }), []);
    const detail = trackedErrorDetail().parse(
      (
        await server.request('GET', `/api/v4/projects/${project.id}/error_tracking/errors/${fingerprint}`, {
          token: people.owner.token,
        })
      ).json(),
    );
    assert.equal(detail.daily.length, 28);
    assert.deepEqual(
      detail.daily.filter(([, count]) => count !== 0),
      [
        [at / 1000, 3],
        [at / 1000 + 86_400, 1],
      ],
    );
  });

  it('a breadcrumb can have any time', async () => {
    const { project } = projectWith(server.platform, people.owner, { name: 'Odd times' });
    writeSettings(server.platform, project.id, { active: true, integrated: true });
    const crumb = { category: undefined, type: undefined, level: undefined, message: undefined, data: undefined };
    const { fingerprint } = reportError(server.platform, project.id, {
      ...fullEvent('sail'),
      breadcrumbs: [-1e14, 9.9e13, 0].map((at) => ({ ...crumb, at })),
    });
    const one = `/api/v4/projects/${project.id}/error_tracking/errors/${fingerprint}`;
    const response = await server.request('GET', one, { token: people.owner.token });
    assert.deepEqual(
      trackedErrorDetail()
        .parse(response.json())
        .latest_event?.payload?.breadcrumbs.map(({ timestamp }) => timestamp),
      [null, '5107-03-10T08:00:00.000Z', '1970-01-01T00:00:00.000Z'],
    );
  });

  it('tracked errors respond with 404 if error tracking is off', async () => {
    const { project } = projectWith(server.platform, people.owner, { name: 'Quiet' });
    const list = `/api/v4/projects/${project.id}/error_tracking/errors`;
    const error = reportError(server.platform, project.id, fullEvent('sail'));
    for (const settings of [undefined, { active: false, integrated: true }]) {
      if (settings !== undefined) writeSettings(server.platform, project.id, settings);
      for (const [method, location] of [
        ['GET', ''],
        ['GET', `/${error.fingerprint}`],
        ['GET', `/${error.fingerprint}/events`],
        ['PUT', `/${error.fingerprint}?status=resolved`],
        ['POST', `/${error.fingerprint}/merge?fingerprints=1`],
        ['POST', `/${error.fingerprint}/split?hash=1`],
      ] as const) {
        const response = await server.request(method, `${list}${location}`, { token: people.owner.token });
        assert.deepEqual([response.status, response.json()], [404, off], `${method} ${location}`);
      }
    }
  });

  it('the status of a tracked error can be changed, and errors can be merged and split', async () => {
    const { project } = projectWith(server.platform, people.owner, { name: 'Changed' });
    writeSettings(server.platform, project.id, { active: true, integrated: true });
    const sail = reportError(server.platform, project.id, fullEvent('sail'));
    const dive = reportError(server.platform, project.id, fullEvent('dive'));
    const hash = server.platform.store.get<{ readonly hash: Buffer }>(
      'SELECT hash FROM tracked_groupings WHERE error_id = :id AND event_count > 0',
      { id: dive.id },
    )?.hash;
    const one = `/api/v4/projects/${project.id}/error_tracking/errors/${sail.fingerprint}`;
    const change = async (method: string, rest: string, json: object, status: number, has: object): Promise<void> => {
      const response = await server.request(method, `${one}${rest}`, { token: people.owner.token, json });
      checkScenario(response, { name: rest, path: '', status, has });
    };
    await change('PUT', '', { status: 'resolved_in_next_release' }, 200, {
      status: 'resolved_in_next_release',
      status_releases: ['ship@1.2.0'],
      count_since_status: 0,
      ignored_until: null,
    });
    await change('PUT', '', { status: 'ignored', ignored_until: 'occurrences_per_hour', ignored_count: 4 }, 200, {
      status: 'ignored',
      ignored_until: 'occurrences_per_hour',
      ignored_count: 4,
      ignored_until_date: null,
    });
    await change('PUT', '', { status: 'ignored', ignored_until: 'date', ignored_until_date: '2028-01-01' }, 200, {
      ignored_until: 'date',
      ignored_count: null,
      ignored_until_date: '2028-01-01T00:00:00.000Z',
    });
    await change('POST', '/merge', { fingerprints: [dive.fingerprint, dive.fingerprint] }, 200, {
      fingerprint: sail.fingerprint,
      count: 2,
      user_count: 1,
      status: 'ignored',
    });
    await change('POST', '/split', { hash: hash?.toString('hex') }, 201, {
      fingerprint: dive.fingerprint,
      count: 1,
      title: 'ValueError: cannot dive',
      status: 'unresolved',
    });
  });
});
