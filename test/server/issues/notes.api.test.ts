import assert from 'node:assert/strict';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

const CLOCK = Date.UTC(2026, 4, 10, 9);
const NOTES = '/api/v4/projects/1/issues/1/notes';

describe('notes of an issue', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let rita: Actor;
  let otto: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(CLOCK);
    [ada, mia, rita, otto] = ['ada', 'mia', 'rita', 'otto'].map((name) => actor(server.platform, name)) as [
      Actor,
      Actor,
      Actor,
      Actor,
    ];
    projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [mia, 40],
      [rita, 20],
    ]);
    await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Lamp 7' } });
  });
  afterEach(() => server.close());

  const say = (who: Actor, json: object): Promise<TestResponse> => server.request('POST', NOTES, { token: who.token, json });
  const bodies = async (who: Actor, query = '?sort=asc'): Promise<string[]> =>
    ((await server.request('GET', `${NOTES}${query}`, { token: who.token })).json() as { body: string }[]).map(
      (note) => note.body,
    );

  it('a comment is returned with all attributes and updates the time of the issue', async () => {
    server.platform.clock.advance(60_000);
    const response = await say(otto, { body: 'The fuse is blown.' });
    assert.equal(response.status, 201, response.text);
    assert.deepEqual(response.json(), {
      id: 1,
      type: null,
      body: 'The fuse is blown.',
      attachment: null,
      author: {
        id: 5,
        username: 'otto',
        public_email: '',
        name: 'otto Example',
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${server.origin}/otto`,
      },
      created_at: '2026-05-10T09:01:00.000Z',
      updated_at: '2026-05-10T09:01:00.000Z',
      system: false,
      noteable_id: 1,
      noteable_type: 'Issue',
      project_id: 1,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      noteable_iid: 1,
      commands_changes: {},
    });
    const issue = (await server.request('GET', '/api/v4/projects/1/issues/1')).json();
    assert.partialDeepStrictEqual(issue, { user_notes_count: 1, updated_at: '2026-05-10T09:01:00.000Z' });
  });

  it('notes are listed newest first, and can be filtered by kind and sorted by update time', async () => {
    await say(ada, { body: 'one' });
    server.platform.clock.advance(1000);
    await say(ada, { body: 'two' });
    server.platform.clock.advance(1000);
    await server.request('PUT', '/api/v4/projects/1/issues/1', { token: ada.token, json: { state_event: 'close' } });
    server.platform.clock.advance(1000);
    await server.request('PUT', `${NOTES}/1`, { token: ada.token, json: { body: 'one, changed' } });
    assert.deepEqual(await bodies(rita, ''), ['closed', 'two', 'one, changed']);
    assert.deepEqual(await bodies(rita, '?activity_filter=only_comments'), ['two', 'one, changed']);
    assert.deepEqual(await bodies(rita, '?activity_filter=only_activity'), ['closed']);
    assert.deepEqual(await bodies(rita, '?order_by=updated_at'), ['one, changed', 'closed', 'two']);
    const page = await server.request('GET', `${NOTES}?per_page=2&page=2`, { token: rita.token });
    assert.equal((page.json() as unknown[]).length, 1);
    assert.equal(page.headers.get('x-total'), '3');
  });

  it('internal notes can be written and seen by reporters only, and are not counted for others', async () => {
    await say(ada, { body: 'for all' });
    assert.partialDeepStrictEqual((await say(rita, { body: 'for us', internal: true })).json(), {
      internal: true,
      confidential: true,
    });
    assert.equal((await say(otto, { body: 'x', internal: true })).status, 403);
    assert.equal((await say(otto, { body: 'x', confidential: true })).status, 403);
    assert.deepEqual(await bodies(mia), ['for all', 'for us']);
    assert.deepEqual(await bodies(otto), ['for all']);
    const list = await server.request('GET', NOTES, { token: otto.token });
    assert.equal(list.headers.get('x-total'), '1');
    const one = await server.request('GET', `${NOTES}/2`, { token: otto.token });
    assert.equal(one.status, 404);
    assert.deepEqual(one.json(), { message: '404 Not found' });
    assert.equal((await server.request('PUT', `${NOTES}/2`, { token: otto.token, json: { body: 'x' } })).status, 404);
  });

  it('comments are updated and deleted by authors and maintainers only, and system notes by nobody', async () => {
    await say(otto, { body: 'mine' });
    const change = (who: Actor, id: number): Promise<TestResponse> =>
      server.request('PUT', `${NOTES}/${id}`, { token: who.token, json: { body: `by ${who.user.username}` } });
    assert.partialDeepStrictEqual((await change(otto, 1)).json(), { body: 'by otto' });
    assert.partialDeepStrictEqual((await change(mia, 1)).json(), { body: 'by mia', author: { username: 'otto' } });
    assert.equal((await change(rita, 1)).status, 403);
    await server.request('PUT', '/api/v4/projects/1/issues/1', { token: ada.token, json: { state_event: 'close' } });
    assert.equal((await change(ada, 2)).status, 403);
    assert.equal((await server.request('DELETE', `${NOTES}/2`, { token: ada.token })).status, 403);
    assert.equal((await server.request('DELETE', `${NOTES}/1`, { token: rita.token })).status, 403);
    assert.equal((await server.request('DELETE', `${NOTES}/1`, { token: otto.token })).status, 204);
    assert.equal((await server.request('DELETE', `${NOTES}/1`, { token: otto.token })).status, 404);
  });

  it('deleting a comment deletes its event', async () => {
    await say(otto, { body: 'mine' });
    const events = async (): Promise<number> =>
      ((await server.request('GET', '/api/v4/users/otto/events', { token: otto.token })).json() as unknown[]).length;
    assert.equal(await events(), 1);
    await server.request('DELETE', `${NOTES}/1`, { token: otto.token });
    assert.equal(await events(), 0);
  });

  it('the creation time of a comment is respected for owners and administrators only', async () => {
    const json = { body: 'x', created_at: '2020-01-02T03:04:05Z' };
    assert.partialDeepStrictEqual((await say(mia, json)).json(), { created_at: '2026-05-10T09:00:00.000Z' });
    assert.partialDeepStrictEqual((await say(ada, json)).json(), {
      created_at: '2020-01-02T03:04:05.000Z',
      updated_at: '2020-01-02T03:04:05.000Z',
    });
  });

  scenarios(
    () => server,
    [
      {
        name: 'a token is required even in a public project, and checked before parameters',
        path: `${NOTES}?sort=odd`,
        status: 401,
        body: { message: '401 Unauthorized' },
      },
      {
        name: 'a comment requires a text',
        method: 'POST',
        path: NOTES,
        token: admin,
        json: {},
        status: 400,
        body: { error: 'body is missing' },
      },
      {
        name: 'the comment is empty',
        method: 'POST',
        path: NOTES,
        token: admin,
        json: { body: ' ' },
        status: 400,
        body: { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' },
      },
      {
        name: 'the issue does not exist',
        method: 'POST',
        path: '/api/v4/projects/1/issues/9/notes',
        token: admin,
        json: { body: 'x' },
        status: 404,
        body: { message: '404 Not found' },
      },
      { name: 'the note does not exist', path: `${NOTES}/9`, token: admin, status: 404, body: { message: '404 Not found' } },
      {
        name: 'the filter is unknown',
        path: `${NOTES}?activity_filter=some`,
        token: admin,
        status: 400,
        body: { error: 'activity_filter does not have a valid value' },
      },
    ],
  );
});
