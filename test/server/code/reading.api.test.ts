import assert from 'node:assert/strict';
import { createBranch, createTag } from '../../../server/features/pushes/refUpdates.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import type { Branch, Commit, Diff, Tag, TreeEntry } from '../../../src/contract/repositories.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { type Scenario, scenarios } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { commitFiles } from '../git/repository.ts';

const TIME = Date.UTC(2026, 0, 31, 12);
const HELLO = 'ce013625030ba8dba906f756967f9e9ca394464a';

describe('reading a repository', () => {
  let server: TestServer;
  let ada: Actor;
  let rob: Actor;
  let gus: Actor;
  let eve: Actor;
  let readerOfFiles: Actor;
  let open: FoundProject;
  let first: string;
  let second: string;
  let topic: string;

  // The tests only read.
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(TIME);
    ada = actor(platform, 'ada');
    rob = actor(platform, 'rob');
    gus = actor(platform, 'gus');
    eve = actor(platform, 'eve');
    readerOfFiles = actor(platform, 'files', { scopes: ['read_repository'] });
    open = projectWith(platform, ada, { name: 'Open', visibility: 'public' });
    first = await commitFiles(platform, open, ada, {
      'README.md': '# Open\n',
      'src/a.txt': 'hello\n',
      'src/deep/b.txt': 'b\n',
      'src.txt': 'beside\n',
      'größe 🚦.txt': 'x',
    });
    platform.clock.advance(60_000);
    second = await commitFiles(platform, open, ada, { 'src/c.txt': 'one\ntwo\n' }, { message: 'Add c\n\nBecause.' });
    platform.clock.advance(60_000);
    topic = await commitFiles(platform, open, ada, { 'topic.txt': 't\n' }, { branch: 'topic/one', startBranch: 'main' });
    await createBranch(platform, open, ada.user, 'old', first);
    await createTag(platform, open, ada.user, { name: 'v1', ref: 'main', message: 'First release' });
    await createTag(platform, open, ada.user, { name: 'v0', ref: first });
    const closed = projectWith(platform, ada, { name: 'Closed' }, [
      [rob, 20],
      [gus, 10],
    ]);
    await commitFiles(platform, closed, ada, { 'README.md': '# Closed\n' });
    projectWith(platform, ada, { name: 'Empty', visibility: 'public' });
  });
  after(() => server.close());

  const at = (rest: string, project = 'ada%2Fopen'): string => `/api/v4/projects/${project}/repository/${rest}`;
  const get = async <T>(rest: string): Promise<T> => {
    const response = await server.request('GET', at(rest));
    assert.equal(response.status, 200, response.text);
    return response.json() as T;
  };
  const table = (rows: readonly Scenario[]): void => scenarios(() => server, rows);

  describe('reading the tree of a repository', () => {
    const paths = async (rest: string): Promise<string[]> => (await get<TreeEntry[]>(rest)).map((entry) => entry.path);

    it('the tree of a repository lists directories before files, for one directory or recursively', async () => {
      assert.deepEqual(await get('tree?path=src&ref=main'), [
        { id: 'f8f7aefc2900a3d737cea9eee45729fd55761e1a', name: 'deep', type: 'tree', path: 'src/deep', mode: '040000' },
        { id: HELLO, name: 'a.txt', type: 'blob', path: 'src/a.txt', mode: '100644' },
        { id: '814f4a422927b82f5f8a43f8fab6d3839e3983f2', name: 'c.txt', type: 'blob', path: 'src/c.txt', mode: '100644' },
      ]);
      assert.deepEqual(await paths('tree'), ['src', 'README.md', 'größe 🚦.txt', 'src.txt']);
      assert.deepEqual(await paths('tree?recursive=true'), [
        'src',
        'src/deep',
        'README.md',
        'größe 🚦.txt',
        'src.txt',
        'src/a.txt',
        'src/c.txt',
        'src/deep/b.txt',
      ]);
    });

    it('the tree of a repository is found by branch, tag, commit or abbreviated id', async () => {
      const without = ['deep', 'a.txt'];
      for (const ref of ['old', 'v0', first, first.slice(0, 8), 'refs/heads/old', 'refs/tags/v0']) {
        assert.deepEqual(
          (await paths(`tree?path=/src/&ref=${encodeURIComponent(ref)}`)).map((path) => path.slice(4)),
          without,
          ref,
        );
      }
      assert.deepEqual(await paths('tree?ref=HEAD'), await paths('tree?ref=main'));
    });

    for (const pagination of ['legacy', 'keyset']) {
      for (const recursive of [false, true]) {
        it(`the pages of a tree (${pagination}, recursive ${recursive}) cover everything, and their links end`, async () => {
          const whole = await paths(`tree?recursive=${recursive}&per_page=100`);
          const found: string[] = [];
          const start = `${server.origin}${at(`tree?recursive=${recursive}&per_page=3&pagination=${pagination}`)}`;
          for (let url: string | undefined = start, pages = 0; url !== undefined; pages += 1) {
            assert.ok(pages < 10, 'the links never end');
            const response = await server.request('GET', url);
            assert.equal(response.status, 200, response.text);
            assert.equal(response.headers.get('x-total'), pagination === 'legacy' ? String(whole.length) : null);
            const entries = response.json() as TreeEntry[];
            assert.equal(response.headers.get('link') === null, entries.length === 0);
            found.push(...entries.map((entry) => entry.path));
            url = linkTo(response.headers.get('link') ?? undefined, 'next');
          }
          assert.deepEqual(found, whole);
        });
      }
    }

    it('the tree of a repository continues after the last entry of a keyset page even if it no longer exists', async () => {
      const page = await server.request('GET', at('tree?ref=main&path=src&per_page=3&pagination=keyset'));
      const next = (linkTo(page.headers.get('link') ?? undefined, 'next') ?? '').replace('ref=main', 'ref=old');
      assert.deepEqual((await server.request('GET', next)).json(), []);
    });

    it('the tree of a repository is read from git once: further pages start no program', async () => {
      await using big = await startTestServer();
      const owner = actor(big.platform, 'ada');
      const found = projectWith(big.platform, owner, { name: 'Open', visibility: 'public' });
      const names = Array.from({ length: 3000 }, (_, index) => `folder${index % 30}/file${index}.txt`);
      await commitFiles(big.platform, found, owner, Object.fromEntries(names.map((name) => [name, ''])));
      const { git } = big.platform.repositories;
      const { run } = git;
      let runs = 0;
      Object.assign(git, { run: (...given: Parameters<typeof run>) => ((runs += 1), run(...given)) });
      const first = await big.request('GET', at('tree?recursive=true&per_page=100&pagination=keyset'));
      assert.ok(runs > 0);
      runs = 0;
      let pages = 0;
      for (let url = linkTo(first.headers.get('link') ?? undefined, 'next'); url !== undefined; pages += 1) {
        url = linkTo((await big.request('GET', url)).headers.get('link') ?? undefined, 'next');
      }
      await big.request('GET', at('tree?recursive=true&per_page=100&page=30'));
      assert.deepEqual([pages, runs], [31, 0]);
    });

    it('the tree of a repository is returned completely with pagination=none', async () => {
      const response = await server.request('GET', at('tree?recursive=true&pagination=none&per_page=2'));
      assert.equal((response.json() as TreeEntry[]).length, 8);
      assert.deepEqual([response.headers.get('link'), response.headers.get('x-total')], [null, null]);
    });

    it('the tree of a repository has no keyset pages before release 17.1', async () => {
      await using older = await startTestServer({ profile: { release: '17.0' } });
      const owner = actor(older.platform, 'ada');
      await commitFiles(older.platform, projectWith(older.platform, owner, { name: 'Open', visibility: 'public' }), owner, {
        a: '',
      });
      const response = await older.request('GET', at('tree?pagination=keyset'));
      assert.equal(response.headers.get('x-total'), '1');
    });

    table([
      {
        name: 'pagination=none requires recursive',
        path: at('tree?pagination=none'),
        status: 400,
        body: { error: 'pagination cannot be "none" unless "recursive" is true' },
      },
      {
        name: 'the pagination type is unknown',
        path: at('tree?pagination=cursor'),
        status: 400,
        body: { error: 'pagination does not have a valid value' },
      },
      {
        name: 'the page token belongs to another list',
        path: at('tree?pagination=keyset&page_token=WyJ0cmVlIl0'),
        status: 400,
        body: { error: 'page_token is invalid' },
      },
      {
        name: 'the page token has trailing text',
        path: at('tree?pagination=keyset&page_token=WyJ0cmVlIiwic3JjIl0.x'),
        status: 400,
        body: { error: 'page_token is invalid' },
      },
      { name: 'the ref is unknown', path: at('tree?ref=nope'), status: 404, body: { message: '404 Tree Not Found' } },
      {
        name: 'the path is a file',
        path: at('tree?path=README.md'),
        status: 404,
        body: { message: '404 invalid revision or path Not Found' },
      },
      { name: 'the repository is empty', path: at('tree', 'ada%2Fempty'), status: 404, body: { message: '404 Tree Not Found' } },
    ]);
  });

  describe('reading the commits of a repository', () => {
    const ids = async (rest: string): Promise<string[]> => (await get<Commit[]>(rest)).map((commit) => commit.id);

    it('the commits of a repository have author, committer, times in the original zone, and changes', async () => {
      assert.deepEqual(await get(`commits/${second}`), {
        id: second,
        short_id: second.slice(0, 8),
        created_at: '2026-01-31T12:01:00.000+00:00',
        parent_ids: [first],
        title: 'Add c',
        message: 'Add c\n\nBecause.',
        author_name: 'ada Example',
        author_email: 'ada@example.com',
        authored_date: '2026-01-31T12:01:00.000+00:00',
        committer_name: 'ada Example',
        committer_email: 'ada@example.com',
        committed_date: '2026-01-31T12:01:00.000+00:00',
        trailers: {},
        extended_trailers: {},
        web_url: `${server.origin}/ada/open/-/commit/${second}`,
        stats: { additions: 2, deletions: 0, total: 2 },
        status: null,
        project_id: 1,
        last_pipeline: null,
      });
      assert.ok(!('stats' in (await get<object>(`commits/${second}?stats=false`))));
    });

    it('the commits of a repository are listed newest first, by branch, path, time or author', async () => {
      assert.deepEqual(await ids('commits'), [second, first]);
      assert.deepEqual(await ids('commits?ref_name=topic%2Fone'), [topic, second, first]);
      assert.deepEqual(await ids('commits?all=true'), [topic, second, first]);
      assert.deepEqual(await ids('commits?path=src%2Fc.txt'), [second]);
      assert.deepEqual(await ids('commits?path=src&order=topo&first_parent=true'), [second, first]);
      assert.deepEqual(await ids('commits?since=2026-01-31T12:00:30Z'), [second]);
      assert.deepEqual(await ids('commits?until=2026-01-31T12:00:30Z'), [first]);
      assert.deepEqual(await ids('commits?author=ADA'), [second, first]);
      assert.deepEqual(await ids('commits?author=.*'), [], 'the author filter is not a pattern');
      assert.deepEqual(await ids('commits?ref_name=nope'), []);
      assert.deepEqual(await ids('commits?path=..%2Fx'), []);
      const [newest] = await get<{ stats: unknown }[]>('commits?with_stats=yes');
      assert.deepEqual(newest?.stats, { additions: 2, deletions: 0, total: 2 });
    });

    it('the commits of a repository have pages with totals', async () => {
      const response = await server.request('GET', at('commits?ref_name=topic%2Fone&per_page=2&page=2'));
      assert.deepEqual(
        (response.json() as Commit[]).map((commit) => commit.id),
        [first],
      );
      assert.deepEqual(
        ['x-total', 'x-total-pages', 'x-page', 'x-prev-page', 'x-next-page'].map((name) => response.headers.get(name)),
        ['3', '2', '2', '1', ''],
      );
    });

    it('the branches and tags that contain a commit are listed', async () => {
      assert.deepEqual(await get(`commits/${second}/refs`), [
        { type: 'branch', name: 'main' },
        { type: 'branch', name: 'topic/one' },
        { type: 'tag', name: 'v1' },
      ]);
      assert.deepEqual(await get(`commits/${first}/refs?type=tag&per_page=1&page=2`), [{ type: 'tag', name: 'v1' }]);
    });

    it('the commits of a repository have diffs per file', async () => {
      assert.deepEqual(await get<Diff[]>(`commits/${second}/diff`), [
        {
          diff: '@@ -0,0 +1,2 @@\n+one\n+two\n',
          collapsed: false,
          too_large: false,
          new_path: 'src/c.txt',
          old_path: 'src/c.txt',
          a_mode: '0',
          b_mode: '100644',
          new_file: true,
          renamed_file: false,
          deleted_file: false,
          generated_file: null,
        },
      ]);
      assert.equal((await get<Diff[]>(`commits/${first}/diff`)).length, 5);
    });

    table([
      { name: 'finds a commit by tag name', path: at('commits/v0'), status: 200, has: { title: 'Files' } },
      {
        name: 'the commit is unknown',
        path: at(`commits/${'0'.repeat(40)}`),
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      { name: 'an empty repository has no commits', path: at('commits', 'ada%2Fempty'), status: 200, body: [] },
      {
        name: 'the repository is empty',
        path: at('commits/main', 'ada%2Fempty'),
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      {
        name: 'the order is unknown',
        path: at('commits?order=up'),
        status: 400,
        body: { error: 'order does not have a valid value' },
      },
    ]);
  });

  describe('reading branches and tags', () => {
    const names = async (rest: string): Promise<string[]> => (await get<(Branch | Tag)[]>(rest)).map(({ name }) => name);

    it('the response for a branch includes its relation to the default branch and the caller', async () => {
      const { commit, ...branch } = await get<Branch>('branches/topic%2Fone');
      assert.equal(commit.id, topic);
      assert.deepEqual(branch, {
        name: 'topic/one',
        merged: false,
        protected: false,
        developers_can_push: false,
        developers_can_merge: false,
        can_push: false,
        default: false,
        web_url: `${server.origin}/ada/open/-/tree/topic/one`,
      });
      const response = await server.request('GET', at('branches'), { token: ada.token });
      const reported = (response.json() as Branch[]).map((one) => [
        one.name,
        one.default,
        one.protected,
        one.merged,
        one.can_push,
      ]);
      assert.deepEqual(reported, [
        ['main', true, true, false, true],
        ['old', false, false, true, true],
        ['topic/one', false, false, false, true],
      ]);
    });

    it('branches and tags can be searched and sorted', async () => {
      assert.deepEqual(await names('branches?search=o'), ['old', 'topic/one']);
      assert.deepEqual(await names('branches?search=^o'), ['old']);
      assert.deepEqual(await names('branches?search=e$'), ['topic/one']);
      assert.deepEqual(await names('branches?search=%25'), []);
      assert.deepEqual(await names('branches?sort=updated_desc'), ['topic/one', 'main', 'old']);
      assert.deepEqual(await names('branches?sort=updated_asc&per_page=1&page=2'), ['main']);
      assert.deepEqual(await names('tags'), ['v1', 'v0']);
      assert.deepEqual(await names('tags?order_by=name&sort=asc'), ['v0', 'v1']);
      assert.deepEqual(await names('tags?search=1'), ['v1']);
    });

    it('an annotated tag has its own object and time, a lightweight tag has neither', async () => {
      const { target, commit, ...annotated } = await get<Tag>('tags/v1');
      assert.equal(commit.id, second);
      assert.match(target, /^[0-9a-f]{40}$/);
      assert.notEqual(target, second);
      assert.deepEqual(annotated, {
        name: 'v1',
        message: 'First release',
        release: null,
        protected: false,
        created_at: '2026-01-31T12:02:00.000Z',
      });
      const plain = await get<Tag>('tags/v0');
      assert.deepEqual([plain.target, plain.message, plain.created_at], [first, null, null]);
    });

    table([
      { name: 'the branch is unknown', path: at('branches/nope'), status: 404, body: { message: '404 Branch Not Found' } },
      { name: 'the tag is unknown', path: at('tags/nope'), status: 404, body: { message: '404 Tag Not Found' } },
      {
        name: 'an empty repository has no branches',
        path: at('branches', 'ada%2Fempty'),
        status: 200,
        body: [],
        responseHeaders: { 'x-total': '0' },
      },
      {
        name: 'an empty repository has no tags',
        path: at('tags', 'ada%2Fempty'),
        status: 200,
        body: [],
        responseHeaders: { 'x-total': '0' },
      },
    ]);
  });

  describe('reading the files of a repository', () => {
    it('the files of a repository have metadata in body and headers', async () => {
      const metadata = {
        file_name: 'a.txt',
        file_path: 'src/a.txt',
        size: 6,
        encoding: 'base64',
        content_sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
        ref: 'main',
        blob_id: HELLO,
        commit_id: second,
        last_commit_id: first,
        execute_filemode: false,
      };
      assert.deepEqual(await get('files/src%2Fa.txt?ref=main'), { ...metadata, content: 'aGVsbG8K' });
      const head = await server.request('HEAD', at('files/src%2Fa.txt?ref=main'));
      assert.equal(head.text, '');
      for (const [name, value] of Object.entries(metadata)) {
        assert.equal(head.headers.get(`x-gitlab-${name.replaceAll('_', '-')}`), String(value), name);
      }
    });

    table([
      {
        name: 'returns the raw content',
        path: at('files/src%2Fa.txt/raw'),
        status: 200,
        responseHeaders: {
          'content-type': 'text/plain; charset=utf-8',
          'x-gitlab-blob-id': HELLO,
          'x-content-type-options': 'nosniff',
        },
      },
      {
        name: 'the file has a Unicode name',
        path: at('files/gr%C3%B6%C3%9Fe%20%F0%9F%9A%A6.txt?ref=main'),
        status: 200,
        has: { size: 1 },
      },
      { name: 'the ref is missing', path: at('files/README.md'), status: 400, body: { error: 'ref is missing, ref is empty' } },
      { name: 'the ref is unknown', path: at('files/README.md?ref=x'), status: 404, body: { message: '404 Commit Not Found' } },
      { name: 'a directory is not a file', path: at('files/src?ref=main'), status: 404, body: { message: '404 File Not Found' } },
      {
        name: 'returns a blob',
        path: at(`blobs/${HELLO}`),
        status: 200,
        body: { size: 6, encoding: 'base64', content: 'aGVsbG8K', sha: HELLO },
      },
      {
        name: 'returns the raw content of a blob',
        path: at(`blobs/${HELLO}/raw`),
        status: 200,
        responseHeaders: { 'content-length': '6' },
      },
      {
        name: 'the blob is unknown',
        path: at(`blobs/${'1'.repeat(40)}`),
        status: 404,
        body: { message: '404 Blob Not Found' },
      },
    ]);

    it('a commit is not a blob', async () => {
      assert.equal((await server.request('GET', at(`blobs/${first}`))).status, 404);
    });

    it('a token with the scope read_repository can read files and nothing else', async () => {
      const { token } = readerOfFiles;
      assert.equal((await server.request('GET', at('files/README.md/raw'), { token })).status, 200);
      assert.equal((await server.request('GET', at('tree'), { token })).status, 403);
    });
  });

  describe('comparing refs', () => {
    it('comparisons of refs start at the merge base, or at the other ref', async () => {
      const parted = await get<{ commits: Commit[]; diffs: Diff[] }>('compare?from=main&to=topic%2Fone');
      assert.deepEqual(
        [parted.commits.map((commit) => commit.id), parted.diffs.map((diff) => diff.new_path)],
        [[topic], ['topic.txt']],
      );
      const back = await get<{ commits: Commit[]; diffs: Diff[]; compare_same_ref: boolean }>(
        'compare?from=topic%2Fone&to=main&straight=true',
      );
      assert.deepEqual([back.commits, back.diffs.map((diff) => diff.deleted_file), back.compare_same_ref], [[], [true], false]);
      assert.deepEqual((await get<{ diffs: Diff[] }>('compare?from=topic%2Fone&to=main')).diffs, []);
    });

    table([
      { name: 'a ref is unknown', path: at('compare?from=main&to=x'), status: 404, body: { message: '404 Ref Not Found' } },
      {
        name: 'returns the common ancestor',
        path: at('merge_base?refs[]=old&refs[]=topic%2Fone'),
        status: 200,
        has: { title: 'Files' },
      },
      {
        name: 'a common ancestor requires two refs',
        path: at('merge_base?refs[]=main'),
        status: 400,
        body: { message: 'Provide at least 2 refs' },
      },
      {
        name: 'a ref of the common ancestor is unknown',
        path: at('merge_base?refs[]=main&refs[]=x'),
        status: 400,
        body: { message: 'Could not find ref: x' },
      },
    ]);
  });

  describe('permissions for reading code', () => {
    for (const rest of [
      'tree',
      'commits',
      'commits/main',
      'branches',
      'tags',
      'files/README.md?ref=main',
      'compare?from=main&to=main',
    ]) {
      it(`${rest} is readable for everyone in a public project, and for reporters in others`, async () => {
        const status = async (project: string, token?: string): Promise<number> =>
          (await server.request('GET', at(rest, project), token === undefined ? {} : { token })).status;
        assert.deepEqual(
          await Promise.all([undefined, eve.token, gus.token].map((token) => status('ada%2Fopen', token))),
          [200, 200, 200],
        );
        assert.deepEqual(
          await Promise.all(
            [undefined, eve.token, gus.token, rob.token, ada.token].map((token) => status('ada%2Fclosed', token)),
          ),
          [404, 404, 403, 200, 200],
        );
      });
    }
  });

  it('the response for a project includes its default branch, whether it is empty, and its readme', async () => {
    for (const [project, has] of [
      [
        'ada%2Fopen',
        { empty_repo: false, default_branch: 'main', readme_url: `${server.origin}/ada/open/-/blob/main/README.md` },
      ],
      ['ada%2Fempty', { empty_repo: true, default_branch: 'main', readme_url: null }],
    ] as const) {
      const response = await server.request('GET', `/api/v4/projects/${project}`, { token: ada.token });
      assert.partialDeepStrictEqual(response.json(), has);
    }
  });
});
