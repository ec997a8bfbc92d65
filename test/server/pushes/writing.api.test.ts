import assert from 'node:assert/strict';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Branch, Commit, CommitDetail, RepositoryFile, TreeEntry } from '../../../src/contract/repositories.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { commitFiles } from '../git/repository.ts';

const TIME = Date.UTC(2026, 0, 31, 12);

interface Pushed {
  readonly action_name: string;
  readonly push_data?: Readonly<Record<string, unknown>>;
}

describe('writing to a repository', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let dan: Actor;
  let rob: Actor;
  let found: FoundProject;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(TIME);
    ada = actor(platform, 'ada');
    mia = actor(platform, 'mia');
    dan = actor(platform, 'dan');
    rob = actor(platform, 'rob');
    found = projectWith(platform, ada, { name: 'Lamps' }, [
      [mia, 40],
      [dan, 30],
      [rob, 20],
    ]);
  });
  afterEach(() => server.close());

  const at = (rest: string): string => `/api/v4/projects/1/repository/${rest}`;
  const send = (method: string, rest: string, json?: object, by = ada): Promise<TestResponse> =>
    server.request(method, at(rest), { token: by.token, ...(json === undefined ? {} : { json }) });
  const get = async <T>(rest: string): Promise<T> => {
    const response = await send('GET', rest);
    assert.equal(response.status, 200, response.text);
    return response.json() as T;
  };
  const commit = (actions: unknown, more: object = {}, by = ada): Promise<TestResponse> =>
    send('POST', 'commits', { branch: 'main', commit_message: 'Change lamps', actions, ...more }, by);
  const files = (start: Readonly<Record<string, string>>, branch = 'main'): Promise<string> =>
    commitFiles(server.platform, found, ada, start, { branch });
  const text = async (path: string, ref = 'main'): Promise<string> => {
    const { content } = await get<RepositoryFile>(`files/${encodeURIComponent(path)}?ref=${encodeURIComponent(ref)}`);
    return Buffer.from(content, 'base64').toString();
  };
  const paths = async (ref = 'main'): Promise<string[]> =>
    (await get<TreeEntry[]>(`tree?recursive=true&per_page=100&ref=${ref}`))
      .filter(({ type }) => type === 'blob')
      .map(({ path }) => path);
  const pushes = async (): Promise<unknown[]> => {
    const response = await server.request('GET', '/api/v4/projects/1/events?action=pushed&per_page=100', { token: ada.token });
    return (response.json() as Pushed[]).map((event) => event.push_data);
  };

  describe('a commit', () => {
    it('a commit applies all actions in order, with author and server time', async () => {
      const before = await files({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'run.sh': '#!\n', 'old/c.txt': 'c\n' });
      const response = await commit(
        [
          { action: 'create', file_path: 'new.bin', content: 'AAEC', encoding: 'base64' },
          { action: 'update', file_path: 'a.txt', content: 'A\n' },
          { action: 'delete', file_path: 'b.txt' },
          { action: 'move', file_path: 'now/c.txt', previous_path: 'old/c.txt' },
          { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
          { action: 'update', file_path: 'now/c.txt', content: 'moved\n' },
        ],
        { author_name: 'Lena <x>', author_email: 'lena@example.com', commit_message: 'Change\n\nall of it' },
      );
      assert.equal(response.status, 201, response.text);
      const { id, ...reported } = response.json() as CommitDetail;
      assert.partialDeepStrictEqual(reported, {
        title: 'Change',
        message: 'Change\n\nall of it',
        parent_ids: [before],
        author_name: 'Lena x',
        author_email: 'lena@example.com',
        committer_name: 'ada Example',
        committed_date: '2026-01-31T12:00:00.000+00:00',
        stats: { additions: 2, deletions: 3, total: 5 },
      });
      assert.deepEqual(await paths(), ['a.txt', 'new.bin', 'now/c.txt', 'run.sh']);
      assert.deepEqual([await text('a.txt'), await text('now/c.txt')], ['A\n', 'moved\n']);
      assert.equal((await get<RepositoryFile>('files/new.bin?ref=main')).content, 'AAEC');
      assert.equal((await get<RepositoryFile>('files/run.sh?ref=main')).execute_filemode, true);
      assert.equal((await get<Branch>('branches/main')).commit.id, id);
    });

    it('the first commit makes its branch the default branch', async () => {
      const response = await commit([{ action: 'create', file_path: 'readme', content: 'Lamps' }], { branch: 'trunk' });
      assert.equal(response.status, 201, response.text);
      assert.deepEqual((response.json() as Commit).parent_ids, []);
      const project = await server.request('GET', '/api/v4/projects/1', { token: ada.token });
      assert.partialDeepStrictEqual(project.json(), {
        default_branch: 'trunk',
        empty_repo: false,
        readme_url: `${server.origin}/ada/lamps/-/blob/trunk/readme`,
      });
    });

    it('a commit starts a new branch from another branch or a commit', async () => {
      const first = await files({ a: '1' });
      const second = await files({ b: '2' });
      const create = [{ action: 'create', file_path: 'c', content: '3' }];
      const one = await commit(create, { branch: 'one', start_branch: 'main' });
      assert.deepEqual((one.json() as Commit).parent_ids, [second]);
      const two = await commit(create, { branch: 'two', start_sha: first });
      assert.deepEqual((two.json() as Commit).parent_ids, [first]);
      assert.deepEqual(await paths('two'), ['a', 'c']);
      const again = await commit(create, { branch: 'two', start_branch: 'main' });
      assert.deepEqual(
        [again.status, again.json()],
        [400, { message: "A branch called 'two' already exists. Switch to that branch in order to make changes" }],
      );
      assert.equal((await commit(create, { branch: 'two', start_branch: 'main', force: true })).status, 201);
      assert.deepEqual(await paths('two'), ['a', 'b', 'c']);
    });

    for (const [name, actions, text] of [
      [
        'creates an existing file',
        [{ action: 'create', file_path: 'a.txt', content: '' }],
        'A file with this name already exists',
      ],
      [
        'creates an existing directory',
        [{ action: 'create', file_path: 'dir', content: '' }],
        'A directory with this name already exists',
      ],
      [
        'creates a file inside a file',
        [{ action: 'create', file_path: 'a.txt/b', content: '' }],
        'A file with this name already exists',
      ],
      ['updates a missing file', [{ action: 'update', file_path: 'x', content: '' }], "A file with this name doesn't exist"],
      ['deletes a missing file', [{ action: 'delete', file_path: 'x' }], "A file with this name doesn't exist"],
      ['deletes a directory', [{ action: 'delete', file_path: 'dir' }], "A file with this name doesn't exist"],
      [
        'moves onto an existing file',
        [{ action: 'move', file_path: 'a.txt', previous_path: 'dir/b' }],
        'A file with this name already exists',
      ],
      ['leaves the tree', [{ action: 'create', file_path: '../x', content: '' }], 'Path cannot include directory traversal'],
      [
        'writes into the .git directory',
        [{ action: 'create', file_path: '.git/hooks/x', content: '' }],
        "invalid path: '.git/hooks/x'",
      ],
      [
        'is out of date',
        [{ action: 'update', file_path: 'a.txt', content: '', last_commit_id: '0'.repeat(40) }],
        'The file has changed since you started editing it: a.txt',
      ],
      [
        'fails at its last action',
        [
          { action: 'create', file_path: 'fine', content: '' },
          { action: 'delete', file_path: 'x' },
        ],
        "A file with this name doesn't exist",
      ],
    ] as const) {
      it(`a commit that ${name} is refused without changes`, async () => {
        const before = await files({ 'a.txt': 'a', 'dir/b': 'b' });
        const events = (await pushes()).length;
        const response = await commit(actions);
        assert.deepEqual([response.status, response.json()], [400, { message: text }]);
        assert.equal((await get<Branch>('branches/main')).commit.id, before);
        assert.equal((await pushes()).length, events);
      });
    }

    for (const [name, json, text] of [
      [
        'nothing',
        {},
        'branch is missing, branch is empty, commit_message is missing, commit_message is empty, actions is missing',
      ],
      ['invalid actions', { branch: 'main', commit_message: 'x', actions: 'create' }, 'actions is invalid'],
      [
        'incomplete actions',
        { branch: 'main', commit_message: 'x', actions: [{ action: 'drop', file_path: 'a' }, { action: 'move' }, 7] },
        'actions[0][action] does not have a valid value, actions[1][file_path] is missing, actions[1][previous_path] is missing, actions[2] is invalid',
      ],
      [
        'two start points',
        { branch: 'x', commit_message: 'x', actions: [], start_branch: 'main', start_sha: 'abcd' },
        'start_branch, start_sha are mutually exclusive',
      ],
    ] as const) {
      it(`a commit with ${name} is refused`, async () => {
        const response = await send('POST', 'commits', json);
        assert.deepEqual([response.status, response.json()], [400, { error: text }]);
      });
    }

    it('a commit with an unknown start point is refused', async () => {
      await files({ a: '' });
      const create = [{ action: 'create', file_path: 'b', content: '' }];
      for (const [start, text] of [
        [{ start_sha: '0'.repeat(40) }, `Cannot find start_sha '${'0'.repeat(40)}'`],
        [{ start_sha: 'main' }, "Invalid start_sha 'main'"],
        [{ start_branch: 'nope' }, 'You can only create or edit files when you are on a branch'],
        [{}, 'You can only create or edit files when you are on a branch'],
      ] as const) {
        const response = await commit(create, { branch: 'new', ...start });
        assert.deepEqual([response.status, response.json()], [400, { message: text }]);
      }
    });

    it('a commit can be sent as a form', async () => {
      const form = {
        branch: 'main',
        commit_message: 'x',
        'actions[0][action]': 'create',
        'actions[0][file_path]': 'a',
        'actions[0][content]': 'one & two',
      };
      const response = await server.request('POST', at('commits'), { token: ada.token, form });
      assert.equal(response.status, 201, response.text);
      assert.equal(await text('a'), 'one & two');
    });

    it('a commit can contain megabytes', async () => {
      const content = 'x'.repeat(3_000_000);
      assert.equal((await commit([{ action: 'create', file_path: 'big', content }])).status, 201);
      assert.equal((await get<RepositoryFile>('files/big?ref=main')).size, 3_000_000);
    });

    it('twenty concurrent commits are applied one after the other without losses', async () => {
      await files({ start: '' });
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => commit([{ action: 'create', file_path: `file${index}`, content: '' }])),
      );
      assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([201]));
      const history = await get<Commit[]>('commits?per_page=100');
      assert.equal(history.length, 21);
      assert.deepEqual(
        history.slice(0, -1).map((one) => one.parent_ids),
        history.slice(1).map((one) => [one.id]),
      );
      assert.equal((await paths()).length, 21);
    });

    it('only one of ten concurrent conditional commits succeeds', async () => {
      const last = await files({ a: '' });
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          commit([{ action: 'update', file_path: 'a', content: `${index}`, last_commit_id: last }]),
        ),
      );
      assert.deepEqual(responses.map((response) => response.status).toSorted(), [201, ...Array.from({ length: 9 }, () => 400)]);
    });
  });

  describe('a branch', () => {
    it('a branch is created from another ref and deleted', async () => {
      const first = await files({ a: '' });
      const response = await send('POST', 'branches', { branch: 'topic/one', ref: 'main' }, dan);
      assert.equal(response.status, 201, response.text);
      assert.partialDeepStrictEqual(response.json(), { name: 'topic/one', commit: { id: first }, merged: true, can_push: true });
      assert.equal((await send('DELETE', 'branches/topic%2Fone', undefined, dan)).status, 204);
      assert.equal((await send('GET', 'branches/topic%2Fone')).status, 404);
      assert.deepEqual((await send('DELETE', 'branches/topic%2Fone')).json(), { message: '404 Branch Not Found' });
    });

    it('a branch is refused for an invalid or taken name, and for an unknown start point', async () => {
      await files({ a: '' });
      for (const [branch, ref, text] of [
        ['main', 'main', 'Branch already exists'],
        ['a..b', 'main', 'Branch name is invalid'],
        ['main/inner', 'main', 'Branch name is invalid'],
        ['new', 'nope', 'Invalid reference name: nope'],
        ['new', 'main~1', 'Invalid reference name: main~1'],
      ] as const) {
        const response = await send('POST', 'branches', { branch, ref });
        assert.deepEqual([response.status, response.json()], [400, { message: text }], branch);
      }
    });

    it('the default branch cannot be deleted until another one replaces it', async () => {
      await files({ 'README.md': '' });
      const refused = await send('DELETE', 'branches/main');
      assert.deepEqual([refused.status, refused.json()], [405, { message: 'Cannot remove HEAD branch' }]);
      const put = (branch: string): Promise<TestResponse> =>
        server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { default_branch: branch } });
      assert.deepEqual((await put('nope')).json(), {
        message: { base: ["Could not change HEAD: branch 'nope' does not exist"] },
      });
      await commit([{ action: 'move', file_path: 'readme.txt', previous_path: 'README.md' }], {
        branch: 'next',
        start_branch: 'main',
      });
      assert.partialDeepStrictEqual((await put('next')).json(), {
        default_branch: 'next',
        readme_url: `${server.origin}/ada/lamps/-/blob/next/readme.txt`,
      });
      assert.equal((await send('DELETE', 'branches/main')).status, 204);
    });
  });

  it('merged branches are deleted together', async () => {
    await files({ a: '' });
    for (const branch of ['one', 'two']) await send('POST', 'branches', { branch, ref: 'main' });
    await commit([{ action: 'create', file_path: 'b', content: '' }], { branch: 'ahead', start_branch: 'main' });
    assert.equal((await send('DELETE', 'merged_branches', undefined, rob)).status, 403);
    const response = await send('DELETE', 'merged_branches', undefined, dan);
    assert.deepEqual([response.status, response.json()], [202, { message: '202 Accepted' }]);
    assert.deepEqual(
      (await get<Branch[]>('branches')).map(({ name }) => name),
      ['ahead', 'main'],
    );
  });

  describe('a tag', () => {
    it('a tag is created and deleted', async () => {
      const first = await files({ a: '' });
      const response = await send('POST', 'tags', { tag_name: 'v1', ref: 'main', message: 'One\nmore' }, dan);
      assert.equal(response.status, 201, response.text);
      assert.partialDeepStrictEqual(response.json(), { name: 'v1', message: 'One\nmore', commit: { id: first } });
      assert.equal((await send('DELETE', 'tags/v1', undefined, dan)).status, 204);
      assert.deepEqual((await send('DELETE', 'tags/v1')).json(), { message: '404 Tag Not Found' });
    });

    it('a tag is refused for an invalid or taken name, and for an unknown target', async () => {
      await files({ a: '' });
      await send('POST', 'tags', { tag_name: 'v1', ref: 'main' });
      for (const [name, ref, text] of [
        ['v1', 'main', 'Tag v1 already exists'],
        ['-d', 'main', 'Tag name invalid'],
        ['v2', 'nope', 'Target nope is invalid'],
      ] as const) {
        const response = await send('POST', 'tags', { tag_name: name, ref });
        assert.deepEqual([response.status, response.json()], [400, { message: text }], name);
      }
    });
  });

  it('a file is created, updated and deleted by path', async () => {
    const rest = 'files/docs%2Fa%20b.md';
    const made = await send('POST', rest, { branch: 'main', commit_message: 'Make', content: 'eA==', encoding: 'base64' });
    assert.deepEqual([made.status, made.json()], [201, { file_path: 'docs/a b.md', branch: 'main' }]);
    assert.equal(await text('docs/a b.md'), 'x');
    assert.deepEqual((await send('POST', rest, { branch: 'main', commit_message: 'Make', content: '' })).json(), {
      message: 'A file with this name already exists',
    });
    const { last_commit_id: last } = await get<RepositoryFile>(`${rest}?ref=main`);
    const put = { branch: 'main', commit_message: 'Change', content: 'y', last_commit_id: last };
    assert.equal((await send('PUT', rest, put)).status, 200);
    assert.equal((await send('PUT', rest, put)).status, 400, 'it was changed in the meantime');
    const gone = await send('DELETE', `${rest}?branch=main&commit_message=Delete`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.deepEqual(await paths(), []);
  });

  it('a project is created with a readme on request', async () => {
    const json = { name: 'Points', description: 'All points', initialize_with_readme: true, default_branch: 'trunk' };
    const response = await server.request('POST', '/api/v4/projects', { token: ada.token, json });
    assert.equal(response.status, 201, response.text);
    assert.partialDeepStrictEqual(response.json(), {
      default_branch: 'trunk',
      empty_repo: false,
      readme_url: `${server.origin}/ada/points/-/blob/trunk/README.md`,
    });
    const raw = await server.request('GET', '/api/v4/projects/2/repository/files/README.md/raw', { token: ada.token });
    assert.equal(raw.text, '# Points\n\nAll points\n');
    const bad = await server.request('POST', '/api/v4/projects', {
      token: ada.token,
      json: { name: 'Relays', initialize_with_readme: true, default_branch: 'a..b' },
    });
    assert.deepEqual([bad.status, bad.json()], [400, { message: 'Branch name is invalid' }]);
    assert.equal(findProject(server.platform, 'ada/relays', ada), undefined);
  });

  it('an invalid default branch name does not prevent commits', async () => {
    await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { default_branch: 'a..b' } });
    assert.equal((await commit([{ action: 'create', file_path: 'a', content: '' }])).status, 201);
    const project = await server.request('GET', '/api/v4/projects/1', { token: ada.token });
    assert.partialDeepStrictEqual(project.json(), { default_branch: 'main', empty_repo: false });
  });

  it('renaming the project does not move the repository', async () => {
    const id = await files({ a: '' });
    await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { path: 'lanterns' } });
    const response = await server.request('GET', '/api/v4/projects/ada%2Flanterns/repository/commits/main', { token: ada.token });
    assert.partialDeepStrictEqual(response.json(), { id, web_url: `${server.origin}/ada/lanterns/-/commit/${id}` });
  });

  it('developers can push, maintainers also to the default branch, and nobody to an archived project', async () => {
    await files({ a: '' });
    const create = [{ action: 'create', file_path: 'b', content: '' }];
    const refused = await commit(create, {}, dan);
    assert.deepEqual(
      [refused.status, refused.json()],
      [403, { message: '403 Forbidden - You are not allowed to push into this branch' }],
    );
    assert.equal((await commit(create, { branch: 'topic', start_branch: 'main' }, dan)).status, 201);
    assert.equal((await commit(create, {}, mia)).status, 201);
    const forbidden = { message: '403 Forbidden' };
    for (const [method, rest, json] of [
      ['POST', 'commits', { branch: 'x', start_branch: 'main', commit_message: 'x', actions: create }],
      ['POST', 'branches', { branch: 'x', ref: 'main' }],
      ['DELETE', 'branches/topic', undefined],
      ['POST', 'tags', { tag_name: 'x', ref: 'main' }],
      ['POST', 'files/x', { branch: 'x', start_branch: 'main', commit_message: 'x', content: '' }],
    ] as const) {
      const response = await send(method, rest, json, rob);
      assert.deepEqual([response.status, response.json()], [403, forbidden], `${method} ${rest}`);
      assert.equal((await server.request(method, at(rest))).status, 401);
    }
    await server.request('POST', '/api/v4/projects/1/archive', { token: ada.token });
    assert.equal((await commit(create, { branch: 'y', start_branch: 'main' })).status, 403);
    assert.deepEqual(await paths(), ['a', 'b']);
  });

  it('every ref update creates a push event', async () => {
    const first = await files({ a: '' });
    const second = await files({ b: '' });
    await send('POST', 'branches', { branch: 'topic', ref: 'main' });
    const third = (
      (
        await commit([{ action: 'create', file_path: 'c', content: '' }], {
          branch: 'topic',
          commit_message: `${'t'.repeat(80)}\nx`,
        })
      ).json() as Commit
    ).id;
    await send('POST', 'tags', { tag_name: 'v1', ref: 'topic', message: 'One' });
    await send('DELETE', 'branches/topic');
    await send('DELETE', 'tags/v1');
    const push = { ref_count: null, ref_type: 'branch' };
    const title = 't'.repeat(70);
    assert.deepEqual(await pushes(), [
      {
        ...push,
        action: 'removed',
        ref: 'v1',
        ref_type: 'tag',
        commit_count: 0,
        commit_from: third,
        commit_to: null,
        commit_title: null,
      },
      { ...push, action: 'removed', ref: 'topic', commit_count: 0, commit_from: third, commit_to: null, commit_title: null },
      {
        ...push,
        action: 'created',
        ref: 'v1',
        ref_type: 'tag',
        commit_count: 1,
        commit_from: null,
        commit_to: third,
        commit_title: title,
      },
      { ...push, action: 'pushed', ref: 'topic', commit_count: 1, commit_from: second, commit_to: third, commit_title: title },
      { ...push, action: 'created', ref: 'topic', commit_count: 0, commit_from: null, commit_to: second, commit_title: null },
      { ...push, action: 'pushed', ref: 'main', commit_count: 1, commit_from: first, commit_to: second, commit_title: 'Files' },
      { ...push, action: 'created', ref: 'main', commit_count: 1, commit_from: null, commit_to: first, commit_title: 'Files' },
    ]);
  });
});
