import assert from 'node:assert/strict';
import { forkProject } from '../../../server/features/forks/createFork.ts';
import { createTag } from '../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Commit, Diff } from '../../../src/contract/repositories.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { type Scenario, scenarios } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { commitFiles } from '../git/repository.ts';

const TIME = Date.UTC(2026, 0, 31, 12);

describe('reading the history of code', () => {
  let server: TestServer;
  let ada: Actor;
  let gus: Actor;
  let rob: Actor;
  let open: FoundProject;
  let first: string;
  let second: string;
  let topic: string;
  let fork: FoundProject;
  let forked: string;

  // The tests only read.
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(TIME);
    [ada, gus, rob] = [actor(platform, 'ada'), actor(platform, 'gus'), actor(platform, 'rob')];
    open = projectWith(platform, ada, { name: 'Open', visibility: 'public' });
    first = await commitFiles(platform, open, ada, {
      'src/größe 🚦.ts': 'one\ntwo\nthree\n',
      'src/page.html': '<p>\n',
      'README.md': '# A long text in prose, which does not count\n',
      'node_modules/lamp/index.js': 'x'.repeat(1000),
      empty: '',
      binary: '\0\u0001\n\0',
      big: 'x'.repeat(6 * 1024 * 1024),
    });
    platform.clock.advance(60_000);
    second = await createCommit(platform, seenBy(platform, open, ada), ada.user, {
      branch: 'main',
      message: 'Change two',
      authorName: 'zoe',
      authorEmail: 'zoe@example.com',
      actions: [{ action: 'update', path: 'src/größe 🚦.ts', content: Buffer.from('one\nTWO\nthree\n') }],
    });
    await createTag(platform, open, ada.user, { name: 'v1', ref: 'main' });
    topic = await commitFiles(
      platform,
      open,
      ada,
      { 'topic.txt': 't\n' },
      { branch: 'topic', startBranch: 'main', message: 'Topic' },
    );
    const ends = { source: seenBy(platform, open, ada), target: seenBy(platform, open, ada) };
    createMergeRequest(platform, ends, ada.user, { title: 'Topic', sourceBranch: 'topic', targetBranch: 'main' });
    fork = await forkProject(platform, seenBy(platform, open, rob), rob.user, {});
    forked = await commitFiles(
      platform,
      fork,
      rob,
      { 'fork.txt': 'f\n' },
      { branch: 'lamp', startBranch: 'main', message: 'Fork' },
    );
    const closed = projectWith(platform, ada, { name: 'Closed' }, [
      [rob, 20],
      [gus, 10],
    ]);
    await commitFiles(platform, closed, ada, { 'a.ts': 'a\n' });
    projectWith(platform, ada, { name: 'Empty', visibility: 'public' });
  });
  after(() => server.close());

  const at = (rest: string, project = 'ada%2Fopen'): string => `/api/v4/projects/${project}/${rest}`;
  const get = async <T>(rest: string): Promise<T> => {
    const response = await server.request('GET', at(rest));
    assert.equal(response.status, 200, response.text);
    return response.json() as T;
  };
  const table = (rows: readonly Scenario[]): void => scenarios(() => server, rows);
  const file = `repository/files/${encodeURIComponent('src/größe 🚦.ts')}`;

  describe('blame', () => {
    it('blame groups consecutive lines by the commit that last changed them', async () => {
      const groups = await get<{ commit: { id: string; message: string; parent_ids: string[] }; lines: string[] }[]>(
        `${file}/blame?ref=main`,
      );
      assert.deepEqual(
        groups.map(({ commit, lines }) => [commit.id, lines]),
        [
          [first, ['one']],
          [second, ['TWO']],
          [first, ['three']],
        ],
      );
      assert.deepEqual(groups[1]?.commit, {
        id: second,
        parent_ids: [first],
        message: 'Change two',
        authored_date: '2026-01-31T12:01:00.000Z',
        author_name: 'zoe',
        author_email: 'zoe@example.com',
        committed_date: '2026-01-31T12:01:00.000Z',
        committer_name: 'ada Example',
        committer_email: 'ada@example.com',
      });
    });

    it('blame is limited to a range of lines, of which those behind the end are left out', async () => {
      const lines = async (range: string): Promise<string[]> =>
        (await get<{ lines: string[] }[]>(`${file}/blame?ref=v1&${range}`)).flatMap((group) => group.lines);
      assert.deepEqual(await lines('range[start]=2&range[end]=3'), ['TWO', 'three']);
      assert.deepEqual(await lines('range[start]=3&range[end]=300'), ['three']);
      assert.deepEqual(await lines('range[start]=50&range[end]=60'), []);
    });

    it('HEAD of blame has the headers of the file', async () => {
      const response = await server.request('HEAD', at(`${file}/blame?ref=main`));
      assert.equal(response.headers.get('x-gitlab-last-commit-id'), second);
      assert.equal(response.headers.get('x-gitlab-file-path'), encodeURI('src/größe 🚦.ts'));
    });

    const of = (path: string, rest = '', project?: string): string =>
      at(`repository/files/${path}/blame?ref=main${rest}`, project);
    table([
      { name: 'an empty file has no lines', path: of('empty'), status: 200, body: [] },
      { name: 'a binary file has lines, too', path: of('binary'), status: 200, has: [{ lines: ['\0\u0001', '\0'] }] },
      {
        name: 'the file is too large',
        path: of('big'),
        status: 400,
        body: { message: '400 Bad request - The file is larger than 5242880 bytes' },
      },
      { name: 'a directory has no lines', path: of('src'), status: 404, body: { message: '404 File Not Found' } },
      { name: 'there is no such file', path: of('none'), status: 404, body: { message: '404 File Not Found' } },
      {
        name: 'there is no such ref',
        path: at('repository/files/empty/blame?ref=none'),
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      {
        name: 'the repository is empty',
        path: of('empty', '', 'ada%2Fempty'),
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      {
        name: 'a range has two ends',
        path: of('empty', '&range[start]=1'),
        status: 400,
        body: { error: 'range[end] is missing' },
      },
      {
        name: 'lines are counted from one',
        path: of('empty', '&range[start]=0&range[end]=1'),
        status: 400,
        body: { error: 'range[start] does not have a valid value' },
      },
      {
        name: 'a range ends behind its beginning',
        path: of('empty', '&range[start]=2&range[end]=1'),
        status: 400,
        body: { message: '400 Bad request - range[start] should be less than or equal to range[end]' },
      },
    ]);
  });

  describe('languages and contributors', () => {
    it('languages are percentages of bytes without prose and files of others', async () => {
      assert.deepEqual(await get('languages'), { TypeScript: 77.78, HTML: 22.22 });
    });

    table([
      { name: 'an empty repository has no languages', path: at('languages', 'ada%2Fempty'), status: 200, body: {} },
      {
        name: 'an empty repository has no contributors',
        path: at('repository/contributors', 'ada%2Fempty'),
        status: 200,
        body: [],
      },
      {
        name: 'there is no such ref',
        path: at('repository/contributors?ref=none'),
        status: 404,
        body: { message: '404 Not Found' },
      },
      {
        name: 'an order is unknown',
        path: at('repository/contributors?order_by=lines'),
        status: 400,
        body: { error: 'order_by does not have a valid value' },
      },
    ]);

    it('contributors are sorted by commits, name or email', async () => {
      const [zoe, other] = [
        { name: 'zoe', email: 'zoe@example.com', commits: 1, additions: 0, deletions: 0 },
        { name: 'ada Example', email: 'ada@example.com', commits: 2, additions: 0, deletions: 0 },
      ];
      assert.deepEqual(await get('repository/contributors?ref=topic'), [zoe, other]);
      assert.deepEqual(await get('repository/contributors?ref=topic&sort=desc'), [other, zoe]);
      assert.deepEqual(await get('repository/contributors?ref=topic&order_by=name'), [other, zoe]);
      assert.deepEqual(await get('repository/contributors?ref=topic&order_by=email&sort=desc&per_page=1'), [zoe]);
    });
  });

  describe('commits', () => {
    const requests = async (sha: string, rest = ''): Promise<string[]> =>
      (await get<{ title: string }[]>(`repository/commits/${sha}/merge_requests${rest}`)).map(({ title }) => title);

    it('merge requests of a commit are those that bring it', async () => {
      assert.deepEqual(await requests(topic), ['Topic']);
      assert.deepEqual(await requests(topic, '?state=merged'), []);
      assert.deepEqual(await requests(second), []);
    });

    it('the sequence of a commit is the number of commits up to it', async () => {
      assert.deepEqual(await get(`repository/commits/${topic}/sequence`), { count: 3 });
      assert.deepEqual(await get(`repository/commits/${first}/sequence?first_parent=true`), { count: 1 });
    });

    it('unified diffs name the files', async () => {
      const path = 'src/größe 🚦.ts';
      const patch = '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n';
      const [plain] = await get<Diff[]>(`repository/commits/${second}/diff`);
      const [unified] = await get<Diff[]>(`repository/commits/${second}/diff?unidiff=true`);
      assert.deepEqual([plain?.diff, unified?.diff], [patch, `--- a/${path}\n+++ b/${path}\n${patch}`]);
      const { diffs } = await get<{ diffs: Diff[] }>('repository/compare?from=main&to=topic&unidiff=true');
      assert.equal(diffs[0]?.diff, '--- /dev/null\n+++ b/topic.txt\n@@ -0,0 +1 @@\n+t\n');
    });

    it('a comparison begins at a ref of a fork', async () => {
      const { commits, diffs } = await get<{ commits: Commit[]; diffs: Diff[] }>(
        `repository/compare?from=lamp&to=topic&from_project_id=${fork.project.id}`,
      );
      assert.deepEqual([commits.map(({ id }) => id), diffs.map((diff) => diff.new_path)], [[topic], ['topic.txt']]);
      const back = await server.request(
        'GET',
        at(`repository/compare?from=main&to=lamp&from_project_id=${open.project.id}`, String(fork.project.id)),
      );
      assert.partialDeepStrictEqual(back.json(), { commits: [{ id: forked }] });
    });

    it('a comparison with a project that is no fork, or not visible, is refused', async () => {
      const empty = await server.request('GET', at('repository/compare?from=main&to=main&from_project_id=4'), {
        token: ada.token,
      });
      assert.deepEqual([empty.status, empty.json()], [400, { message: 'Target project id:4 is not a fork of project id:1' }]);
      const closed = await server.request('GET', at('repository/compare?from=main&to=main&from_project_id=3'), {
        token: gus.token,
      });
      assert.deepEqual([closed.status, closed.json()], [404, { message: '404 Project Not Found' }]);
    });

    table(
      ['merge_requests', 'sequence', 'refs'].flatMap((rest) => [
        {
          name: 'there is no such commit',
          path: at(`repository/commits/none/${rest}`),
          status: 404,
          body: { message: '404 Commit Not Found' },
        },
        {
          name: 'the repository is empty',
          path: at(`repository/commits/main/${rest}`, 'ada%2Fempty'),
          status: 404,
          body: { message: '404 Commit Not Found' },
        },
      ]),
    );
  });

  describe('permissions for reading the history of code', () => {
    for (const rest of [
      'languages',
      'repository/contributors',
      'repository/files/a.ts/blame?ref=main',
      'repository/commits/main/merge_requests',
      'repository/commits/main/sequence',
    ]) {
      it(`${rest} is for reporters of a private project`, async () => {
        const status = async (token?: string): Promise<number> =>
          (await server.request('GET', at(rest, 'ada%2Fclosed'), token === undefined ? {} : { token })).status;
        assert.deepEqual(await Promise.all([undefined, gus.token, rob.token].map(status)), [404, 403, 200]);
      });
    }
  });
});
