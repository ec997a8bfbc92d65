import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readCommits, readTree } from '../../../server/repositories/objects.ts';
import { createListing } from '../../../server/repositories/listing.ts';
import {
  discardHistory,
  type PlannedPush,
  prepareHistory,
  type PreparedHistory,
} from '../../../server/features/preparedRepositories/prepareHistory.ts';
import { writeCommitObject, writeMergeObject } from '../../../server/repositories/writing.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const user = { name: 'Ines', username: 'ines', email: 'ines@signalbox.example' };
const NOW = Date.UTC(2026, 4, 10, 15, 30);

const file = (content: string, executable = false) => ({ content: Buffer.from(content), executable });
const commit = (message: string, files: Readonly<Record<string, string | undefined>>, branch = 'main'): PlannedPush => ({
  kind: 'commit',
  user,
  at: NOW,
  branch,
  message,
  files: new Map(Object.entries(files).map(([path, text]) => [path, text === undefined ? undefined : file(text)])),
});
const merge = (source: string, branch = 'main'): PlannedPush => ({
  kind: 'merge',
  user,
  at: NOW,
  source,
  branch,
  message: `Merge ${source}`,
});

describe('a prepared repository', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const placeOf = ({ location }: PreparedHistory) => {
    const { git, folderOf } = server.platform.repositories;
    return { git, folder: folderOf(location) };
  };
  async function prepared(...plans: readonly PlannedPush[]): Promise<PreparedHistory> {
    const history = await prepareHistory(server.platform, 'main', plans);
    assert.ok('location' in history, JSON.stringify(history));
    return history;
  }
  async function refusals(...plans: readonly PlannedPush[]): Promise<readonly string[]> {
    const history = await prepareHistory(server.platform, 'main', plans);
    return 'impossible' in history ? history.impossible.map(({ refusal }) => refusal) : [];
  }
  async function filesAt(history: PreparedHistory, index: number): Promise<Record<string, string>> {
    const repository = placeOf(history);
    const listing = createListing(await readTree(repository, history.pushes[index]?.ref.commit_id ?? '', true));
    const entries = Array.from({ length: listing.length }, (_, at) => listing.entry(at)).filter(({ type }) => type === 'blob');
    const contents = entries.map(async ({ path, id }) => {
      const { stdout } = await repository.git.run(repository.folder, ['cat-file', 'blob', id]);
      return [path, stdout.toString()] as const;
    });
    return Object.fromEntries(await Promise.all(contents));
  }

  it('a prepared repository contains the same objects that git would write, and passes git fsck', async () => {
    const names = fc.constantFrom('a', 'a.b', 'a0', 'a-', 'B', 'ü', '日本', 'x y', '"');
    const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const changes = fc.dictionary(paths, fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constant('x'.repeat(5000))), {
      minKeys: 1,
      maxKeys: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ changes, message: fc.string({ minLength: 1 }) }), { minLength: 1, maxLength: 4 }),
        async (drawn) => {
          const plans = drawn.map(({ changes: files, message }) => commit(message.replaceAll('\0', ''), files));
          const history = await prepareHistory(server.platform, 'main', plans);
          // A file cannot exist where a directory is.
          fc.pre('location' in history);
          if (!('location' in history)) return;
          const repository = placeOf(history);
          await repository.git.run(repository.folder, ['fsck', '--strict', '--full', '--no-dangling']);
          const ids = history.pushes.map(({ ref }) => ref.commit_id);
          let parent: string | undefined;
          for (const [index, plan] of plans.entries()) {
            if (plan.kind !== 'commit') continue;
            const writer = { name: user.name, email: user.email, seconds: NOW / 1000 };
            const changed = new Map(
              [...plan.files].map(([path, one]) => [
                path,
                { mode: '100644' as const, content: { bytes: one?.content ?? Buffer.alloc(0) } },
              ]),
            );
            parent = await writeCommitObject(repository, {
              parent,
              message: plan.message,
              author: writer,
              committer: writer,
              changed,
            });
            assert.equal(ids[index], parent);
          }
          discardHistory(server.platform, history);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('a prepared repository returns commits as git reads them', async () => {
    const history = await prepared(
      commit('First', { 'README.md': 'Hello', 'bin/run': 'x' }),
      commit('Second\n\nwith more', { 'bin/run': undefined, later: 'y' }),
      commit('Try', { later: 'z' }, 'try'),
      commit('Third', { 'README.md': 'Bye' }),
      merge('try'),
      { kind: 'tag', user, at: NOW, name: 'v1', branch: 'main', message: 'One' },
    );
    const repository = placeOf(history);
    const ids = history.pushes.map(({ ref }) => ref.commit_id);
    const plain = (text: string): string => text.trimEnd();
    const known = ids.map((id) => history.commits.get(id));
    assert.deepEqual(
      known.map((one) => one && { ...one, message: plain(one.message) }),
      (await readCommits(repository, ids)).map((one) => ({ ...one, message: plain(one.message) })),
    );
    const tag = history.pushes.at(-1)?.ref.target ?? '';
    const { stdout } = await repository.git.run(repository.folder, ['cat-file', 'tag', tag]);
    assert.match(stdout.toString(), /^object [0-9a-f]{40}\ntype commit\ntag v1\ntagger Ines <.*> \d+ \+0000\n\nOne\n$/);
    assert.deepEqual(await filesAt(history, 1), { 'README.md': 'Hello', later: 'y' });
  });

  it('a prepared repository merges branches like git if they changed different files', async () => {
    const history = await prepared(
      commit('First', { 'a/one': '1', 'a/two': '2', 'b/three': '3', gone: '4' }),
      commit('Theirs', { 'a/two': '2 of try', 'c/new': '5' }, 'try'),
      commit('Ours', { 'a/one': '1 of main', gone: undefined }),
      commit('More', { 'b/three': undefined }, 'try'),
      merge('try'),
      commit('Again', { 'c/new': '6' }, 'try'),
      merge('try'),
    );
    const repository = placeOf(history);
    assert.deepEqual(await filesAt(history, 4), { 'a/one': '1 of main', 'a/two': '2 of try', 'c/new': '5' });
    assert.deepEqual((await filesAt(history, 6))['c/new'], '6');
    for (const at of [4, 6]) {
      const merged = history.pushes[at];
      const [into = '', from = ''] = history.commits.get(merged?.ref.commit_id ?? '')?.parents ?? [];
      assert.equal(merged?.merges, from);
      const { stdout } = await repository.git.run(repository.folder, ['merge-tree', '--write-tree', into, from]);
      const tree = stdout.toString().trim();
      const writer = { name: user.name, email: user.email, seconds: NOW / 1000 };
      assert.equal(history.commits.get(merged?.ref.commit_id ?? '')?.tree, tree);
      assert.ok(
        await writeMergeObject(repository, { tree, parents: [into, from], author: writer, committer: writer, message: 'm' }),
      );
    }
    // The commits of the branch that main lacked, and the merge.
    assert.deepEqual(
      history.pushes.map(({ commitCount }) => commitCount),
      [1, 1, 1, 1, 3, 1, 2],
    );
  });

  it('a prepared repository reports impossible merges', async () => {
    const first = commit('First', { one: '1' });
    const theirs = commit('Theirs', { one: '2' }, 'try');
    assert.deepEqual(await refusals(first, merge('try')), ['branch try has no commit at that time']);
    assert.deepEqual(await refusals(first, theirs, merge('try', 'other')), ['branch other has no commit at that time']);
    assert.deepEqual(await refusals(first, theirs, merge('main', 'try')), ['branch main has no commits to merge into try']);
    assert.deepEqual(await refusals(first, theirs, commit('Ours', { one: '3' }), merge('try')), [
      'merging try into main conflicts in one',
    ]);
  });

  it('a prepared repository runs git only to check that it is installed', async () => {
    await using other = await startTestServer();
    const { git } = other.platform.repositories;
    const asked: (readonly string[])[] = [];
    const { run } = git;
    git.run = (repository, args, options) => {
      asked.push(args);
      return run(repository, args, options);
    };
    const history = await prepareHistory(other.platform, 'main', [commit('First', { one: '1' }), commit('Second', { one: '2' })]);
    assert.ok('location' in history);
    assert.deepEqual(asked, []);
  });
});
