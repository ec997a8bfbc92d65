import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('comments on commits', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let reporter: Actor;
  let guest: Actor;
  let stranger: Actor;
  let found: FoundProject;
  let sha: string;
  let count = 0;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [owner, developer, reporter, guest, stranger] = [
      actor(platform, 'ada'),
      actor(platform, 'bob'),
      actor(platform, 'cleo'),
      actor(platform, 'dan'),
      actor(platform, 'eve'),
    ];
    found = projectWith(platform, owner, { name: 'Lamps' }, [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ]);
    await commitFiles(platform, found, owner, { 'lamps.txt': 'one\ntwo\n' });
  });
  after(() => server.close());
  // Each test has its own commit, by the developer.
  beforeEach(async () => {
    count += 1;
    const files = { [`file${count}.txt`]: 'one\ntwo\n' };
    sha = await commitFiles(server.platform, found, developer, files, {
      branch: `topic${count}`,
      startBranch: 'main',
      message: 'Dim lamps',
    });
  });

  const at = (rest: string): string => `/api/v4/projects/${found.project.id}/repository/commits/${sha}${rest}`;
  const send = async (method: string, rest: string, who: Actor, json?: object): Promise<Record<string, unknown>> => {
    const response = await server.request(method, at(rest), { token: who.token, ...(json === undefined ? {} : { json }) });
    assert.ok(response.status < 300, `${response.status} ${response.text}`);
    return response.text === '' ? {} : Object(response.json());
  };
  const listOf = async (path: string, who: Actor): Promise<Record<string, unknown>[]> => {
    const response = await server.request('GET', path, { token: who.token });
    assert.equal(response.status, 200, response.text);
    const items = response.json();
    assert.ok(Array.isArray(items));
    return items.map((item: unknown) => Object(item));
  };
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('whoever reads the code comments and reads comments', async () => {
    const post = { method: 'POST', path: at('/comments'), json: { note: 'Nice' } };
    await check([
      { name: 'anonymous', ...post, status: 401 },
      { name: 'stranger', ...post, token: stranger.token, status: 404 },
      { name: 'guest', ...post, token: guest.token, status: 403 },
      { name: 'guest', path: at('/comments'), token: guest.token, status: 403 },
      { name: 'guest', path: at('/discussions'), token: guest.token, status: 403 },
      { name: 'no text', ...post, json: {}, token: reporter.token, status: 400, body: { error: 'note is missing' } },
      { name: 'blank', ...post, json: { note: ' ' }, token: reporter.token, status: 400 },
      { name: 'path without line', ...post, json: { note: 'a', path: 'a' }, token: reporter.token, status: 400 },
      {
        name: 'unknown commit',
        ...post,
        path: at('/comments').replace(sha, 'c0ffee'.padEnd(40, '0')),
        token: reporter.token,
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      {
        name: 'reporter',
        ...post,
        token: reporter.token,
        status: 201,
        has: { note: 'Nice', path: null, line: null, line_type: null, author: { username: 'cleo' } },
      },
    ]);
    assert.deepEqual(
      (await listOf(at('/comments'), reporter)).map(({ note }) => note),
      ['Nice'],
    );
  });

  it('a comment names a line that the commit changes, or the whole commit', async () => {
    const file = `file${count}.txt`;
    const line = { note: 'Here', path: file, line: 2, line_type: 'new' };
    assert.partialDeepStrictEqual(await send('POST', '/comments', reporter, line), { path: file, line: 2, line_type: 'new' });
    for (const missed of [
      { ...line, line: 3 },
      { ...line, line_type: 'old' },
      { ...line, path: 'lamps.txt' },
    ]) {
      assert.partialDeepStrictEqual(await send('POST', '/comments', reporter, missed), { path: null, line: null });
    }
    const [first] = await listOf(at('/discussions'), reporter);
    assert.partialDeepStrictEqual(first, {
      notes: [{ type: 'DiffNote', position: { new_path: file, new_line: 2, head_sha: sha } }],
    });
  });

  it('discussions have replies, which their authors change and delete', async () => {
    const thread = await send('POST', '/discussions', reporter, { body: 'Why dim?' });
    assert.partialDeepStrictEqual(thread, {
      individual_note: false,
      notes: [
        {
          type: 'DiscussionNote',
          noteable_type: 'Commit',
          noteable_id: null,
          commit_id: sha,
          noteable_iid: null,
          resolvable: false,
        },
      ],
    });
    const path = `/discussions/${String(thread['id'])}`;
    const reply = await send('POST', `${path}/notes`, developer, { body: 'To sleep' });
    const one = `${path}/notes/${String(reply['id'])}`;
    await check([
      { name: 'foreign', method: 'PUT', path: at(one), token: reporter.token, json: { body: 'No' }, status: 403 },
      {
        name: 'own',
        method: 'PUT',
        path: at(one),
        token: developer.token,
        json: { body: 'To dream' },
        status: 200,
        has: { body: 'To dream' },
      },
      { name: 'maintainer', method: 'DELETE', path: at(one), token: owner.token, status: 204 },
      { name: 'gone', path: at(one), token: reporter.token, status: 404 },
      { name: 'no notes', path: at('/notes'), token: reporter.token, status: 404 },
    ]);
    const position = {
      base_sha: sha,
      start_sha: sha,
      head_sha: sha,
      position_type: 'text',
      new_path: `file${count}.txt`,
      new_line: 1,
    };
    assert.partialDeepStrictEqual(await send('POST', '/discussions', reporter, { body: 'Line', position }), {
      notes: [{ type: 'DiffNote', position: { new_line: 1 } }],
    });
    const elsewhere = { ...position, new_path: 'lamps.txt' };
    const refused = await server.request('POST', at('/discussions'), {
      token: reporter.token,
      json: { body: 'No', position: elsewhere },
    });
    assert.equal(refused.status, 400, refused.text);
  });

  it('a comment is an activity event for those who read the code', async () => {
    await send('POST', '/comments', reporter, { note: `Seen ${count}` });
    const feed = `/api/v4/projects/${found.project.id}/events?target_type=note`;
    const [newest] = await listOf(feed, developer);
    assert.partialDeepStrictEqual(newest, {
      action_name: 'commented on',
      target_type: 'Note',
      target_title: 'Dim lamps',
      note: { body: `Seen ${count}`, noteable_type: 'Commit', noteable_id: null, commit_id: sha },
    });
    assert.deepEqual(await listOf(feed, guest), []);
  });

  it('the author of the commit, commenters and mentioned users are mailed', async () => {
    const mails = async (who: Actor): Promise<unknown[]> =>
      (await listOf('/api/v4/user/mails', who))
        .map(({ subject }) => subject)
        .filter((subject) => String(subject).includes(sha.slice(0, 8)));
    await send('POST', '/comments', reporter, { note: 'Look, @ada and @dan' });
    server.platform.schedule.runDue();
    const subject = `Lamps | Dim lamps (${sha.slice(0, 8)})`;
    assert.deepEqual(await mails(developer), [`Re: ${subject}`]);
    assert.deepEqual(await mails(owner), [`Re: ${subject}`]);
    // Guests cannot read the code.
    assert.deepEqual(await mails(guest), []);
    assert.deepEqual(await mails(reporter), []);
  });

  it('the page of a commit shows its comments', async () => {
    await send('POST', '/comments', reporter, { note: 'Very **dim** <b>' });
    const client = new PageClient(server);
    await client.signIn(owner.user.username);
    const page = await client.open(`/${found.project.full_path}/-/commit/${sha}`);
    assert.match(page.text, /<li id="note_\d+">/);
    assert.match(page.text, /<strong>dim<\/strong>/);
    assert.match(textOf(page.text), /cleo Example/);
  });

  it('nobody comments in an archived project, but comments stay', async () => {
    const other = projectWith(server.platform, owner, { name: 'Museum' });
    const old = await commitFiles(server.platform, other, owner, { 'a.txt': 'a\n' });
    const path = `/api/v4/projects/${other.project.id}/repository/commits/${old}/comments`;
    assert.equal((await server.request('POST', path, { token: owner.token, json: { note: 'Old' } })).status, 201);
    await server.request('POST', `/api/v4/projects/${other.project.id}/archive`, { token: owner.token });
    assert.equal((await server.request('POST', path, { token: owner.token, json: { note: 'New' } })).status, 403);
    assert.deepEqual(
      (await listOf(path, owner)).map(({ note }) => note),
      ['Old'],
    );
  });
});
