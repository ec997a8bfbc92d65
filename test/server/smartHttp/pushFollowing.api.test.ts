import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, projectWith } from '../projects/cast.ts';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { PageClient } from '../../support/pages.ts';
import { type TestServer } from '../../support/server.ts';
import { type Clones, commitFile, startClones } from './clones.ts';

describe('what follows a push', () => {
  let clones: Clones;
  let server: TestServer;
  let ada: Actor;
  before(async () => {
    clones = await startClones();
    ({ server, ada } = clones);
  });
  after(() => clones.close());

  async function api(method: string, url: string, json?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch(`${server.origin}/api/v4${url}`, {
      method,
      headers: { 'PRIVATE-TOKEN': ada.token, 'Content-Type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    assert.ok(response.ok, `${method} ${url}: ${response.status}`);
    return response.json();
  }

  /** Creates a merge request from a new branch, and returns its path in the API. */
  async function mergeRequest(found: FoundProject, git: GitClient, dir: string): Promise<string> {
    await git.succeed('checkout', '-q', '-b', 'feature');
    await commitFile(git, dir, 'feature.txt');
    await git.succeed('push', '-q', 'origin', 'feature');
    const project = `/projects/${found.project.id}/merge_requests`;
    await api('POST', project, { source_branch: 'feature', target_branch: 'main', title: 'Feature' });
    return `${project}/1`;
  }

  const bodies = (notes: unknown): string[] => {
    assert.ok(Array.isArray(notes));
    return notes.map((note: { body: string }) => note.body);
  };

  it('the printed link opens a form that creates the merge request', async () => {
    const { found, git, dir } = await clones.cloned();
    await git.succeed('checkout', '-q', '-b', 'über/a&b');
    const id = await commitFile(git, dir, 'feature.txt');
    const { stderr } = await git.run('push', 'origin', 'HEAD');
    const link = /^remote: +(http\S+\/-\/merge_requests\/new\?\S+)/m.exec(stderr)?.[1];
    assert.ok(link, stderr);
    const { origin, pathname, search } = new URL(link);
    assert.equal(origin, server.origin);
    const client = new PageClient(server);
    await client.signIn('ada');
    const action = `/${found.project.full_path}/-/merge_requests`;
    const sent = await client.submit(await client.open(`${pathname}${search}`), action);
    assert.equal(sent.headers.get('location'), `${action}/1`);
    assert.partialDeepStrictEqual(await api('GET', `/projects/${found.project.id}/merge_requests/1`), {
      title: 'Add feature.txt',
      source_branch: 'über/a&b',
      target_branch: 'main',
      sha: id,
    });
  });

  it('a merge request follows its branch, forced pushes included, and is closed with it', async () => {
    const { found, git, dir } = await clones.cloned();
    const url = await mergeRequest(found, git, dir);
    await commitFile(git, dir, 'one.txt');
    const second = await commitFile(git, dir, 'two.txt');
    await git.succeed('push', '-q', 'origin', 'feature');
    assert.partialDeepStrictEqual(await api('GET', url), { sha: second, state: 'opened' });
    assert.ok(bodies(await api('GET', `${url}/notes`)).includes('added 2 commits'));
    await git.succeed('commit', '-q', '--amend', '-m', 'Amended');
    const amended = (await git.succeed('rev-parse', 'HEAD')).trim();
    await git.succeed('push', '-q', '--force', 'origin', 'feature');
    assert.partialDeepStrictEqual(await api('GET', url), { sha: amended });
    await git.succeed('push', '-q', 'origin', '--delete', 'feature');
    assert.partialDeepStrictEqual(await api('GET', url), { state: 'closed' });
  });

  it('a merge request is merged when its commits are pushed to the target branch', async () => {
    const { found, git, dir } = await clones.cloned();
    const url = await mergeRequest(found, git, dir);
    await git.succeed('checkout', '-q', 'main');
    await git.succeed('merge', '-q', '--no-ff', '--no-edit', 'feature');
    await git.succeed('push', '-q', 'origin', 'main');
    const merge = (await git.succeed('rev-parse', 'HEAD')).trim();
    assert.partialDeepStrictEqual(await api('GET', url), { state: 'merged', merge_commit_sha: merge });
  });

  it('the head of a merge request can be fetched', async () => {
    const { found, git, dir } = await clones.cloned();
    const url = await mergeRequest(found, git, dir);
    const { git: other, dir: otherDir } = await clones.clone(found.project.full_path);
    for (const name of ['x', 'y']) {
      await other.succeed('fetch', '-q', 'origin', `refs/merge-requests/1/head:${name}`);
      assert.partialDeepStrictEqual(await api('GET', url), { sha: (await other.succeed('rev-parse', name)).trim() });
      await commitFile(git, dir, name);
      await git.succeed('push', '-q', 'origin', 'feature');
    }
    // A merge request that is deleted has no head.
    await fetch(`${server.origin}/api/v4${url}`, { method: 'DELETE', headers: { 'PRIVATE-TOKEN': ada.token } });
    assert.equal(await gitClient(otherDir).succeed('ls-remote', 'origin', 'refs/merge-requests/*'), '');
  });

  it('commit messages on the default branch close issues, and those on other branches do not', async () => {
    const { found, git, dir } = await clones.cloned();
    const other = projectWith(server.platform, ada, { name: `Other 1` }, []);
    const issues = `/projects/${found.project.id}/issues`;
    for (const title of ['One', 'Two', 'Three', 'Four']) await api('POST', issues, { title });
    await api('POST', `/projects/${other.project.id}/issues`, { title: 'Elsewhere' });
    const id = await commitFile(git, dir, 'b.txt', {
      message: `Light\n\nCloses #1, #2 and ${other.project.full_path}#1. See #3.`,
    });
    await git.succeed('push', '-q', 'origin', 'HEAD:side');
    assert.partialDeepStrictEqual(await api('GET', `${issues}/1`), { state: 'opened' });
    await git.succeed('push', '-q', 'origin', 'main');
    const states = [];
    for (const iid of [1, 2, 3, 4]) states.push(await api('GET', `${issues}/${iid}`));
    assert.partialDeepStrictEqual(states, [{ state: 'closed' }, { state: 'closed' }, { state: 'opened' }, { state: 'opened' }]);
    assert.partialDeepStrictEqual(await api('GET', `/projects/${other.project.id}/issues/1`), { state: 'closed' });
    assert.deepEqual(bodies(await api('GET', `${issues}/1/notes`)), [`closed via commit ${id}`]);
  });

  it('commit messages of the first push to a project close issues, up to 100 commits back', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Empty' }, []);
    const issues = `/projects/${project.id}/issues`;
    for (const title of ['Out of reach', 'Oldest', 'Newest', 'Other branch']) await api('POST', issues, { title });
    const { git } = await clones.clone(project.full_path);
    const messages = ['Closes #1', 'Fixes #2', ...Array.from({ length: 98 }, (_, index) => `Lamp ${index}`), 'Closes #3'];
    const commits = messages.map((text, index) => commitOf('main', text, index)).join('');
    const imported = await git.runWith({ input: `${commits}${commitOf('side', 'Closes #4', 0)}` }, 'fast-import', '--quiet');
    assert.equal(imported.code, 0, imported.stderr);
    await git.succeed('push', '-q', 'origin', 'side', 'main');
    const states = [];
    for (const iid of [1, 2, 3, 4]) states.push(Object(await api('GET', `${issues}/${iid}`)).state);
    assert.deepEqual(states, ['opened', 'closed', 'closed', 'opened']);
    const head = (await git.succeed('rev-parse', 'main')).trim();
    assert.deepEqual(bodies(await api('GET', `${issues}/3/notes`)), [`closed via commit ${head}`]);
    assert.partialDeepStrictEqual(await api('GET', `/projects/${project.id}`), { default_branch: 'main' });
  });

  it('snippets can be pushed to', async () => {
    const file = { file_path: 'a.txt', content: 'lamp\n' };
    const snippet = await api('POST', '/snippets', { title: 'Lamps', visibility: 'private', files: [file] });
    assert.ok(typeof snippet === 'object' && snippet !== null && 'id' in snippet && typeof snippet.id === 'number');
    const { git, dir } = await clones.clone(`snippets/${snippet.id}`);
    await commitFile(git, dir, 'b.txt');
    await git.succeed('push', '-q', 'origin', 'main');
    assert.partialDeepStrictEqual(await api('GET', `/snippets/${snippet.id}`), {
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
    });
    const branch = await git.run('push', 'origin', 'HEAD:side');
    assert.match(branch.stderr, /\(only the branch main of a snippet can be pushed\)/);
    for (let index = 0; index < 9; index += 1) await commitFile(git, dir, `more-${index}`);
    const tooMany = await git.run('push', 'origin', 'main');
    assert.match(tooMany.stderr, /\(Snippet files can't be more than 10\)/);
    assert.partialDeepStrictEqual(await api('GET', `/snippets/${snippet.id}`), { files: [{}, {}] });
  });
});

/** Returns a commit in the format of `git fast-import`. */
function commitOf(branch: string, message: string, index: number): string {
  return `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata ${message.length}\n${message}\n`;
}
