import assert from 'node:assert/strict';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

describe('actions on issues', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let gus: Actor;
  let otto: Actor;

  /** Projects 1 and 2 belong to ada, with rita as reporter. Project 1 is public, with gus as guest. */
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
    [ada, rita, gus, otto] = ['ada', 'rita', 'gus', 'otto'].map((name) => actor(platform, name)) as [Actor, Actor, Actor, Actor];
    projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [rita, 20],
      [gus, 10],
    ]);
    projectWith(platform, ada, { name: 'Other' }, [[rita, 20]]);
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, who: Actor | undefined, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  const open = async (json: object, who: Actor = ada, project = 1): Promise<Record<string, unknown>> => {
    const response = await send('POST', `/projects/${project}/issues`, who, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as Record<string, unknown>;
  };
  const bodies = async (path: string): Promise<string[]> =>
    ((await send('GET', `${path}/notes?sort=asc`, ada)).json() as { body: string }[]).map(({ body }) => body);

  it('participants are subscribed to an issue until they unsubscribe', async () => {
    await open({ title: 'a', assignee_ids: [rita.user.id] });
    await send('POST', '/projects/1/issues/1/notes', otto, { body: 'Me too' });
    const subscribed = async (who: Actor | undefined) =>
      ((await send('GET', '/projects/1/issues/1', who)).json() as { subscribed: boolean }).subscribed;
    for (const [who, wanted] of [
      [ada, true],
      [rita, true],
      [otto, true],
      [gus, false],
      [undefined, false],
    ] as const) {
      assert.equal(await subscribed(who), wanted, who?.user.username);
    }
    for (const [who, action, status] of [
      [ada, 'subscribe', 304],
      [ada, 'unsubscribe', 201],
      [ada, 'unsubscribe', 304],
      [ada, 'subscribe', 201],
      [gus, 'subscribe', 201],
      [gus, 'subscribe', 304],
    ] as const) {
      const response = await send('POST', `/projects/1/issues/1/${action}`, who);
      assert.equal(response.status, status, `${who.user.username} ${action}`);
      assert.equal(await subscribed(who), action === 'subscribe');
    }
    assert.equal((await send('POST', '/projects/1/issues/7/subscribe', ada)).status, 404);
    assert.equal((await send('POST', '/projects/1/issues/1/subscribe', undefined)).status, 401);
  });

  it('participants of an issue are author, assignees and commenters, those of internal notes only for users who can see them', async () => {
    await open({ title: 'a', assignee_ids: [gus.user.id] }, otto);
    await send('POST', '/projects/1/issues/1/notes', rita, { body: 'psst', internal: true });
    await send('PUT', '/projects/1/issues/1', ada, { state_event: 'close' });
    const names = async (who?: Actor) =>
      ((await send('GET', '/projects/1/issues/1/participants', who)).json() as { username: string }[]).map(
        ({ username }) => username,
      );
    assert.deepEqual(await names(ada), ['rita', 'otto']);
    assert.deepEqual(await names(), ['otto']);
  });

  it('administrators can read an issue by its ID', async () => {
    await open({ title: 'a' }, ada, 2);
    await open({ title: 'b' }, ada, 2);
    const response = await server.request('GET', '/api/v4/issues/2', { token: admin });
    assert.partialDeepStrictEqual(response.json(), { id: 2, iid: 2, title: 'b' });
    assert.equal((await server.request('GET', '/api/v4/issues/7', { token: admin })).status, 404);
    assert.equal((await send('GET', '/issues/2', ada)).status, 403);
  });

  it('weight, type and lock of an issue can be set and removed', async () => {
    const made = await open({ title: 'a', weight: 3, issue_type: 'incident' });
    assert.partialDeepStrictEqual(made, { weight: 3, issue_type: 'incident', type: 'INCIDENT', discussion_locked: null });
    assert.partialDeepStrictEqual(await open({ title: 'b', weight: 3 }, otto), { weight: null });
    const change = async (json: object, who = ada) => (await send('PUT', '/projects/1/issues/1', who, json)).json();
    assert.partialDeepStrictEqual(await change({ title: 'a2' }), { weight: 3, issue_type: 'incident' });
    assert.partialDeepStrictEqual(await change({ weight: 0, issue_type: 'issue', discussion_locked: true }), {
      weight: 0,
      issue_type: 'issue',
      discussion_locked: true,
    });
    assert.partialDeepStrictEqual(await change({ weight: null }), { weight: null, discussion_locked: true });
    assert.deepEqual(await change({ weight: -1 }), { message: { weight: ['must be greater than or equal to 0'] } });
    const tooLarge = ['must be less than or equal to 2147483647'];
    assert.deepEqual(await change({ weight: 2_147_483_648 }), { message: { weight: tooLarge } });
    assert.deepEqual(await change({ weight: 1e300 }), { error: 'weight is invalid' });
    const far = await send('POST', '/projects/1/issues', ada, { title: 'c', iid: 2 ** 53 - 1 });
    assert.deepEqual([far.status, far.json()], [400, { message: { iid: tooLarge } }]);
    assert.equal((await send('POST', '/projects/1/issues/1/notes', otto, { body: 'x' })).status, 403);
    assert.equal((await send('POST', '/projects/1/issues/1/notes', gus, { body: 'x' })).status, 201);
    assert.partialDeepStrictEqual(await change({ discussion_locked: false }), { discussion_locked: false });
    assert.equal((await send('POST', '/projects/1/issues/1/notes', otto, { body: 'x' })).status, 201);
  });

  it('time on an issue can be estimated and spent, with system notes', async () => {
    await open({ title: 'a' });
    const post = (what: string, json?: object, who = rita) => send('POST', `/projects/1/issues/1/${what}`, who, json);
    const stats = (estimate: number, spent: number, human: readonly (string | null)[]) => ({
      time_estimate: estimate,
      total_time_spent: spent,
      human_time_estimate: human[0],
      human_total_time_spent: human[1],
    });
    for (const [what, json, status, body] of [
      ['time_estimate', { duration: '1d 2h' }, 200, stats(36_000, 0, ['1d 2h', null])],
      ['add_spent_time', { duration: '3h30m' }, 201, stats(36_000, 12_600, ['1d 2h', '3h 30m'])],
      ['add_spent_time', { duration: '-30m', summary: 'too much' }, 201, stats(36_000, 10_800, ['1d 2h', '3h'])],
      [
        'add_spent_time',
        { duration: '-4h' },
        400,
        { message: { time_spent: ['Time to subtract exceeds the total time spent'] } },
      ],
      ['add_spent_time', { duration: 'soon' }, 400, { message: '400 Bad request' }],
      ['add_spent_time', {}, 400, { error: 'duration is missing' }],
      ['time_estimate', { duration: 'soon' }, 400, { message: { time_estimate: ['must have a valid format'] } }],
      ['reset_time_estimate', undefined, 200, stats(0, 10_800, [null, '3h'])],
      ['reset_spent_time', undefined, 200, stats(0, 0, [null, null])],
    ] as const) {
      const response = await post(what, json);
      assert.deepEqual([response.status, response.json()], [status, body], `${what} ${JSON.stringify(json)}`);
    }
    await post('time_estimate', { duration: '1h' });
    assert.deepEqual((await send('GET', '/projects/1/issues/1/time_stats', undefined)).json(), stats(3600, 0, ['1h', null]));
    assert.partialDeepStrictEqual((await send('GET', '/projects/1/issues/1', undefined)).json(), {
      time_stats: stats(3600, 0, ['1h', null]),
    });
    assert.deepEqual(await bodies('/projects/1/issues/1'), [
      'changed time estimate to 1d 2h',
      'added 3h 30m of time spent',
      'subtracted 30m of time spent',
      'removed time estimate',
      'removed time spent',
      'changed time estimate to 1h',
    ]);
    for (const who of [gus, otto]) assert.equal((await post('add_spent_time', { duration: '1h' }, who)).status, 403);
  });

  it('moving an issue closes it and opens a copy, with the attributes that exist in both projects', async () => {
    for (const project of [1, 2]) {
      await send('POST', `/projects/${project}/labels`, ada, { name: 'shared', color: 'red' });
      await send('POST', `/projects/${project}/milestones`, ada, { title: 'soon' });
    }
    const input = {
      title: 'a',
      description: 'dark',
      labels: 'shared,mine',
      milestone_id: 1,
      weight: 2,
      due_date: '2026-06-01',
      assignee_ids: [gus.user.id, rita.user.id],
      confidential: true,
    };
    await open(input);
    await send('POST', '/projects/1/issues/1/notes', otto, { body: 'not there' });
    await send('POST', '/projects/1/issues/1/notes', ada, { body: 'a fuse' });
    server.platform.clock.advance(60_000);
    const moved = await send('POST', '/projects/1/issues/1/move', rita, { to_project_id: 2 });
    assert.equal(moved.status, 201, moved.text);
    const issue = moved.json() as Record<string, unknown>;
    assert.partialDeepStrictEqual(issue, {
      id: 2,
      iid: 1,
      project_id: 2,
      title: 'a',
      description: 'dark',
      state: 'opened',
      created_at: '2026-05-10T09:00:00.000Z',
      labels: ['shared'],
      milestone: { id: 2, title: 'soon' },
      weight: 2,
      due_date: '2026-06-01',
      confidential: true,
      author: { username: 'ada' },
      moved_to_id: null,
    });
    assert.deepEqual(
      (issue['assignees'] as { username: string }[]).map(({ username }) => username),
      ['rita'],
    );
    assert.deepEqual(await bodies('/projects/2/issues/1'), ['a fuse', 'moved from ada/lamps#1']);
    assert.partialDeepStrictEqual((await send('GET', '/projects/1/issues/1', ada)).json(), { state: 'closed', moved_to_id: 2 });
    assert.deepEqual(await bodies('/projects/1/issues/1'), ['a fuse', 'moved to ada/other#1', 'closed']);
    for (const [who, target, status, message] of [
      [rita, 1, 400, 'Cannot move issue to project it originates from!'],
      [rita, 99, 404, '404 Project Not Found'],
    ] as const) {
      const refused = await send('POST', '/projects/1/issues/1/move', who, { to_project_id: target });
      assert.deepEqual([refused.status, refused.json()], [status, { message }]);
    }
    await open({ title: 'b' }, ada, 2);
    await open({ title: 'c' }, gus);
    const refused = await send('POST', '/projects/1/issues/2/move', gus, { to_project_id: 1 });
    assert.equal(refused.status, 400);
    assert.equal((await send('POST', '/projects/1/issues/2/clone', gus, { to_project_id: 1 })).status, 400);
  });

  it('cloning an issue keeps it open, and copies its notes on request', async () => {
    await open({ title: 'a', labels: 'x' });
    await send('POST', '/projects/1/issues/1/notes', ada, { body: 'a fuse' });
    server.platform.clock.advance(60_000);
    const clone = (json: object) => send('POST', '/projects/1/issues/1/clone', rita, json);
    assert.partialDeepStrictEqual((await clone({ to_project_id: 1 })).json(), {
      iid: 2,
      labels: ['x'],
      created_at: '2026-05-10T09:01:00.000Z',
      author: { username: 'rita' },
    });
    assert.deepEqual(await bodies('/projects/1/issues/2'), ['cloned from ada/lamps#1']);
    assert.equal((await clone({ to_project_id: 2, with_notes: true })).status, 201);
    assert.deepEqual(await bodies('/projects/2/issues/1'), ['a fuse', 'cloned to ada/lamps#2', 'cloned from ada/lamps#1']);
    assert.partialDeepStrictEqual((await send('GET', '/projects/1/issues/1', ada)).json(), {
      state: 'opened',
      moved_to_id: null,
    });
  });

  it('issues can be moved after, before and between others any number of times', async () => {
    for (const title of ['a', 'b', 'c', 'd']) await open({ title });
    await open({ title: 'elsewhere' }, ada, 2);
    const order = async () =>
      ((await send('GET', '/projects/1/issues?order_by=relative_position&sort=asc', ada)).json() as { title: string }[])
        .map(({ title }) => title)
        .join(' ');
    const put = (iid: number, json: object, who = rita) => send('PUT', `/projects/1/issues/${iid}/reorder`, who, json);
    assert.equal(await order(), 'a b c d');
    for (const [iid, json, wanted] of [
      [4, { move_after_id: 1 }, 'a d b c'],
      [1, { move_before_id: 3 }, 'd b a c'],
      [3, { move_after_id: 4, move_before_id: 2 }, 'd c b a'],
      [1, { move_before_id: 4 }, 'a d c b'],
      [1, { move_after_id: 2 }, 'd c b a'],
    ] as const) {
      const response = await put(iid, json);
      assert.equal(response.status, 200, response.text);
      assert.equal(await order(), wanted, `${iid} ${JSON.stringify(json)}`);
    }
    // More often than the gap between two positions allows.
    for (let round = 0; round < 12; round += 1) {
      await put(1, { move_after_id: 4, move_before_id: 3 });
      await put(2, { move_after_id: 4, move_before_id: 1 });
      assert.equal(await order(), 'd b a c');
    }
    server.platform.store.run('UPDATE issues SET relative_position = NULL WHERE iid > 2 AND project_id = 1');
    await put(4, { move_after_id: 3 });
    assert.equal(await order(), 'b a c d');
    assert.equal((await put(1, { move_after_id: 5 })).status, 404);
    assert.equal((await put(1, {})).status, 400);
    assert.equal((await put(1, { move_after_id: 2 }, gus)).status, 403);
  });
});
