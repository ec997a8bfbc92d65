import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { pktLine } from '../../../server/features/smartHttp/pktLine.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { gitObject, pushObjects, treeBomb } from '../../support/gitPacks.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Returns a packet of the git protocol as text. */
const pkt = (text: string): string => pktLine(text).toString();

describe('git over HTTPS', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  let git: GitClient;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-git-'));
    git = gitClient(folder);
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  });

  it('clones a private project with a token as password', async () => {
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    await git.succeed('clone', addressOf(server, found.project.full_path, ada.token), 'lamps');
    assert.equal(readFileSync(path.join(folder, 'lamps', 'a.txt'), 'utf8'), 'lamp\n');
  });

  for (const version of [0, 1, 2]) {
    it(`clones an empty project with its default branch by protocol version ${version}`, async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      await git.succeed('-c', `protocol.version=${version}`, 'clone', addressOf(server, found.project.full_path), 'lamps');
      const head = await git.succeed('-C', 'lamps', 'symbolic-ref', 'HEAD');
      // Only version 2 reports the branch of a repository without commits; git falls back to its own default.
      assert.equal(head.trim(), version === 2 ? `refs/heads/${found.project.default_branch}` : 'refs/heads/master');
    });
  }

  /** Creates a public project with these files in its first commit. */
  const projectOf = async (files: Readonly<Record<string, string>>): Promise<FoundProject> => {
    const found = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
    await commitFiles(server.platform, found, ada, files);
    return found;
  };
  const cloned = (...names: readonly string[]): string => path.join(folder, ...names);

  for (const version of [0, 1, 2]) {
    it(`fetches new commits, branches and tags by protocol version ${version}`, async () => {
      const found = await projectOf({ 'a.txt': 'lamp' });
      const protocol = ['-c', `protocol.version=${version}`];
      await git.succeed(...protocol, 'clone', addressOf(server, found.project.full_path), 'lamps');
      const head = await commitFiles(server.platform, found, ada, { 'b.txt': 'bulb' });
      await commitFiles(server.platform, found, ada, { 'c.txt': 'candle' }, { branch: 'wax', startBranch: 'main' });
      const tagged = await server.request('POST', `/api/v4/projects/${found.project.id}/repository/tags`, {
        token: ada.token,
        json: { tag_name: 'v1', ref: 'main', message: 'First' },
      });
      assert.equal(tagged.status, 201);
      await git.succeed('-C', 'lamps', ...protocol, 'fetch', '--tags');
      const refs = await git.succeed('-C', 'lamps', 'for-each-ref', '--format=%(refname) %(objecttype)');
      assert.deepEqual(refs.trim().split('\n'), [
        'refs/heads/main commit',
        'refs/remotes/origin/HEAD commit',
        'refs/remotes/origin/main commit',
        'refs/remotes/origin/wax commit',
        'refs/tags/v1 tag',
      ]);
      assert.equal((await git.succeed('-C', 'lamps', 'rev-parse', 'origin/main', 'v1^{commit}')).trim(), `${head}\n${head}`);
      await git.succeed('-C', 'lamps', 'fsck', '--full');
    });
  }

  it('makes shallow clones, and deepens them', async () => {
    const found = await projectOf({ 'a.txt': 'lamp' });
    for (const name of ['b', 'c', 'd']) await commitFiles(server.platform, found, ada, { [name]: name });
    await git.succeed('clone', '--depth=1', addressOf(server, found.project.full_path), 'lamps');
    const count = async (): Promise<number> => Number(await git.succeed('-C', 'lamps', 'rev-list', '--count', 'HEAD'));
    assert.equal(await count(), 1);
    await git.succeed('-C', 'lamps', 'fetch', '--deepen=1');
    assert.equal(await count(), 2);
    await git.succeed('-C', 'lamps', 'fetch', '--unshallow');
    assert.equal(await count(), 4);
  });

  it('makes partial clones, whose contents are fetched when they are needed', async () => {
    const found = await projectOf({ 'a.txt': 'lamp', 'b/c.txt': 'bulb' });
    await git.succeed('clone', '--filter=blob:none', '--no-checkout', addressOf(server, found.project.full_path), 'lamps');
    const missing = await git.succeed('-C', 'lamps', 'rev-list', '--objects', '--missing=print', '--all');
    assert.equal(missing.split('\n').filter((line) => line.startsWith('?')).length, 2);
    assert.equal(await git.succeed('-C', 'lamps', 'show', 'HEAD:b/c.txt'), 'bulb');
  });

  for (const [name, filter] of [
    ['sparse:oid', (id: string) => [`--filter=sparse:oid=${id}`]],
    ['combine', () => ['--filter=blob:none', '--filter=tree:5']],
  ] as const) {
    it(`refuses the filter ${name}, for which git reads each path`, async () => {
      const found = await projectOf({ 'a.txt': 'lamp' });
      const id = gitObject('blob', 'lamp').id;
      const { code, stderr } = await git.run(
        'clone',
        '--bare',
        ...filter(id),
        addressOf(server, found.project.full_path),
        'lamps',
      );
      assert.equal(code, 128);
      assert.match(stderr, new RegExp(`filter '${name}' not supported`));
    });
  }

  for (const filter of ['blob:none', 'blob:limit=10', 'tree:0', 'tree:3', 'object:type=commit']) {
    it(`serves the filter ${filter} for a tree with a billion paths`, async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Paths', visibility: 'public' });
      const address = addressOf(server, project.full_path);
      const bomb = treeBomb(9);
      assert.match(await pushObjects(address, ada.token, bomb.objects, bomb.head), /ok refs/);
      await git.succeed('clone', '-q', '--bare', `--filter=${filter}`, address, 'paths');
    });
  }

  it('fetches a single commit by its ID', async () => {
    const found = await projectOf({ 'a.txt': 'lamp' });
    const head = await commitFiles(server.platform, found, ada, { 'b.txt': 'bulb' });
    await commitFiles(server.platform, found, ada, { 'c.txt': 'candle' });
    await git.succeed('init', 'lamps');
    await git.succeed('-C', 'lamps', 'fetch', '--depth=1', addressOf(server, found.project.full_path), head);
    assert.equal((await git.succeed('-C', 'lamps', 'rev-parse', 'FETCH_HEAD')).trim(), head);
  });

  it('keeps odd names of files and branches', async () => {
    const names = ['ünï/🚦.txt', 'a b/ c', '-x', 'quote\'".txt', '%2F%00', '\u200b.txt'];
    const found = await projectOf(Object.fromEntries(names.map((name) => [name, name])));
    const branches = ['fœo/bär', 'a#b%20', "it's", '+x&y=z'];
    for (const branch of branches)
      await commitFiles(server.platform, found, ada, { [branch]: branch }, { branch, startBranch: 'main' });
    await git.succeed('clone', addressOf(server, found.project.full_path), 'lamps');
    const listed = await git.succeed('-C', 'lamps', 'ls-files', '-z');
    assert.deepEqual(new Set(listed.split('\0').filter((name) => name !== '')), new Set(names));
    assert.equal(readFileSync(cloned('lamps', 'ünï', '🚦.txt'), 'utf8'), 'ünï/🚦.txt');
    for (const branch of branches) assert.equal(await git.succeed('-C', 'lamps', 'show', `origin/${branch}:${branch}`), branch);
  });

  it('clones personal snippets and those of projects', async () => {
    await projectOf({ 'a.txt': 'lamp' });
    for (const where of ['', 'projects/ada%2Flamps/']) {
      const json = { title: 'Lamp', visibility: 'private', files: [{ file_path: 'x.txt', content: where }] };
      const created = await server.request('POST', `/api/v4/${where}snippets`, { token: ada.token, json });
      const { id, http_url_to_repo: address } = created.json() as { id: number; http_url_to_repo: string };
      await git.succeed('clone', address.replace('//', `//x:${ada.token}@`), `snippet${id}`);
      assert.equal(readFileSync(cloned(`snippet${id}`, 'x.txt'), 'utf8'), where);
    }
  });

  it('says why a clone is refused', async () => {
    const found = projectWith(server.platform, ada, { name: 'Secrets' });
    const reader = actor(server.platform, 'reader', { scopes: ['read_user'] });
    const outsider = await git.run('clone', addressOf(server, found.project.full_path, reader.token), 'a');
    assert.match(outsider.stderr, /^remote: The project you were looking for could not be found or you don't have permission/m);
    assert.equal(outsider.code, 128);
    const wrong = await git.run('clone', addressOf(server, found.project.full_path, 'wrong-token'), 'b');
    assert.match(wrong.stderr, /^remote: HTTP Basic: Access denied\./m);
    const dumb = await git.runWith({ env: { GIT_SMART_HTTP: '0' } }, 'clone', addressOf(server, found.project.full_path), 'c');
    assert.match(dumb.stderr, /^remote: The dumb HTTP protocol is not supported\./m);
  });

  /** Pushes a file of random bytes to a new project, and returns its path. */
  const pushRandom = async (size: number): Promise<string> => {
    const { project } = projectWith(server.platform, ada, { name: 'Large', visibility: 'public' });
    await git.succeed('init', '--initial-branch=main', 'large');
    writeFileSync(cloned('large', 'random.bin'), randomBytes(size));
    await git.succeed('-C', 'large', 'add', '.');
    await git.succeed('-C', 'large', 'commit', '-qm', 'Random bytes');
    await git.succeed('-C', 'large', 'push', addressOf(server, project.full_path, ada.token), 'main');
    return project.full_path;
  };

  it('ends the transfers of clients that have gone, and serves others', async () => {
    const fullPath = await pushRandom(12 * 1024 * 1024);
    const head = (await git.succeed('-C', 'large', 'rev-parse', 'HEAD')).trim();
    const wanted = `${pkt('command=fetch\n')}0001${pkt(`want ${head}\n`)}${pkt('done\n')}0000`;
    const leave = async (): Promise<void> => {
      const controller = new AbortController();
      const response = await fetch(`${server.origin}/${fullPath}.git/git-upload-pack`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-git-upload-pack-request', 'Git-Protocol': 'version=2' },
        body: wanted,
        signal: controller.signal,
      });
      assert.equal(response.status, 200);
      const first = await response.body?.getReader().read();
      assert.ok((first?.value?.length ?? 0) > 0);
      controller.abort();
    };
    // More than the number of transfers at once, so that a transfer that does not end blocks the next ones.
    await Promise.all(Array.from({ length: 20 }, leave));
    await git.succeed('clone', '--bare', addressOf(server, fullPath), 'after.git');
  });

  describe('bodies of requests', () => {
    const post = async (body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
      const found = await projectOf({ 'a.txt': 'lamp' });
      return fetch(`${server.origin}/${found.project.full_path}.git/git-upload-pack`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-git-upload-pack-request', 'Git-Protocol': 'version=2', ...headers },
        body: new Uint8Array(body),
      });
    };
    const listing = Buffer.from(`${pkt('command=ls-refs\n')}0000`);

    it('compressed bodies are accepted', async () => {
      const response = await post(gzipSync(listing), { 'Content-Encoding': 'gzip' });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/x-git-upload-pack-result');
      assert.match(await response.text(), /refs\/heads\/main/);
    });

    it('a body that is not valid gzip data is refused', async () => {
      assert.equal((await post(listing, { 'Content-Encoding': 'gzip' })).status, 400);
    });

    it('another compression is refused', async () => {
      assert.equal((await post(listing, { 'Content-Encoding': 'br' })).status, 415);
    });

    it('a small body that inflates to a large one is refused', async () => {
      const haves = Buffer.from(pkt(`have ${'1'.repeat(40)}\n`).repeat(700_000));
      const start = Buffer.from(`${pkt('command=fetch\n')}0001`);
      const response = await post(gzipSync(Buffer.concat([start, haves])), { 'Content-Encoding': 'gzip' });
      assert.equal(response.status, 413);
    });
  });

  it('redirects the address without .git and the former path of a project', async () => {
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const plain = addressOf(server, found.project.full_path, ada.token).slice(0, -'.git'.length);
    await git.succeed('clone', plain, 'plain');
    const moved = await server.request('PUT', `/api/v4/projects/${found.project.id}`, {
      token: ada.token,
      json: { path: 'bulbs' },
    });
    assert.equal(moved.status, 200);
    await git.succeed('-C', 'plain', 'fetch');
    const { stderr, code } = await git.run('clone', addressOf(server, 'ada/lamps', ada.token), 'moved');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /redirecting to .*\/ada\/bulbs\.git/);
  });
});
