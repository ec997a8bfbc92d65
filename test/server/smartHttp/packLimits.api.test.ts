import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { branchHead } from '../../../server/features/git/refs.ts';
import { openRepository } from '../../../server/features/git/open.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import {
  commitObject,
  copyDelta,
  emptyDelta,
  entryBytes,
  gitObject,
  objectOfSize,
  offsetDelta,
  type PackEntry,
  pushObjects,
  referenceDelta,
  treeObject,
} from '../../support/gitPacks.ts';
import { type Clones, commitFile, startClones } from './clones.ts';
import { checkFolder } from './repositoryFolder.ts';

const MIB = 1024 * 1024;
const LARGE_OBJECT =
  'GitLab: an object of the push is larger than 1 MiB when unpacked, the limit of this server (--max-object-size)';
const LARGE_PUSH =
  'GitLab: all objects of the push together are larger than 4 MiB when unpacked, the limit of this server (--max-unpacked-size)';

const base = gitObject('blob', Buffer.alloc(1000, 'a'));
const tree = treeObject([['100644', 'a', base.id]]);
const head = commitObject(tree, 'Delta');
/** Distance of an entry after the base to the base. */
const distance = entryBytes(base).length;

describe('limits of pushes', () => {
  let clones: Clones;
  before(async () => {
    clones = await startClones({ packLimits: { object: MIB, total: 4 * MIB } });
  });
  after(() => clones.close());

  it('a file above the limit is refused with a sentence that names the limit, and nothing is stored', async () => {
    const { server } = clones;
    const { found, git, dir } = await clones.cloned();
    const before = branchHead(server.platform, found.project.id, 'main');
    const id = await commitFile(git, dir, 'large.txt', { text: 'a'.repeat(MIB + 1) });
    const { code, stderr } = await git.run('push', 'origin', 'main');
    assert.equal(code, 1);
    assert.ok(stderr.includes(`remote: ${LARGE_OBJECT}`), stderr);
    assert.match(stderr, /! \[remote rejected\] main -> main \(unpacker error\)/);
    assert.equal(branchHead(server.platform, found.project.id, 'main'), before);
    await checkFolder(server, found);
    const repository = await openRepository(server.platform, found.project);
    const { code: missing } = (await repository?.git.run(repository.folder, ['cat-file', '-e', id], { codes: [1, 128] })) ?? {};
    assert.notEqual(missing, 0);
  });

  it('a file of exactly the limit is accepted', async () => {
    const { found, git, dir } = await clones.cloned();
    const id = await commitFile(git, dir, 'large.txt', { text: 'a'.repeat(MIB) });
    await git.succeed('push', '-q', 'origin', 'main');
    assert.equal(branchHead(clones.server.platform, found.project.id, 'main'), id);
    await checkFolder(clones.server, found);
  });

  it('files that are together above the limit are refused, also in several commits', async () => {
    const { found, git, dir } = await clones.cloned();
    const before = branchHead(clones.server.platform, found.project.id, 'main');
    for (const letter of 'abcde') await commitFile(git, dir, letter, { text: letter.repeat(MIB) });
    const { code, stderr } = await git.run('push', 'origin', 'main');
    assert.equal(code, 1);
    assert.ok(stderr.includes(`remote: ${LARGE_PUSH}`), stderr);
    assert.equal(branchHead(clones.server.platform, found.project.id, 'main'), before);
    await git.succeed('push', '-q', 'origin', 'main~3:main');
    await checkFolder(clones.server, found);
  });

  it('deltas that git made are accepted', async () => {
    const { found, git, dir } = await clones.cloned();
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
    for (let change = 0; change < 5; change += 1) {
      lines[change * 300] = `changed ${change}`;
      await commitFile(git, dir, 'lines.txt', { text: lines.join('\n'), message: `Change ${change}` });
    }
    await git.succeed('repack', '-qadf');
    await git.succeed('push', '-q', 'origin', 'main');
    lines[1999] = 'a thin pack';
    const id = await commitFile(git, dir, 'lines.txt', { text: lines.join('\n'), message: 'Change again' });
    await git.succeed('push', '-q', 'origin', 'main');
    assert.equal(branchHead(clones.server.platform, found.project.id, 'main'), id);
    await checkFolder(clones.server, found);
  });

  const tooLarge = emptyDelta(1000, MIB + 1);
  for (const [name, entries, sentence] of [
    ['a delta on an id that copies', [base, referenceDelta(base, copyDelta(1000, 1000, 2000))], LARGE_OBJECT],
    ['a delta on an offset that copies', [base, offsetDelta(distance, copyDelta(1000, 1000, 2000))], LARGE_OBJECT],
    ['a delta that only says a large size', [base, referenceDelta(base, tooLarge)], LARGE_OBJECT],
    [
      'a delta of more than a hundred objects',
      [...Array.from({ length: 120 }, () => base), referenceDelta(base, tooLarge)],
      LARGE_OBJECT,
    ],
    ['a large tree', [gitObject('tree', Buffer.alloc(MIB + 1))], LARGE_OBJECT],
    ['a large commit', [commitObject(tree, 'word '.repeat(300_000))], LARGE_OBJECT],
    ['an object that says 4 GiB', [objectOfSize(2 ** 32 + 5, 'short')], LARGE_OBJECT],
    [
      'deltas together',
      [base, ...Array.from({ length: 5 }, () => referenceDelta(base, copyDelta(1000, 1000, 1000)))],
      LARGE_PUSH,
    ],
    ['an object that is longer than it says', [objectOfSize(3, 'longer')], 'GitLab: the pack is cut off or damaged'],
  ] satisfies readonly (readonly [string, readonly PackEntry[], string])[])
    it(`a push without a git client is refused for ${name}`, async () => {
      const found = await clones.newProject();
      const address = addressOf(clones.server, found.project.full_path);
      const output = await pushObjects(address, clones.ada.token, [...entries, base, tree, head], head, 'delta');
      assert.ok(output.includes(sentence), output);
      assert.match(output, /ng refs\/heads\/delta unpacker error/);
      assert.equal(branchHead(clones.server.platform, found.project.id, 'delta'), undefined);
      await checkFolder(clones.server, found);
    });

  it('a delta within the limits is unpacked', async () => {
    const found = await clones.newProject();
    const copied = gitObject('blob', Buffer.alloc(900_000, 'a'));
    const files = treeObject([['100644', 'a', copied.id]]);
    const commit = commitObject(files, 'Delta');
    const entries = [base, referenceDelta(base, copyDelta(1000, 1000, 900)), files, commit];
    const output = await pushObjects(
      addressOf(clones.server, found.project.full_path),
      clones.ada.token,
      entries,
      commit,
      'delta',
    );
    assert.match(output, /ok refs\/heads\/delta/);
    await checkFolder(clones.server, found);
  });

  it('pushes to snippets have the same limits', async () => {
    const { server, ada } = clones;
    const json = { title: 'Lamps', visibility: 'private', files: [{ file_path: 'a.txt', content: 'lamp\n' }] };
    const created = await server.request('POST', '/api/v4/snippets', { token: ada.token, json });
    const { id } = created.json() as { readonly id: number };
    const { git, dir } = await clones.clone(`snippets/${id}`);
    const before = (await git.succeed('rev-parse', 'HEAD')).trim();
    await commitFile(git, dir, 'large.txt', { text: 'a'.repeat(MIB + 1) });
    const { code, stderr } = await git.run('push', 'origin', 'main');
    assert.equal(code, 1);
    assert.ok(stderr.includes(`remote: ${LARGE_OBJECT}`), stderr);
    assert.equal((await git.succeed('ls-remote', 'origin', 'main')).slice(0, 40), before);
  });
});

