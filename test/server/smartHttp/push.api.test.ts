import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { branchHead, findTag } from '../../../server/features/git/refs.ts';
import { openRepository } from '../../../server/features/git/open.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { testEnvironment } from '../../support/environment.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { type TestServer } from '../../support/server.ts';
import { checkFolder } from './repositoryFolder.ts';
import { until } from '../../support/until.ts';
import { type Clones, commitFile, startClones } from './clones.ts';

describe('pushes', () => {
  let clones: Clones;
  let server: TestServer;
  let folder: string;
  let ada: Actor;
  before(async () => {
    clones = await startClones();
    ({ server, folder, ada } = clones);
  });
  after(() => clones.close());

  const head = (found: FoundProject, branch: string): string | undefined => branchHead(server.platform, found.project.id, branch);

  async function events(found: FoundProject): Promise<unknown[]> {
    const url = `${server.origin}/api/v4/projects/${found.project.id}/events?action=pushed`;
    const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': ada.token } });
    const body: unknown = await response.json();
    assert.ok(Array.isArray(body));
    return body.map((event: { push_data: unknown }) => event.push_data);
  }

  /** Returns the lines of the server in the output of a push. */
  const remote = (stderr: string): string[] =>
    stderr.split('\n').flatMap((line) => (line.startsWith('remote: ') ? [line.slice(8).trimEnd()] : []));

  it('notes on commits are stored and fetched, without events', async () => {
    const { found, git, dir } = await clones.cloned();
    const eventsOf = async (): Promise<unknown> =>
      (await server.request('GET', `/api/v4/projects/${found.project.id}/events`, { token: ada.token })).json();
    const before = await eventsOf();
    await git.succeed('notes', '--ref', 'review', 'add', '-m', 'Bright enough');
    await git.succeed('push', '-q', 'origin', 'refs/notes/review');
    await git.succeed('notes', '--ref', 'review', 'remove');
    await git.succeed('fetch', '-q', 'origin', '+refs/notes/*:refs/notes/*');
    assert.equal(await git.succeed('notes', '--ref', 'review', 'show'), 'Bright enough\n', dir);
    await git.succeed('push', '-q', '--delete', 'origin', 'refs/notes/review');
    assert.equal(await git.succeed('ls-remote', 'origin', 'refs/notes/*'), '');
    assert.deepEqual(await eventsOf(), before);
  });

  it('updates a branch, and records an event', async () => {
    const { found, git, dir } = await clones.cloned();
    const before = head(found, 'main');
    await commitFile(git, dir, 'b.txt');
    const id = await commitFile(git, dir, 'c.txt');
    await git.succeed('push', '-q', 'origin', 'main');
    assert.equal(head(found, 'main'), id);
    const [event] = await events(found);
    assert.deepEqual(event, {
      commit_count: 2,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: before,
      commit_to: id,
      ref: 'main',
      commit_title: 'Add c.txt',
      ref_count: null,
    });
    await checkFolder(server, found);
  });

  it('creates the repository of an empty project with its default branch and readme', async () => {
    const found = projectWith(server.platform, ada, { name: 'Empty', defaultBranch: 'other' }, []);
    const dir = path.join(folder, 'empty');
    await gitClient(folder).succeed('init', '-q', '-b', 'trunk', dir);
    const git = gitClient(dir);
    const id = await commitFile(git, dir, 'README.md');
    await git.succeed('push', '-q', addressOf(server, found.project.full_path, ada.token), 'trunk');
    assert.equal(head(found, 'trunk'), id);
    const url = `${server.origin}/api/v4/projects/${found.project.id}`;
    const project: unknown = await (await fetch(url, { headers: { 'PRIVATE-TOKEN': ada.token } })).json();
    assert.partialDeepStrictEqual(project, {
      default_branch: 'trunk',
      empty_repo: false,
      readme_url: `${server.origin}/${found.project.full_path}/-/blob/trunk/README.md`,
    });
  });

  it('creates, moves and deletes branches and tags, and records their events', async () => {
    const { found, git, dir } = await clones.cloned();
    const first = (await git.succeed('rev-parse', 'HEAD')).trim();
    const second = await commitFile(git, dir, 'b.txt');
    await git.succeed('tag', 'light');
    await git.succeed('tag', '-a', 'v1', '-m', 'Version 1\n\nBright');
    const tagObject = (await git.succeed('rev-parse', 'v1')).trim();
    await git.succeed('push', '-q', 'origin', 'HEAD:feature/a', 'light', 'v1');
    assert.equal(head(found, 'feature/a'), second);
    const tag = findTag(server.platform, found.project.id, 'v1');
    assert.partialDeepStrictEqual(tag, { target: tagObject, commit_id: second, message: 'Version 1\n\nBright' });
    assert.ok(tag?.tagged_at !== null);
    await git.succeed('push', '-q', '--force', 'origin', `${first}:refs/heads/feature/a`);
    assert.equal(head(found, 'feature/a'), first);
    await git.succeed('push', '-q', '--force', 'origin', `${first}:refs/tags/light`);
    assert.equal(findTag(server.platform, found.project.id, 'light')?.commit_id, first);
    await git.succeed('push', '-q', 'origin', '--delete', 'feature/a', 'v1');
    assert.equal(head(found, 'feature/a'), undefined);
    const recorded = (await events(found)).toReversed();
    assert.partialDeepStrictEqual(recorded.slice(1), [
      { action: 'created', ref_type: 'branch', ref: 'feature/a', commit_from: null, commit_to: second, commit_count: 1 },
      { action: 'created', ref_type: 'tag', ref: 'light', commit_to: second, commit_title: 'Add b.txt' },
      { action: 'created', ref_type: 'tag', ref: 'v1', commit_from: null, commit_to: second },
      { action: 'pushed', ref_type: 'branch', ref: 'feature/a', commit_from: second, commit_to: first, commit_count: 0 },
      { action: 'pushed', ref_type: 'tag', ref: 'light', commit_from: second, commit_to: first },
      { action: 'removed', ref_type: 'branch', ref: 'feature/a', commit_from: first, commit_to: null, commit_title: null },
      { action: 'removed', ref_type: 'tag', ref: 'v1', commit_from: second, commit_to: null, commit_count: 0 },
    ]);
    await checkFolder(server, found);
  });

  it('records one event for more refs of one kind than the limit', async () => {
    const { found, git } = await clones.cloned();
    const refs = ['a', 'b', 'c', 'd'].map((name) => `HEAD:refs/heads/many-${name}`);
    await git.succeed('push', '-q', 'origin', ...refs, 'HEAD:refs/tags/one');
    const [tag, branches] = await events(found);
    assert.partialDeepStrictEqual(tag, { ref_type: 'tag', ref: 'one', ref_count: null });
    assert.deepEqual(branches, {
      commit_count: 0,
      action: 'created',
      ref_type: 'branch',
      commit_from: null,
      commit_to: null,
      ref: null,
      commit_title: null,
      ref_count: 4,
    });
  });

  it('updates no ref of an atomic push of which one ref is refused', async () => {
    const { found, git, dir } = await clones.cloned();
    await git.succeed('push', '-q', 'origin', 'HEAD:refs/heads/folder');
    await commitFile(git, dir, 'b.txt');
    const args = ['origin', 'HEAD:refs/heads/fine', 'HEAD:refs/heads/folder/inner'];
    const atomic = await git.run('push', '--atomic', ...args);
    assert.equal(atomic.code, 1);
    assert.match(atomic.stderr, /fine \(atomic push failed\)/);
    assert.equal(head(found, 'fine'), undefined);
    const other = await git.run('push', ...args);
    assert.match(other.stderr, /\[remote rejected\] HEAD -> folder\/inner \(conflicts with folder\)/);
    assert.ok(head(found, 'fine') !== undefined);
    await checkFolder(server, found);
  });

  it('accepts a push from a shallow clone', async () => {
    const { found, git, dir } = await clones.cloned();
    await commitFile(git, dir, 'b.txt');
    await git.succeed('push', '-q', 'origin', 'main');
    const shallow = await clones.clone(found.project.full_path, ada, '--depth', '1');
    const id = await commitFile(shallow.git, shallow.dir, 'c.txt');
    await shallow.git.succeed('push', '-q', 'origin', 'main');
    assert.equal(head(found, 'main'), id);
    await checkFolder(server, found);
  });

  it('accepts large packs, many commands and odd names', async () => {
    const { found, git, dir } = await clones.cloned();
    for (let index = 0; index < 120; index += 1) writeFileSync(path.join(dir, `file ${index} ü`), `${index}`);
    writeFileSync(path.join(dir, 'large'), randomBytes(3_000_000));
    await git.succeed('add', '.');
    await git.succeed('commit', '-q', '-m', 'Many files');
    const names = ['ümlaut/☃', "quote'd", 'a&b#c%d', 'x'.repeat(200), '日本', ...Array.from({ length: 300 }, (_, i) => `n/${i}`)];
    await git.succeed('push', '-q', 'origin', ...names.map((name) => `HEAD:refs/heads/${name}`));
    for (const name of names) assert.ok(head(found, name) !== undefined, name);
    const again = await clones.clone(found.project.full_path, ada, '--branch', 'ümlaut/☃');
    assert.equal((await again.git.succeed('ls-files')).split('\n').length, 123);
    await checkFolder(server, found);
  });

  describe('refusals', () => {
    let found: FoundProject;
    let dev: Actor;
    before(() => {
      dev = actor(server.platform, 'dev');
    });

    async function refusedPush(as: Actor, ...args: readonly string[]): Promise<{ lines: string[]; stderr: string }> {
      const { git, dir } = await clones.clone(found.project.full_path, as);
      await commitFile(git, dir, 'new.txt');
      const { code, stderr } = await git.run('push', 'origin', ...args);
      assert.equal(code, 1, stderr);
      return { lines: remote(stderr), stderr };
    }

    before(async () => {
      found = projectWith(server.platform, ada, { name: 'Protected' }, [[dev, 30]]);
      await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    });

    it('a developer cannot push to the protected default branch, nor anything else in the same push', async () => {
      const { lines, stderr } = await refusedPush(dev, 'main', 'HEAD:refs/heads/fine');
      assert.equal(lines[0], 'GitLab: You are not allowed to push code to protected branches on this project.');
      assert.match(lines[1] ?? '', /^GitLab: .*merge request/);
      assert.match(stderr, /main -> main \(pre-receive hook declined\)/);
      assert.match(stderr, /HEAD -> fine \(pre-receive hook declined\)/);
      assert.equal(head(found, 'fine'), undefined);
    });

    it('nobody can delete the default branch', async () => {
      const { lines } = await refusedPush(ada, '--delete', 'main');
      assert.equal(lines[0], 'GitLab: The default branch of a project cannot be deleted.');
    });

    it('only branches, tags and notes can be pushed', async () => {
      const { stderr } = await refusedPush(ada, 'HEAD:refs/merge-requests/1/head');
      assert.match(stderr, /\(only branches, tags and notes can be pushed\)/);
    });

    it('branches with the names of objects are refused', async () => {
      const { stderr } = await refusedPush(ada, `HEAD:refs/heads/${'a'.repeat(40)}`);
      assert.match(stderr, /\(funny refname\)/);
    });

    it('a tag cannot point to a tree', async () => {
      const { stderr } = await refusedPush(ada, 'HEAD^{tree}:refs/tags/tree');
      assert.match(stderr, /\(a tag must point to a commit\)/);
    });

    it('a project that is moved to another storage is read-only', async () => {
      const { git, dir } = await clones.clone(found.project.full_path, ada);
      await commitFile(git, dir, 'moved.txt');
      server.platform.store.run('UPDATE projects SET repository_read_only = 1 WHERE id = $id', { id: found.project.id });
      const { code, stderr } = await git.run('push', 'origin', 'main');
      server.platform.store.run('UPDATE projects SET repository_read_only = 0 WHERE id = $id', { id: found.project.id });
      assert.equal(code, 128);
      assert.match(stderr, /The repository is temporarily read-only\. Please try again later\./);
    });

    it('a pack that is cut off or damaged leaves nothing behind', async () => {
      const { git, dir } = await clones.clone(found.project.full_path, ada);
      const id = await commitFile(git, dir, 'cut.txt', { text: randomBytes(50_000).toString('hex') });
      const pack = execFileSync('git', ['pack-objects', '--revs', '--stdout', '-q'], {
        cwd: dir,
        env: testEnvironment(['git']),
        input: `${id}\n^${head(found, 'main') ?? ''}\n`,
      });
      const line = `${'0'.repeat(40)} ${id} refs/heads/cut\0 report-status side-band-64k`;
      const begin = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
      const damaged = Buffer.from(pack);
      damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 0xff;
      for (const body of [pack.subarray(0, pack.length - 100), damaged]) {
        const response = await fetch(`${server.origin}/${found.project.full_path}.git/git-receive-pack`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/x-git-receive-pack-request',
            Authorization: `Basic ${Buffer.from(`x:${ada.token}`).toString('base64')}`,
          },
          body: Buffer.concat([begin, body]),
        });
        assert.match(await response.text(), /ng refs\/heads\/cut unpacker error/);
      }
      assert.equal(head(found, 'cut'), undefined);
      await checkFolder(server, found);
    });
  });

  it('an upload whose connection breaks leaves nothing behind', async () => {
    const { found, git, dir } = await clones.cloned();
    const id = await commitFile(git, dir, 'cut.txt', { text: randomBytes(200_000).toString('hex') });
    const pack = execFileSync('git', ['pack-objects', '--revs', '--stdout', '-q'], {
      cwd: dir,
      env: testEnvironment(['git']),
      input: `${id}\n^${head(found, 'main') ?? ''}\n`,
    });
    const line = `${'0'.repeat(40)} ${id} refs/heads/cut\0 report-status side-band-64k`;
    const upload = httpRequest(`${server.origin}/${found.project.full_path}.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-git-receive-pack-request',
        Authorization: `Basic ${Buffer.from(`x:${ada.token}`).toString('base64')}`,
      },
    });
    const broken = new Promise((resolve) => {
      upload.once('error', resolve);
    });
    upload.write(Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`));
    upload.write(pack.subarray(0, pack.length / 2));
    const repository = await openRepository(server.platform, found.project);
    const incoming = path.join(repository?.folder ?? '', 'incoming');
    const uploads = () => (existsSync(incoming) ? readdirSync(incoming).length : 0);
    await until(uploads, (length) => length === 1, 'the upload begins');
    upload.destroy();
    await broken;
    await until(uploads, (length) => length === 0, 'the objects are removed');
    assert.equal(head(found, 'cut'), undefined);
    await checkFolder(server, found);
    await git.succeed('push', '-q', 'origin', 'HEAD:cut');
    assert.equal(head(found, 'cut'), id);
  });

  it('prints where a merge request can be created, and creates one by push options', async () => {
    const { git, dir, found } = await clones.cloned();
    await commitFile(git, dir, 'b.txt');
    const page = `${server.origin}/${found.project.full_path}/-/merge_requests`;
    const first = await git.run('push', 'origin', 'HEAD:refs/heads/a/b');
    assert.deepEqual(remote(first.stderr), [
      '',
      'To create a merge request for a/b, visit:',
      `  ${page}/new?merge_request%5Bsource_branch%5D=a%2Fb`,
      '',
    ]);
    await commitFile(git, dir, 'c.txt');
    const options = ['-o', 'merge_request.create', '-o', 'merge_request.title=Brighter'];
    const second = await git.run('push', ...options, 'origin', 'HEAD:refs/heads/a/b');
    assert.deepEqual(remote(second.stderr), ['', 'View merge request for a/b:', `  ${page}/1`, '']);
  });
});
