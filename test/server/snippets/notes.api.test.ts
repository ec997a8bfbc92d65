import assert from 'node:assert/strict';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { setArchived } from '../../../server/features/projects/manageProjects.ts';
import { type Visibility } from '../../../server/features/abilities/abilities.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

interface Event {
  readonly target_type: string | null;
  readonly target_title: string | null;
  readonly note?: { readonly body: string; readonly noteable_type: string };
}

describe('comments on snippets of a project', () => {
  let server: TestServer;
  /** The owner, a guest, a user who is not a member, and an external user who is not a member. */
  let ada: Actor;
  let gus: Actor;
  let otto: Actor;
  let outsider: Actor;
  let project: ReturnType<typeof projectWith>;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, gus, otto] = ['ada', 'gus', 'otto'].map((name) => actor(platform, name)) as [Actor, Actor, Actor];
    outsider = actor(platform, 'outsider', { external: true });
    project = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [[gus, 10]]);
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, who?: Actor, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  const make = async (visibility: Visibility): Promise<string> => {
    const files = [{ path: 'lamp.txt', content: 'red' }];
    const input = { projectId: 1, title: visibility, visibility, files };
    return `/projects/1/snippets/${(await createSnippet(server.platform, ada.user, input)).id}`;
  };
  const feed = async (who?: Actor): Promise<Event[]> =>
    (await send('GET', '/projects/1/events?action=commented&sort=asc', who)).json() as Event[];
  const titles = async (who?: Actor): Promise<string> => (await feed(who)).map((event) => event.target_title).join(' ');

  it('comments on snippets of a project can be written by signed-in users who can see the snippet, and appear in the feed', async () => {
    const path = await make('public');
    assert.equal((await send('POST', `${path}/notes`, undefined, { body: 'Nice.' })).status, 401);
    const note = await send('POST', `${path}/notes`, otto, { body: 'Nice.\n/close' });
    assert.equal(note.status, 201, note.text);
    assert.partialDeepStrictEqual(note.json(), {
      type: null,
      body: 'Nice.\n/close',
      noteable_type: 'Snippet',
      noteable_id: 1,
      noteable_iid: null,
      project_id: 1,
      resolvable: false,
    });
    assert.equal((await send('POST', `${path}/discussions`, gus, { body: 'Why red?' })).status, 201);
    assert.equal((await send('POST', `${path}/notes`, gus, { body: 'Ours', internal: true })).status, 403);
    assert.deepEqual(
      (await feed()).map(({ target_type: type, target_title: title, note: about }) => [
        type,
        title,
        about?.body,
        about?.noteable_type,
      ]),
      [
        ['Note', 'public', 'Nice.\n/close', 'Snippet'],
        ['DiscussionNote', 'public', 'Why red?', 'Snippet'],
      ],
    );
    assert.equal((await send('PUT', `${path}/notes/1`, gus, { body: 'Mine' })).status, 403);
    assert.equal((await send('PUT', `${path}/notes/1`, otto, { body: 'Very nice.' })).status, 200);
    assert.equal((await send('DELETE', `${path}/notes/1`, ada)).status, 204);
    assert.equal((await feed()).length, 1);
    setArchived(server.platform, seenBy(server.platform, project, ada).project, true);
    assert.equal((await send('POST', `${path}/notes`, otto, { body: 'Late.' })).status, 403);
  });

  it('comments on snippets of a project are visible, also in feeds, to users who can currently see the snippet', async () => {
    const [open, inner, own] = [await make('public'), await make('internal'), await make('private')];
    for (const path of [open, inner, own]) await send('POST', `${path}/notes`, ada, { body: 'Look.' });
    for (const [who, seen] of [
      [ada, 'public internal private'],
      [gus, 'public internal private'],
      [otto, 'public internal'],
      [outsider, 'public'],
      [undefined, 'public'],
    ] as const) {
      assert.equal(await titles(who), seen, who?.user.username);
    }
    assert.equal((await send('GET', `${own}/notes`, otto)).status, 404);
    assert.equal((await send('GET', `${inner}/notes`, outsider)).status, 404);
    assert.equal((await send('PUT', open, ada, { visibility: 'private', title: 'Closed' })).status, 200);
    assert.equal((await send('PUT', own, ada, { visibility: 'public', title: 'Open' })).status, 200);
    assert.deepEqual([await titles(otto), await titles(), await titles(gus)], ['internal Open', 'Open', 'Closed internal Open']);
    assert.equal((await send('DELETE', own, ada)).status, 204);
    assert.deepEqual([await titles(gus), server.platform.store.all('SELECT id FROM notes').length], ['Closed internal', 2]);
  });
});
