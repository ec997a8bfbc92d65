import assert from 'node:assert/strict';
import { openRepository } from '../../../server/features/git/open.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { MAX_READ_BYTES } from '../../../server/repositories/catFile.ts';
import { type RepositoryDir, readCommits } from '../../../server/repositories/objects.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const KIB = 1024;
const LONG = MAX_READ_BYTES + 100_000;
const DATE = '1700000000 +0000';

interface ShownCommit {
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly committer_name: string;
  readonly parent_ids: readonly string[];
}

describe('commits of any length', () => {
  let server: TestServer;
  let ada: Actor;
  let found: FoundProject;
  let repository: RepositoryDir;
  let first: string;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    found = projectWith(server.platform, ada, { name: 'Long', visibility: 'public' });
    first = await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const opened = await openRepository(server.platform, found.project);
    assert.ok(opened !== undefined);
    repository = opened;
  });
  after(() => server.close());

  /** Writes a commit object and makes it the head of a new branch. */
  const branchWith = async (
    name: string,
    { author = 'Ada <ada@example.com>', message = 'Lamps', parents = [first] },
  ): Promise<string> => {
    const [known] = await readCommits(repository, [first]);
    const headers = [`tree ${known?.tree}`, ...parents.map((id) => `parent ${id}`), `author ${author} ${DATE}`];
    const input = `${headers.join('\n')}\ncommitter ${author} ${DATE}\n\n${message}`;
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
    const id = (await repository.git.run(repository.folder, args, { input })).stdout.toString('latin1').trim();
    const response = await fetch(
      `${server.origin}/api/v4/projects/${found.project.id}/repository/branches?branch=${name}&ref=${id}`,
      {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': ada.token },
      },
    );
    assert.equal(response.status, 201, await response.text());
    return id;
  };
  const read = async <T>(path: string): Promise<T> =>
    (await fetch(`${server.origin}/api/v4/projects/${found.project.id}/repository/${path}`)).json() as Promise<T>;
  const shown = async (name: string, id: string): Promise<readonly (readonly [string, ShownCommit | undefined, number])[]> => [
    ['list', (await read<ShownCommit[]>(`commits?ref_name=${name}`))[0], 64 * KIB],
    ['branch', (await read<{ commit: ShownCommit }>(`branches/${name}`)).commit, 64 * KIB],
    ['branches', (await read<{ commit: ShownCommit }[]>(`branches?search=^${name}$`))[0]?.commit, 64 * KIB],
    ['comparison', (await read<{ commits: ShownCommit[] }>(`compare?from=main&to=${name}`)).commits.at(-1), 64 * KIB],
    ['alone', await read<ShownCommit>(`commits/${id}`), 1024 * KIB],
  ];

  for (const [name, message] of [
    ['short', 'm'.repeat(2 * 1024 * KIB)],
    ['long', 'm'.repeat(LONG)],
    ['lines', `${'m'.repeat(2000)}\n\n${'line\n'.repeat(LONG / 5)}`],
  ] as const) {
    it(`shows the beginning of a long message (${name})`, async () => {
      const id = await branchWith(`message-${name}`, { message });
      for (const [where, commit, most] of await shown(`message-${name}`, id)) {
        assert.equal(commit?.message, message.slice(0, most), where);
        assert.equal(commit.title, 'm'.repeat(KIB), where);
      }
      const page = await fetch(`${server.origin}/${found.project.full_path}/-/commits/message-${name}`);
      assert.ok((await page.text()).length < 200 * KIB);
    });
  }

  it('shows 255 characters of the names and email addresses of authors', async () => {
    for (const length of [300, LONG / 2]) {
      const id = await branchWith(`author-${length}`, { author: `${'ö'.repeat(length)} <${'b'.repeat(length)}@example.com>` });
      for (const [where, commit] of await shown(`author-${length}`, id)) {
        assert.equal(commit?.author_name, 'ö'.repeat(255), where);
        assert.equal(commit.committer_name, 'ö'.repeat(255), where);
        assert.equal(commit.author_email, 'b'.repeat(255), where);
        assert.equal(commit.message, 'Lamps', where);
      }
      const people = await read<{ name: string; email: string }[]>(`contributors?ref=author-${length}`);
      assert.ok(people.some(({ name, email }) => name === 'ö'.repeat(255) && email === 'b'.repeat(255)));
    }
  });

  it('shows a thousand parents at most', async () => {
    const parents = Array.from({ length: 5000 }, (_, index) => (index === 0 ? first : index.toString(16).padStart(40, 'a')));
    const [known] = await readCommits(repository, [first]);
    const headers = [
      `tree ${known?.tree}`,
      ...parents.map((id) => `parent ${id}`),
      `author A <a@b> ${DATE}`,
      `committer A <a@b> ${DATE}`,
    ];
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
    const input = `${headers.join('\n')}\n\nMany\n`;
    const id = (await repository.git.run(repository.folder, args, { input })).stdout.toString('latin1').trim();
    const [commit] = await readCommits(repository, [id]);
    assert.deepEqual(commit?.parents, parents.slice(0, 1000));
  });

  it('stores the beginning of the message of a tag', async () => {
    const url = `${server.origin}/api/v4/projects/${found.project.id}/repository/tags`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': ada.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ tag_name: 'long', ref: 'main', message: 't'.repeat(500 * KIB) }),
    });
    assert.equal(response.status, 201);
    const [tag] = await read<{ message: string }[]>('tags');
    assert.equal(tag?.message, 't'.repeat(64 * KIB));
  });
});
