import assert from 'node:assert/strict';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

const ISSUE = '/api/v4/projects/1/issues/1';
const THREADS = `${ISSUE}/discussions`;

interface Note {
  readonly id: number;
  readonly type: string | null;
  readonly body: string;
  readonly internal: boolean;
}

interface Discussion {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: readonly Note[];
}

describe('discussions of an issue', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let otto: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    otto = actor(server.platform, 'otto');
    projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[rita, 20]]);
    await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Lamp 7' } });
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, who: Actor, json?: object): Promise<TestResponse> =>
    server.request(method, path, { token: who.token, ...(json === undefined ? {} : { json }) });
  const begin = async (who: Actor, body: string): Promise<Discussion> => {
    const response = await send('POST', THREADS, who, { body });
    assert.equal(response.status, 201, response.text);
    return response.json() as Discussion;
  };
  const threads = async (who: Actor, query = ''): Promise<[boolean, ...string[]][]> =>
    ((await send('GET', `${THREADS}${query}`, who)).json() as Discussion[]).map(({ individual_note, notes }) => [
      individual_note,
      ...notes.map((note) => `${note.type ?? 'plain'}: ${note.body}`),
    ]);

  it('threads with replies are listed with comments and system notes', async () => {
    const thread = await begin(otto, 'Which fuse?');
    assert.match(thread.id, /^[0-9a-f]{40}$/);
    assert.equal(thread.individual_note, false);
    assert.partialDeepStrictEqual(thread.notes[0], { type: 'DiscussionNote', resolvable: false, noteable_type: 'Issue' });
    await send('POST', `${ISSUE}/notes`, rita, { body: 'Seen it.' });
    await send('PUT', ISSUE, ada, { state_event: 'close' });
    const response = await send('POST', `${THREADS}/${thread.id}/notes`, rita, { body: 'The left one.' });
    assert.equal(response.status, 201, response.text);
    assert.partialDeepStrictEqual(response.json(), {
      type: 'DiscussionNote',
      body: 'The left one.',
      author: { username: 'rita' },
    });
    assert.deepEqual(await threads(otto), [
      [false, 'DiscussionNote: Which fuse?', 'DiscussionNote: The left one.'],
      [true, 'plain: Seen it.'],
      [true, 'plain: closed'],
    ]);
    assert.deepEqual(await threads(otto, '?per_page=1&page=2'), [[true, 'plain: Seen it.']]);
    const one = (await send('GET', `${THREADS}/${thread.id}`, otto)).json() as Discussion;
    const notes = (await send('GET', `${THREADS}/${thread.id}/notes`, otto)).json() as Note[];
    assert.deepEqual(notes, one.notes);
    assert.equal(notes.length, 2);
  });

  it('a reply turns a comment into a thread; system notes accept no replies', async () => {
    await send('POST', `${ISSUE}/notes`, otto, { body: 'Seen it.' });
    await send('PUT', ISSUE, ada, { state_event: 'close' });
    const [plain, system] = (await send('GET', THREADS, otto)).json() as Discussion[];
    await send('POST', `${THREADS}/${plain?.id}/notes`, rita, { body: 'When?' });
    assert.deepEqual((await threads(otto))[0], [false, 'DiscussionNote: Seen it.', 'DiscussionNote: When?']);
    const refused = await send('POST', `${THREADS}/${system?.id}/notes`, rita, { body: 'Why?' });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json(), { message: '400 Bad request - Discussion can not be replied to.' });
  });

  it('replies to an internal comment are internal, and the thread is visible to reporters only', async () => {
    await send('POST', `${ISSUE}/notes`, rita, { body: 'Among us.', internal: true });
    const [{ id } = { id: '' }] = (await send('GET', THREADS, rita)).json() as Discussion[];
    const response = (await send('POST', `${THREADS}/${id}/notes`, ada, { body: 'Yes.' })).json() as Note;
    assert.equal(response.internal, true);
    assert.deepEqual(await threads(otto), []);
    assert.equal((await send('GET', THREADS, otto)).headers.get('x-total'), '0');
    for (const [method, path] of [
      ['GET', `${THREADS}/${id}`],
      ['POST', `${THREADS}/${id}/notes`],
    ] as const) {
      const hidden = await send(method, path, otto, method === 'POST' ? { body: 'x' } : undefined);
      assert.deepEqual([hidden.status, hidden.json()], [404, { message: '404 Discussion Not Found' }]);
    }
    assert.equal((await send('GET', `${THREADS}/${id}/notes/${response.id}`, otto)).status, 404);
  });

  it('notes of a thread can be read, updated and deleted only in their own thread', async () => {
    const thread = await begin(otto, 'Which fuse?');
    const other = await begin(otto, 'Which lamp?');
    const id = thread.notes[0]?.id;
    assert.equal((await send('GET', `${THREADS}/${other.id}/notes/${id}`, otto)).status, 404);
    assert.equal((await send('PUT', `${THREADS}/${other.id}/notes/${id}`, otto, { body: 'x' })).status, 404);
    assert.equal((await send('PUT', `${THREADS}/${thread.id}/notes/${id}`, rita, { body: 'x' })).status, 403);
    const changed = await send('PUT', `${THREADS}/${thread.id}/notes/${id}`, otto, { body: 'Which one?' });
    assert.partialDeepStrictEqual(changed.json(), { id, body: 'Which one?' });
    const nothing = await send('PUT', `${THREADS}/${thread.id}/notes/${id}`, otto, {});
    assert.deepEqual([nothing.status, nothing.json()], [400, { error: 'body is missing' }]);
    assert.equal((await send('DELETE', `${THREADS}/${thread.id}/notes/${id}`, otto)).status, 204);
    assert.deepEqual(await threads(otto), [[false, 'DiscussionNote: Which lamp?']]);
  });

  it('the event of a thread has the type DiscussionNote, which the filter target_type=note excludes', async () => {
    await begin(otto, 'Which fuse?');
    await send('POST', `${ISSUE}/notes`, otto, { body: 'Seen it.' });
    const types = async (query: string): Promise<unknown[]> =>
      (
        (await server.request('GET', `/api/v4/users/otto/events${query}`, { token: otto.token })).json() as {
          target_type: string;
        }[]
      ).map((event) => event.target_type);
    assert.deepEqual(await types(''), ['Note', 'DiscussionNote']);
    assert.deepEqual(await types('?target_type=note'), ['Note']);
  });

  describe('quick actions', () => {
    const say = async (who: Actor, body: string): Promise<unknown> => {
      const response = await send('POST', `${ISSUE}/notes`, who, { body });
      return response.status === 202 ? response.json() : response.status;
    };
    const done = (...summary: string[]) => ({ commands_changes: {}, summary });
    const issue = async (): Promise<object> => (await send('GET', ISSUE, ada)).json() as object;

    it('quick actions are applied, and a comment without other text is not stored', async () => {
      assert.deepEqual(await say(ada, '/close'), done('Closed this issue.'));
      assert.partialDeepStrictEqual(await issue(), { state: 'closed', user_notes_count: 0 });
      assert.deepEqual(
        await say(rita, '/reopen\n/title Lamp 8\n/label ~b ~"a c"\n/assign @rita @ada\n/due 2026-06-01\n/confidential'),
        done(
          'Reopened this issue.',
          'Changed the title to "Lamp 8".',
          'Added ~b ~"a c" labels.',
          'Assigned @rita @ada.',
          'Set the due date to 2026-06-01.',
          'Made this issue confidential.',
        ),
      );
      assert.partialDeepStrictEqual(await issue(), {
        state: 'opened',
        title: 'Lamp 8',
        labels: ['a c', 'b'],
        assignees: [{ username: 'ada' }, { username: 'rita' }],
        due_date: '2026-06-01',
        confidential: true,
      });
      assert.deepEqual(
        await say(rita, '/unlabel ~b\n/unassign @ada\n/remove_due_date'),
        done('Removed ~b label.', 'Removed assignee @ada.', 'Removed the due date.'),
      );
      const after = await issue();
      assert.partialDeepStrictEqual(after, { due_date: null });
      assert.deepEqual(Reflect.get(after, 'labels'), ['a c']);
      assert.equal((Reflect.get(after, 'assignees') as unknown[]).length, 1);
      assert.deepEqual(
        await say(rita, '/relabel x\n/reassign @ada'),
        done('Replaced all labels with ~x label.', 'Changed assignee(s) to @ada.'),
      );
    });

    it('quick actions are removed from the text of a comment', async () => {
      const response = await send('POST', `${ISSUE}/notes`, ada, { body: 'It shines again.\n/close' });
      assert.equal(response.status, 201);
      assert.partialDeepStrictEqual(response.json(), { body: 'It shines again.' });
      assert.partialDeepStrictEqual(await issue(), { state: 'closed', user_notes_count: 1 });
    });

    it('quick actions that are not permitted or have no effect change nothing', async () => {
      assert.deepEqual(await say(otto, '/close'), done('Could not apply close command.'));
      assert.deepEqual(await say(otto, '/label ~bug'), done('Could not apply label command.'));
      assert.deepEqual(await say(ada, '/reopen'), done('Could not apply reopen command.'));
      assert.deepEqual(await say(ada, '/assign @nobody'), done('Could not apply assign command.'));
      assert.deepEqual(await say(ada, '/due tomorrow'), done('Could not apply due command.'));
      assert.partialDeepStrictEqual(await issue(), { state: 'opened', user_notes_count: 0 });
    });

    it('unknown quick actions are text', async () => {
      assert.equal(await say(ada, '/shrug'), 201);
      assert.partialDeepStrictEqual(await issue(), { user_notes_count: 1 });
    });
  });

  scenarios(
    () => server,
    [
      { name: 'a token is required', path: THREADS, status: 401, body: { message: '401 Unauthorized' } },
      {
        name: 'a thread requires a text',
        method: 'POST',
        path: THREADS,
        token: admin,
        json: {},
        status: 400,
        body: { error: 'body is missing' },
      },
      {
        name: 'the thread does not exist',
        path: `${THREADS}/0123`,
        token: admin,
        status: 404,
        body: { message: '404 Discussion Not Found' },
      },
      {
        name: 'the thread of the notes does not exist',
        path: `${THREADS}/0123/notes`,
        token: admin,
        status: 404,
        body: { message: '404 Notes Not Found' },
      },
      {
        name: 'threads of an issue cannot be resolved',
        method: 'PUT',
        path: `${THREADS}/0123`,
        token: admin,
        json: { resolved: true },
        status: 404,
        body: { error: '404 Not Found' },
      },
    ],
  );
});
