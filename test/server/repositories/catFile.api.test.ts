import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeReader, countReaders, allowReaders, MAX_READ_BYTES, readObject } from '../../../server/repositories/catFile.ts';
import { entriesAt, type RepositoryDir, readBlob, readCommits } from '../../../server/repositories/objects.ts';
import { openRepository } from '../../../server/features/git/open.ts';
import type { GitProcess, GitProgram } from '../../../server/repositories/program.ts';
import type { Platform } from '../../../server/platform.ts';
import type { Project } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { commitFiles } from '../git/repository.ts';

/** A git program that records what it starts. */
interface RecordedProgram {
  readonly git: GitProgram;
  readonly commands: string[];
  readonly started: GitProcess[];
}

function recorded({ repositories }: Platform, hasReaders: boolean): RecordedProgram {
  const commands: string[] = [];
  const started: GitProcess[] = [];
  const git: GitProgram = {
    ...repositories.git,
    run: (folder, args, options) => {
      commands.push(args[0] ?? '');
      return repositories.git.run(folder, args, options);
    },
    start: async (folder, args, options) => {
      const child = await repositories.git.start(folder, args, options);
      started.push(child);
      return child;
    },
  };
  if (hasReaders) allowReaders(git);
  return { git, commands, started };
}

describe('reading objects without starting a process', () => {
  let server: TestServer;
  let ada: Actor;
  let count = 0;

  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  after(() => server.close());

  const make = async (files: Readonly<Record<string, string>>) => {
    const { platform } = server;
    const found = projectWith(platform, ada, { name: `Code ${(count += 1)}` });
    const commit = await commitFiles(platform, found, ada, files);
    return { found, commit, folder: (await opened(found.project)).folder };
  };
  const opened = async (project: Project): Promise<RepositoryDir> => {
    const repository = await openRepository(server.platform, project);
    assert.ok(repository !== undefined);
    return repository;
  };

  const names = ['a.txt', '-dash', 'größe 🚦.txt', 'folder/x missing', 'it\'s "quoted"', 'folder/deep/HEAD:a', '*', ':(top)a'];

  it('entries, contents and commits are those of git', async () => {
    const { folder, commit } = await make(Object.fromEntries(names.map((name, index) => [name, `content ${index}\n`])));
    const [fast, slow] = [recorded(server.platform, true), recorded(server.platform, false)];
    const both = [fast, slow].map(({ git }) => ({ git, folder }));
    const absent = ['none', 'folder/none', 'a.txt/none', 'none/none', 'folder/x', 'folder/deep/'];
    for (const name of [...names, 'folder', 'folder/deep', ...absent]) {
      const [one, other] = await Promise.all(both.map(async (repository) => [...(await entriesAt(repository, commit, [name]))]));
      assert.deepEqual(one, other, name);
      const [, entry] = one?.[0] ?? [];
      assert.equal(entry !== undefined, !absent.includes(name), name);
      if (entry?.type !== 'blob') continue;
      const [read, shown] = await Promise.all(both.map((repository) => readBlob(repository, entry.id)));
      assert.ok(read !== undefined && shown !== undefined && read.equals(shown));
    }
    const [read, shown] = await Promise.all(both.map((repository) => readCommits(repository, [commit])));
    assert.deepEqual(read, shown);
    assert.equal(fast.started.length, 1);
    assert.deepEqual(new Set(fast.commands), new Set(['ls-tree']), 'only a path with a slash at its end needs a command');
  });

  it('commits with signatures, encodings and odd authors are shown as git shows them', async () => {
    const { folder, commit } = await make({ a: 'a' });
    const [fast, slow] = [recorded(server.platform, true), recorded(server.platform, false)];
    const { git } = slow;
    const [known] = await readCommits({ git, folder }, [commit]);
    const person = 'Ada <ada@example.com> 1700000000 +0130';
    const plain = [`tree ${known?.tree}`, `author ${person}`, `committer ${person}`];
    const bodies = [
      [...plain, 'gpgsig -----BEGIN', ' line', '', ' -----END', '', 'Signed\n'].join('\n').replace('line\n\n', 'line\n \n'),
      [plain[0], `parent ${commit}`, ...plain.slice(1), '', ''].join('\n'),
      [...plain, '', 'No newline'].join('\n'),
      [...plain, '', '\n\nLines before\n\n\n'].join('\n'),
      Buffer.from([...plain, 'encoding ISO-8859-1', '', 'Gr\u00f6\u00dfe\n'].join('\n'), 'latin1'),
      Buffer.from([...plain, '', 'Gr\u00f6\u00dfe\n'].join('\n'), 'latin1'),
      [plain[0], 'author Ada  Lamp  <> 1700000000 +0000', `committer  <a b@example.com> 1 -0930`, '', 'Odd\n'].join('\n'),
      [plain[0], 'author Ada <a@b> 99999999999999 +0000', 'committer No date <a@b>', '', 'Odd\n'].join('\n'),
    ];
    for (const body of bodies) {
      const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
      const id = (await git.run(folder, args, { input: body })).stdout.toString('latin1').trim();
      const [read, shown] = await Promise.all([fast, slow].map((one) => readCommits({ git: one.git, folder }, [id])));
      assert.deepEqual(read, shown, String(body));
    }
  });

  it('many concurrent reads use one process, and a missing object does not disturb them', async () => {
    const { folder, commit } = await make({ a: 'some text\n', b: 'x'.repeat(100_000) });
    const { git, started, commands } = recorded(server.platform, true);
    const reads = Array.from({ length: 100 }, async (_, index) => {
      const missing = index.toString(16).padStart(40, '0');
      const read = await readObject(git, folder, index % 3 === 0 ? missing : `${commit}:${index % 2 === 0 ? 'a' : 'b'}`);
      return read === 'missing' ? read : read?.content?.length;
    });
    const expected = (index: number) => (index % 3 === 0 ? 'missing' : index % 2 === 0 ? 10 : 100_000);
    assert.deepEqual(
      await Promise.all(reads),
      Array.from({ length: 100 }, (_, index) => expected(index)),
    );
    assert.deepEqual([started.length, commands], [1, []]);
  });

  it('objects that are written later are found, alone and in a pack', async () => {
    const { folder, found } = await make({ a: 'a' });
    const { git } = server.platform.repositories;
    const { start } = git;
    let count = 0;
    Object.assign(git, { start: (...given: Parameters<typeof start>) => ((count += 1), start(...given)) });
    assert.equal(await readObject(git, folder, '1'.repeat(40)), 'missing');
    const loose = await commitFiles(server.platform, found, ada, { b: 'b' });
    const packed = await commitFiles(
      server.platform,
      found,
      ada,
      Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`many/${index}`, `file ${index}`])),
    );
    await server.platform.repositories.git.run(folder, ['repack', '-a', '-d', '-q']);
    for (const [commit, path] of [
      [loose, 'b'],
      [packed, 'many/149'],
    ] as const) {
      assert.ok((await entriesAt({ git, folder }, commit, [path])).has(path));
    }
    Object.assign(git, { start });
    assert.ok(count <= 1, 'the process is not replaced');
  });

  it('a process that crashes is replaced', async () => {
    const { folder, commit } = await make({ a: 'some text\n' });
    const { git, started, commands } = recorded(server.platform, true);
    for (let round = 1; round <= 3; round += 1) {
      const reads = await Promise.all(Array.from({ length: 5 }, () => readObject(git, folder, `${commit}:a`)));
      for (const read of reads) assert.ok(read !== undefined && read !== 'missing' && read.size === 10);
      started.at(-1)?.kill();
    }
    assert.deepEqual([started.length, commands], [3, []]);
  });

  it('an object above the limit is read whole, and the next reads continue', async () => {
    const size = MAX_READ_BYTES + 1000;
    const { folder, commit } = await make({ big: 'x'.repeat(size), small: 'small' });
    const { git } = recorded(server.platform, true);
    const repository = { git, folder };
    const id = (await entriesAt(repository, commit, ['big'])).get('big')?.id ?? '';
    const [big, small] = await Promise.all([readBlob(repository, id), readObject(git, folder, `${commit}:small`)]);
    assert.equal(big?.length, size);
    assert.ok(small !== undefined && small !== 'missing' && small.content?.toString() === 'small');
    assert.partialDeepStrictEqual(await readObject(git, folder, id), { type: 'blob', size });
  });

  it('a raw file above the limit is streamed with its metadata', async () => {
    const size = MAX_READ_BYTES + 1000;
    const content = Buffer.alloc(size, 'lamp ');
    const { found } = await make({ big: content.toString() });
    const address = `/api/v4/projects/${found.project.id}/repository`;
    const raw = await server.request('GET', `${address}/files/big/raw`, { token: ada.token });
    const head = await server.request('HEAD', `${address}/files/big/raw`, { token: ada.token });
    const digest = createHash('sha256').update(content).digest('hex');
    for (const { headers, status } of [raw, head]) {
      assert.equal(status, 200);
      assert.equal(headers.get('x-gitlab-size'), String(size));
      assert.equal(headers.get('x-gitlab-content-sha256'), digest);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    }
    assert.ok(raw.text === content.toString());
    const blob = await server.request('GET', `${address}/blobs/${raw.headers.get('x-gitlab-blob-id')}/raw`, { token: ada.token });
    assert.ok(blob.text === content.toString());
  });

  it('names with line breaks and unknown programs are left to commands', async () => {
    const { folder, commit } = await make({ a: 'a' });
    const { git } = recorded(server.platform, true);
    assert.equal(await readObject(git, folder, `${commit}:a\n${commit}`), undefined);
    assert.equal(await readObject(recorded(server.platform, false).git, folder, commit), undefined);
  });

  it('at most eight repositories have a process, and closing one ends it', async () => {
    const { git, started } = recorded(server.platform, true);
    const made = [];
    for (let index = 0; index < 10; index += 1) made.push(await make({ a: 'a' }));
    for (const { folder, commit } of made) await readObject(git, folder, commit);
    assert.equal(countReaders(git), 8);
    await Promise.all(started.slice(0, 2).map((child) => child.ended));
    await closeReader(made[9]?.folder ?? '');
    assert.equal((await started[9]?.ended)?.code, 0);
    assert.equal(countReaders(git), 7);
  });

  it('the processes end with the server', async () => {
    await using other = await startTestServer();
    const someone = actor(other.platform, 'bea');
    const found = projectWith(other.platform, someone, { name: 'Lamps' });
    const commit = await commitFiles(other.platform, found, someone, { a: 'a' });
    const { git, started } = recorded(other.platform, true);
    const repository = await openRepository(other.platform, found.project);
    assert.ok(await readObject(git, repository?.folder ?? '', commit));
    other.platform.repositories.git.stop();
    assert.equal((await started[0]?.ended)?.code, -1);
    assert.equal(await readObject(git, repository?.folder ?? '', commit), undefined);
  });

  it('a file whose last change is known is read again without any process', async () => {
    const { found } = await make({ 'folder/a.txt': 'hello\n' });
    const { git } = server.platform.repositories;
    const address = `/api/v4/projects/${found.project.id}/repository/files/folder%2Fa.txt`;
    const first = await server.request('GET', `${address}?ref=main`, { token: ada.token });
    const { run, start } = git;
    const verbs: string[] = [];
    Object.assign(git, {
      run: (...given: Parameters<typeof run>) => (verbs.push(given[1][0] ?? ''), run(...given)),
      start: (...given: Parameters<typeof start>) => (verbs.push(given[1][0] ?? ''), start(...given)),
    });
    try {
      for (const rest of ['?ref=main', '?ref=main', '/raw']) {
        assert.equal((await server.request('GET', `${address}${rest}`, { token: ada.token })).status, 200);
      }
    } finally {
      Object.assign(git, { run, start });
    }
    assert.equal(first.status, 200);
    assert.deepEqual(verbs, []);
  });
});