describe('limits of pushes by default', () => {
  it('a kilobyte that unpacks to 200 MB is refused', async () => {
    const clones = await startClones();
    try {
      const zeros = gitObject('blob', Buffer.alloc(MIB));
      const bomb = referenceDelta(zeros, copyDelta(MIB, MIB - 1, 200));
      const found = await clones.newProject();
      const address = addressOf(clones.server, found.project.full_path);
      const output = await pushObjects(address, clones.ada.token, [zeros, bomb, base, tree, head], head, 'delta');
      assert.match(output, /an object of the push is larger than 100 MiB when unpacked/);
    } finally {
      await clones.close();
    }
  });

  it('a file of 20 MB is pushed and cloned', async () => {
    const clones = await startClones();
    try {
      const { found, git, dir } = await clones.cloned();
      writeFileSync(path.join(dir, 'zeros.bin'), Buffer.alloc(20 * MIB));
      await git.succeed('add', '.');
      await git.succeed('commit', '-qm', 'Large');
      await git.succeed('push', '-q', 'origin', 'main');
      await gitClient(clones.folder).succeed(
        'clone',
        '-q',
        '--bare',
        addressOf(clones.server, found.project.full_path, clones.ada.token),
        'copy.git',
      );
      assert.equal(
        (await gitClient(clones.folder).succeed('-C', 'copy.git', 'cat-file', '-s', 'main:zeros.bin')).trim(),
        String(20 * MIB),
      );
    } finally {
      await clones.close();
    }
  });
});
